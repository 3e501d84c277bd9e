"""This repository's own memory, driven like the others: a chat a conversation, speaker and date as the turn's fields.

It makes its vectors itself, with the same model: unlike the others' its time to add holds that. The tool of the probe
declares ``no_memory``, as a tool that runs commands does.
"""

from __future__ import annotations

from collections import defaultdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal

from bench.dates import parse_date
from bench.peers.drivers.serving import Found, Unit, serve
from bench.toolnoise import spoken
from bench.turns import OBSERVER, asked_at, place_of, viewer_in
from homeagent.memory import Memory, Segment, Turn
from homeagent_sdk import MemoryPolicy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.peers.drivers.serving import Message

__all__ = ["HomeAgent"]

_TOOL = "cmd_run"


class HomeAgent:
    """A home with a chat for each conversation."""

    uses_vectors = True

    def __init__(self, folder: Path, _vectors: str) -> None:
        self.version = version("homeagent")
        self._memory = Memory.open(folder / "home")
        self._memory.declare_policies({_TOOL: MemoryPolicy(no_memory=True)})
        self._speakers: defaultdict[str, set[str]] = defaultdict(set)
        self._dates: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, chat: str, units: Sequence[Unit]) -> None:
        """Keep a turn for each unit and wait until all of it is derived."""
        said = [spoken(unit.messages[0].content) for unit in units]
        self._speakers[chat].update(name for name, _ in said if name)
        self._dates[chat].update(unit.date for unit in units)
        members = tuple(sorted(self._speakers[chat]))
        turns = [
            Turn(
                place_of(chat),
                name or OBSERVER,
                tuple(
                    _segment(each, words if place == 0 else each.content) for place, each in enumerate(unit.messages)
                ),
                at=parse_date(unit.date),
                members=members,
                source=chat,
                external_id=unit.id,
            )
            for unit, (name, words) in zip(units, said, strict=True)
        ]
        self._memory.keep_all(turns)
        self._memory.settle()

    def ask(self, chat: str, text: str, limit: int) -> list[Found]:
        """Return the hits in that chat."""
        viewer = viewer_in(chat, tuple(sorted(self._speakers[chat])))
        found = self._memory.recall(text, viewer=viewer, at=asked_at(self._dates[chat]), limit=limit)
        return [Found(hit.external_id, hit.text) for hit in found.hits]

    def close(self) -> None:
        """Write everything and let go of the home."""
        self._memory.shutdown()


def _segment(message: Message, words: str) -> Segment:
    """Return a message as a segment with these words."""
    if message.role == "tool":
        return Segment("tool", words, tool=_TOOL)
    role: Literal["assistant", "user"] = "assistant" if message.role == "assistant" else "user"
    return Segment(role, words)


if __name__ == "__main__":
    serve(HomeAgent)
