"""One call of a tool as its author sees it: raw beside computed, from the very memory that will keep it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.agent import Incoming, events
from homeagent.memory import Place

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from homeagent.agent import Event
    from homeagent.app import App
    from homeagent.memory import Memory

__all__ = ["DevCall", "Part", "call_tool"]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of what is computed: a text, or how many characters of raw were left out at this place."""

    text: str
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class DevCall:
    """What came of a call. Without ``tool`` there was none, and ``raw`` says why.

    ``computed`` is the compute text, ``parts`` the same with what was left out between; ``decision`` and ``reason`` are
    the memory's own. Lengths are in characters.
    """

    tool: str
    raw: str
    error: bool = False
    seconds: float = 0.0
    decision: str = ""
    reason: str = ""
    computed: str = ""
    parts: tuple[Part, ...] = ()
    progress: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether nothing good came of it."""
        return self.error or not self.tool

    @property
    def left_out(self) -> int:
        """How many characters of the output are not computed."""
        return sum(part.left_out for part in self.parts)

    def as_plain(self) -> dict[str, object]:
        """Return it as JSON has it."""
        return {
            "tool": self.tool,
            "error": self.error,
            "seconds": round(self.seconds, 3),
            "raw": self.raw,
            "computed": self.computed,
            "decision": self.decision,
            "reason": self.reason,
            "raw_length": len(self.raw),
            "left_out": self.left_out,
        }


class _Watcher:
    """A `Ui` that writes down what matters of one call."""

    def __init__(self, ask: Callable[[str], Awaitable[bool]]) -> None:
        self._ask = ask
        self.turn = ""
        self.seconds = 0.0
        self.said: list[str] = []
        self.progress: list[str] = []

    def show(self, event: Event) -> None:
        """Take an event."""
        match event:
            case events.TurnStarted(turn=turn):
                self.turn = turn
            case events.ToolProgress(text=text):
                self.progress.append(text)
            case events.ToolFinished(seconds=seconds):
                self.seconds = seconds
            case events.Said(text=text):
                self.said.append(text)

    async def ask(self, question: str) -> bool:
        """Ask the author."""
        return await self._ask(question)


async def call_tool(app: App, command: str, number: int, ask: Callable[[str], Awaitable[bool]]) -> DevCall:
    """Run ``/tool NAME key=value`` as a turn of its own, and return what is kept and what is computed of it."""
    watcher = _Watcher(ask)
    await app.agent.respond(Incoming(command, Place("cli", f"dev-{number}")), watcher)
    found = await asyncio.to_thread(_looked_up, app.memory, watcher)
    return found or DevCall("", "\n".join(watcher.said))


def _looked_up(memory: Memory, watcher: _Watcher) -> DevCall | None:
    memory.settle()
    row = next((each for each in memory.raw(watcher.turn) if each.segment.role == "tool"), None)
    if row is None:
        return None
    segment = row.segment
    computed = next((each for each in memory.computed(watcher.turn) if each.position == row.position), None)
    called = DevCall(segment.tool or "", segment.text, segment.error, watcher.seconds, progress=tuple(watcher.progress))
    if computed is None:
        return called
    text = computed.text
    spans = [(each.start, each.end, each.raw_start, each.raw_end) for each in text.spans]
    parts = tuple(_parts(text.text, spans, len(segment.text)))
    decision, reason = str(computed.decision), computed.reason
    return DevCall(
        called.tool, called.raw, called.error, called.seconds, decision, reason, text.text, parts, called.progress
    )


def _parts(text: str, spans: list[tuple[int, int, int | None, int | None]], length: int) -> list[Part]:
    """Return compute text piece by piece, and between them how much of raw is left out.

    Where a cleaner rewrote the text, so that no place in raw corresponds to it, that is known only in total.
    """
    parts: list[Part] = []
    at = shown = 0
    rewritten = 0
    for start, end, raw_start, raw_end in spans:
        if not start and raw_start is None:  # the arguments, on a line of their own: no part of the output
            parts.append(Part(text[:end]))
            shown = end
            if text[end : end + 1] == "\n":
                parts.append(Part("\n"))
                shown += 1
            continue
        if raw_start is None or raw_end is None:
            rewritten += end - start
        else:
            if raw_start > at:
                parts.append(Part("", raw_start - at))
            at = max(at, raw_end)
        parts.append(Part(text[shown:end]))
        shown = end
    if text[shown:]:
        parts.append(Part(text[shown:]))
        rewritten += len(text) - shown
    left = length - at - rewritten
    return [*parts, Part("", left)] if left > 0 else parts
