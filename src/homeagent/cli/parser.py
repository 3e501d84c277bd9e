"""The commands and options, as argparse wants them. Imports nothing of the program, so that ``--help`` is quick."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from homeagent import __version__
from homeagent.cli.messages import message
from homeagent.cli.parser_facts import add_documents, add_facts
from homeagent.cli.parser_forgetting import add_forgetting, add_people, add_upkeep
from homeagent.cli.parser_mcp import add_mcp
from homeagent.cli.parser_plugin import add_plugin
from homeagent.cli.parser_policy import add_policy
from homeagent.cli.parser_server import add_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Commands", "Parser", "UsageError", "build"]


class UsageError(Exception):
    """The command line can't be understood; ``command`` is what to ask for help."""

    def __init__(self, command: str, problem: str) -> None:
        super().__init__(command, problem)
        self.command = command
        self.problem = problem


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of leaving, and speaks the person's language."""

    def __init__(self, prog: str, words: Callable[[str], str], description: str) -> None:
        super().__init__(
            prog=prog,
            description=words(description),
            formatter_class=partial(_Formatter, words("usage")),
            add_help=False,
            allow_abbrev=False,
        )
        self.words = words
        self._command = ""
        self.arguments = self.add_argument_group(words("arguments"))
        self.options = self.add_argument_group(words("options"))
        common = self.add_argument_group(words("common"))
        absent = argparse.SUPPRESS
        common.add_argument("--home", metavar="DIR", default=absent, help=words("option_home"))
        common.add_argument("--json", action="store_true", default=absent, help=words("option_json"))
        common.add_argument("--lang", choices=("en", "zh"), default=absent, help=words("option_lang"))
        common.add_argument("-h", "--help", action="help", help=words("option_help"))

    def take_command(self, dest: str, about: str) -> None:
        """Take what stands behind ``--`` as the words of a command, whatever options stand before it."""
        self.arguments.add_argument(dest, metavar="-- WORD", nargs="*", help=about)
        self._command = dest

    def parse_known_args(  # type: ignore[override]  # as it is called for a command below this one
        self, args: Sequence[str], namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the words of a command line; argparse alone loses a list of words that follows options."""
        place = args.index("--") if self._command and "--" in args else len(args)
        found, left = super().parse_known_args(args[:place], namespace)
        if place < len(args):
            setattr(found, self._command, list(args[place + 1 :]))
        return found, left

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` instead of leaving."""
        raise UsageError(self.prog, message)

    def commands(self, dest: str, *, required: bool = True) -> Commands:
        """Open the list of commands under this one."""
        found = self.add_subparsers(
            title=self.words("commands"), dest=dest, metavar="COMMAND", required=required, parser_class=Parser
        )
        return Commands(self, found)


class _Formatter(argparse.HelpFormatter):
    """Writes help with our word for usage, and room for the names of options."""

    def __init__(self, usage: str, prog: str) -> None:
        super().__init__(prog, max_help_position=28)
        self._usage_word = usage

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, self._usage_word if prefix is None else prefix)


class Commands:
    """Adds commands to a parser."""

    def __init__(self, parent: Parser, found: argparse._SubParsersAction[Parser]) -> None:
        self._parent = parent
        self._found = found

    def add(self, name: str, run: str = "", description: str = "") -> Parser:
        """Add a command; ``run`` is ``module:function`` in this package."""
        key = description or f"help_{name}"
        words = self._parent.words
        parser = self._found.add_parser(name, help=words(key), words=words, description=key)
        if run:
            parser.set_defaults(run=run)
        return parser


def build(language: str) -> argparse.ArgumentParser:
    """Return the parser of the whole command line; what it parses has ``run``, ``module:function`` to call."""
    words = partial(message, language)
    parser = Parser("homeagent", words, "help_homeagent")
    parser.options.add_argument(
        "--version", action="version", version=f"homeagent {__version__}", help=words("option_version")
    )
    # Without a command it is a chat.
    parser.set_defaults(run="chat:chat", chat="main", person="owner", attach=[], private=False)
    commands = parser.commands("command", required=False)
    chat = commands.add("chat", "chat:chat")
    chat.options.add_argument("--private", action="store_true", help=words("option_private"))
    ask = commands.add("ask", "ask:ask")
    ask.arguments.add_argument("text", metavar="TEXT", nargs="+", help=words("argument_text"))
    for talking in (chat, ask):
        talking.options.add_argument("--chat", default="main", help=words("option_chat"))
        talking.options.add_argument("--person", default="owner", help=words("option_person"))
        talking.options.add_argument(
            "--attach", action="append", default=[], metavar="FILE", help=words("option_attach")
        )
    _memory(commands.add("memory"))
    check = commands.add("check", "check:check")
    check.arguments.add_argument("paths", metavar="PATH", nargs="+", help=words("argument_cases"))
    check.options.add_argument("--kind", action="append", default=[], metavar="K", help=words("option_kind"))
    add_people(commands.add("people"))
    add_policy(commands.add("policy"))
    add_plugin(commands.add("plugin"))
    add_mcp(commands.add("mcp"))
    add_server(commands)
    commands.add("doctor", "doctor:doctor")
    _config(commands.add("config"))
    return parser


def _memory(parser: Parser) -> None:
    words = parser.words
    commands = parser.commands("memory_command")
    importer = commands.add("import", "transfer:import_turns")
    importer.arguments.add_argument("file", metavar="FILE", help=words("argument_import"))
    importer.options.add_argument("--source", help=words("option_source"))
    exporter = commands.add("export", "transfer:export_turns")
    exporter.arguments.add_argument("file", metavar="FILE", help=words("argument_export"))
    _search(commands.add("search", "search:search"))
    for name in ("show", "explain"):
        turn = commands.add(name, f"turns:{name}")
        turn.arguments.add_argument("turn", metavar="TURN", help=words("argument_turn"))
        turn.options.add_argument("--source", help=words("option_source"))
    commands.add("stats", "upkeep:stats")
    add_facts(commands)
    commands.add("archive", "upkeep:archive")
    add_documents(commands)
    rebuild = commands.add("rebuild", "upkeep:rebuild")
    rebuild.options.add_argument("--verify", action="store_true", help=words("option_verify"))
    add_forgetting(commands)
    add_upkeep(commands)


def _search(parser: Parser) -> None:
    words = parser.words
    parser.arguments.add_argument("text", metavar="TEXT", nargs="+", help=words("argument_query"))
    options = parser.options
    options.add_argument("--limit", type=int, metavar="N", help=words("option_limit"))
    options.add_argument("--as", dest="person", metavar="PERSON", help=words("option_as"))
    options.add_argument("--chat", default="main", help=words("option_chat"))
    options.add_argument("--channel", default="cli", metavar="CH", help=words("option_channel"))
    options.add_argument("--at", metavar="TIME", help=words("option_at"))
    options.add_argument("--wait", action="store_true", help=words("option_wait"))


def _config(parser: Parser) -> None:
    words = parser.words
    commands = parser.commands("config_command")
    commands.add("show", "settings:show", "help_config_show")
    setter = commands.add("set", "settings:change", "help_config_set")
    setter.arguments.add_argument("key", metavar="KEY", help=words("argument_key"))
    setter.arguments.add_argument("value", metavar="VALUE", help=words("argument_value"))
    unset = commands.add("unset", "settings:unset", "help_config_unset")
    unset.arguments.add_argument("key", metavar="KEY", help=words("argument_key"))
    commands.add("path", "settings:path", "help_config_path")
