"""The commands that take things back, say who is who, and look after what is kept, as argparse wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent.cli.parser import Commands, Parser

__all__ = ["add_forgetting", "add_people", "add_upkeep"]


def add_forgetting(commands: Commands) -> None:
    """Add ``forget``, ``undo``, ``erase``, ``share``, ``unshare`` and ``secrets``."""
    for name in ("forget", "undo", "erase"):
        parser = commands.add(name, f"forgetting:{name}")
        _target(parser)
        if name == "erase":
            parser.options.add_argument("--yes", action="store_true", help=parser.words("option_yes"))
            parser.options.add_argument("--prove", action="store_true", help=parser.words("option_prove"))
    for name in ("share", "unshare"):
        parser = commands.add(name, f"people:{name}")
        words = parser.words
        parser.arguments.add_argument("turn", metavar="TURN", help=words("argument_turn"))
        parser.options.add_argument("--source", help=words("option_source"))
        parser.options.add_argument("--with", dest="person", metavar="PERSON", default="", help=words("option_with"))
        parser.options.add_argument("--place", metavar="CH/CHAT", default="", help=words("option_place"))
    commands.add("secrets", "secrets:secrets")


def add_upkeep(commands: Commands) -> None:
    """Add ``backup``, ``restore`` and ``retention``."""
    backup = commands.add("backup", "upkeep:backup")
    words = backup.words
    backup.arguments.add_argument("file", metavar="FILE", nargs="?", help=words("argument_backup"))
    backup.options.add_argument("--every", type=float, metavar="HOURS", help=words("option_every"))
    backup.options.add_argument("--keep", type=int, metavar="N", default=7, help=words("option_keep"))
    backup.options.add_argument("--off", action="store_true", help=words("option_off"))
    restore = commands.add("restore", "upkeep:restore")
    restore.arguments.add_argument("file", metavar="FILE", help=words("argument_restore"))
    restore.options.add_argument("--yes", action="store_true", help=words("option_yes"))
    retention = commands.add("retention").commands("retention_command")
    rule = retention.add("set", description="help_retention_set").commands("retention_rule")
    rule.add("keep", "retention:keep", "help_retention_keep")
    erase = rule.add("erase", "retention:erase_after", "help_retention_erase")
    erase.options.add_argument("--after-days", type=int, metavar="N", required=True, help=words("option_after_days"))
    retention.add("show", "retention:show", "help_retention_show")
    retention.add("run", "retention:run", "help_retention_run")


def add_people(parser: Parser) -> None:
    """Add ``link``, ``unlink``, ``list`` and ``undo``."""
    words = parser.words
    commands = parser.commands("people_command")
    for name in ("link", "unlink"):
        linking = commands.add(name, f"people:{name}", f"help_people_{name}")
        linking.arguments.add_argument("channel", metavar="CHANNEL", help=words("argument_channel"))
        linking.arguments.add_argument("sender", metavar="SENDER", help=words("argument_sender"))
        if name == "link":
            linking.arguments.add_argument("person", metavar="PERSON", help=words("argument_person"))
    commands.add("list", "people:listed", "help_people_list")
    commands.add("undo", "people:undo", "help_people_undo")


def _target(parser: Parser) -> None:
    words, options = parser.words, parser.options
    parser.arguments.add_argument("turns", metavar="TURN", nargs="*", help=words("argument_turns"))
    options.add_argument("--source", help=words("option_source"))
    options.add_argument("--fact", metavar="ID", help=words("option_fact"))
    options.add_argument("--person", metavar="PERSON", help=words("option_of_person"))
    options.add_argument("--from", dest="since", metavar="TIME", help=words("option_from"))
    options.add_argument("--to", dest="until", metavar="TIME", help=words("option_to"))
    options.add_argument("--search", metavar="TEXT", help=words("option_search"))
