"""What a tool of an MCP server is called: by the model, in the log and the policies, and by its server."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LONGEST_NAME", "plugin_name", "policy_name", "wire_names"]

LONGEST_NAME: Final = 128
"""The most characters of a tool's own name, as the protocol has it."""

_LONGEST_WIRE: Final = 64
_DIGITS: Final = 8
_OTHER: Final = re.compile(r"[^A-Za-z0-9_-]")


def plugin_name(server: str) -> str:
    """Return what a server is called among the plugins: no plugin can be, for the dot."""
    return f"mcp.{server}"


def policy_name(server: str, tool: str) -> str:
    """Return what a tool is called in the log and in the policies."""
    return f"mcp.{server}.{tool}"


def wire_names(server: str, tools: Iterable[str]) -> dict[str, str]:
    """Return what the model calls each tool of a server: ``server__tool``.

    Model servers take letters, digits, ``_`` and ``-``, 64 in all. A name that has others, or more, is made to fit and
    ends in a digest of the tool's own name, so that no two are the same, whatever else the server offers. Names of two
    servers can't be: the name of a server holds no ``__`` and does not end in ``_``.
    """
    own = list(tools)
    plain = {name: f"{server}__{name}" for name in own if _fits(f"{server}__{name}")}
    taken = set(plain.values())
    found: dict[str, str] = {}
    for name in own:
        wire = plain.get(name) or _made_to_fit(server, name, taken)
        taken.add(wire)
        found[name] = wire
    return found


def _fits(wire: str) -> bool:
    return len(wire) <= _LONGEST_WIRE and _OTHER.search(wire) is None


def _made_to_fit(server: str, name: str, taken: set[str]) -> str:
    for number in range(len(taken) + 1):
        told = f"{number}/{name}".encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(told, digest_size=_DIGITS // 2).hexdigest()
        start = f"{server}__{_OTHER.sub('_', name)}"[: _LONGEST_WIRE - _DIGITS - 1]
        if (wire := f"{start}-{digest}") not in taken:
            break
    return wire
