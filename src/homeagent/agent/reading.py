"""``read_more``: the rest of a result that was too long to be shown at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent_sdk import Plugin, ToolContext, ToolError, tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["Outputs", "read_more", "reading_plugin"]

_PIECE = 16_000


@dataclass(frozen=True, slots=True)
class Outputs:
    """Finds the whole output of a call that is in view: ``find(channel, chat, call)``."""

    find: Callable[[str, str, str], Awaitable[str | None]]


@tool(returns_memory=True)
async def read_more(context: ToolContext, call: str, offset: int = 0) -> str:
    """Read on in a result that was cut.

    Args:
        call: the id of the call, as the cut names it
        offset: the character to begin with
    """
    text = await context.state(Outputs).find(context.channel, context.chat, call)
    if text is None:
        raise ToolError("call", f"there is no result of a call {call!r} in view", "Call the tool again")
    if not 0 <= offset < max(1, len(text)):
        raise ToolError("offset", f"is {offset}, the result has {len(text)} characters", "Give a smaller one")
    piece = text[offset : offset + _PIECE]
    end = offset + len(piece)
    if end == len(text):
        return piece
    return f"{piece}\n[... characters {end:,} to {len(text):,} follow: offset={end} ...]"


def reading_plugin(outputs: Outputs) -> Plugin:
    """Return the plugin that brings ``read_more``."""
    return Plugin("conversation", "1.0.0", tools=[read_more], on_start=lambda _context: outputs)
