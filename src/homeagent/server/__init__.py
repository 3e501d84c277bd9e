"""The server ``homed``: one home, always on, spoken to over HTTP by the clients people have, by pages and by MCP.

Importing this package loads no web framework; `homeagent.server.serving` does.
"""

from homeagent.server.options import ServeOptions
from homeagent.server.tokens import Token, Tokens

__all__ = ["ServeOptions", "Token", "Tokens"]
