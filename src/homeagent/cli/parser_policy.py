"""``homeagent policy ...``, as argparse wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent.cli.parser import Parser

__all__ = ["add_policy"]


def add_policy(parser: Parser) -> None:
    """Add ``list``, ``set`` and ``test``."""
    commands = parser.commands("policy_command")
    commands.add("list", "policy:listed", "help_policy_list")
    for name in ("set", "test"):
        each = commands.add(name, f"policy:{name}", f"help_policy_{name}")
        words = each.words
        each.arguments.add_argument("name", metavar="NAME", help=words("argument_policy"))
        choice = each.options.add_mutually_exclusive_group(required=True)
        choice.add_argument("--no-memory", action="store_true", help=words("option_no_memory"))
        choice.add_argument("--cleaner", metavar="SPEC", help=words("option_cleaner"))
        choice.add_argument("--plain", action="store_true", help=words("option_plain"))
        choice.add_argument("--unset", action="store_true", help=words("option_unset"))
        each.options.add_argument("--channel", action="store_true", help=words("option_channel_policy"))
