"""``homeagent plugin ...``, as argparse wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent.cli.parser import Parser

__all__ = ["add_plugin"]


def add_plugin(parser: Parser) -> None:
    """Add every command about plugins."""
    commands = parser.commands("plugin_command")
    commands.add("list", "plugin:listed", "help_plugin_list")
    for name, argument in (("info", "plugin"), ("new", "plugin_new")):
        each = commands.add(name, f"plugin:{name}", f"help_plugin_{name}")
        each.arguments.add_argument("name", metavar="NAME", help=each.words(f"argument_{argument}"))
    check = commands.add("check", "plugin:check", "help_plugin_check")
    check.arguments.add_argument("paths", metavar="PATH", nargs="+", help=check.words("argument_plugin_path"))
    dev = commands.add("dev", "plugin_dev:dev", "help_plugin_dev")
    dev.arguments.add_argument("name", metavar="PATH", help=dev.words("argument_plugin_path"))
    for name, argument in (
        ("install", "plugin_path"),
        ("enable", "plugin"),
        ("consent", "plugin"),
        ("disable", "plugin"),
        ("remove", "plugin"),
    ):
        each = commands.add(name, f"installing:{name}", f"help_plugin_{name}")
        metavar = "PATH" if name == "install" else "NAME"
        each.arguments.add_argument("name", metavar=metavar, help=each.words(f"argument_{argument}"))
        if name in ("install", "enable", "consent"):
            each.options.add_argument("--yes", action="store_true", help=each.words("option_plugin_yes"))
