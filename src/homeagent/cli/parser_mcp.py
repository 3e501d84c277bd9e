"""``homeagent mcp ...``, as argparse wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent.cli.parser import Parser

__all__ = ["add_mcp"]


def add_mcp(parser: Parser) -> None:
    """Add every command about MCP servers."""
    words = parser.words
    commands = parser.commands("mcp_command")
    commands.add("list", "mcp:listed", "help_mcp_list")
    commands.add("info", "mcp:info", "help_mcp_info").arguments.add_argument(
        "name", metavar="NAME", help=words("argument_mcp")
    )
    add = commands.add("add", "mcp_agreeing:add", "help_mcp_add")
    add.arguments.add_argument("name", metavar="NAME", help=words("argument_mcp_new"))
    add.take_command("command_line", words("argument_mcp_words"))
    add.options.add_argument("--url", metavar="URL", help=words("option_mcp_url"))
    add.options.add_argument("--key-env", metavar="VAR", help=words("option_mcp_key"))
    add.options.add_argument("--pass-env", metavar="VAR", action="append", default=[], help=words("option_mcp_pass"))
    add.options.add_argument("--cwd", metavar="DIR", help=words("option_mcp_cwd"))
    agree = commands.add("consent", "mcp_agreeing:consent", "help_mcp_consent")
    agree.arguments.add_argument("name", metavar="NAME", help=words("argument_mcp"))
    for each in (add, agree):
        each.options.add_argument("--yes", action="store_true", help=words("option_plugin_yes"))
    commands.add("remove", "mcp_agreeing:remove", "help_mcp_remove").arguments.add_argument(
        "name", metavar="NAME", help=words("argument_mcp")
    )
    serve = commands.add("serve", "mcp_serving:serve", "help_mcp_serve")
    serve.options.add_argument("--person", default="owner", metavar="NAME", help=words("option_mcp_person"))
