"""``homeagent serve`` and ``homeagent token``, as argparse wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from homeagent.cli.parser import Commands, Parser

__all__ = ["PORT", "add_server"]

PORT: Final = 8470
"""Where the server listens unless it is told otherwise."""


def add_server(commands: Commands) -> None:
    """Add the commands about the server."""
    serve = commands.add("serve", "serve:serve")
    options, words = serve.options, serve.words
    options.add_argument("--port", type=int, default=PORT, metavar="N", help=words("option_port"))
    options.add_argument("--host", default="127.0.0.1", metavar="H", help=words("option_host"))
    options.add_argument("--name", action="append", default=[], metavar="NAME", help=words("option_name"))
    options.add_argument("--no-token", action="store_true", help=words("option_no_token"))
    _tokens(commands.add("token"))


def _tokens(parser: Parser) -> None:
    commands = parser.commands("token_command")
    new = commands.add("new", "tokens:new", "help_token_new")
    new.options.add_argument("--person", default="owner", metavar="NAME", help=new.words("option_token_person"))
    new.options.add_argument("--for", dest="name", default="", metavar="USE", help=new.words("option_token_for"))
    commands.add("list", "tokens:listed", "help_token_list")
    revoke = commands.add("revoke", "tokens:revoke", "help_token_revoke")
    revoke.arguments.add_argument("token", metavar="ID", help=revoke.words("argument_token"))
