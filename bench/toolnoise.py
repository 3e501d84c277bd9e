"""The noise sets: dialogues mixed with real tool output, as turns, by strategy of what to do about the output.

What a person of the dialogue says ("Caroline: ...") is that person's turn, as in the plain sets, also when a tool ran
in it. A request for a tool is the user's, a stock reply ("Done, everything looks normal.") the assistant's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from bench.dates import parse_date
from bench.turns import OBSERVER, USERS, place_of, said_by, viewer_in
from homeagent.memory import Segment, Turn, Viewer
from homeagent_sdk import MemoryPolicy, parse_cleaner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.data import Event, NoiseLine, Unit

__all__ = ["POLICIES", "STRATEGIES", "Chat", "NoiseSet", "Strategy", "event_turn", "spoken", "words_of"]

Strategy = Literal["none", "raw", "skip_turn", "drop_tools", "ours", "spoken"]
"""How a turn with tool output is kept: see `event_turn`."""

STRATEGIES: Final[tuple[Strategy, ...]] = ("none", "raw", "skip_turn", "drop_tools", "ours")
"""Those that are measured with the product's own recall."""

POLICIES: Final = {
    "cmd_run": MemoryPolicy(no_memory=True),
    "browser_screenshot": MemoryPolicy(no_memory=True),
    "edit_document": MemoryPolicy(no_memory=True),
    "files_read": MemoryPolicy(cleaner=parse_cleaner("json(content)")),
    "web_fetch": MemoryPolicy(cleaner=parse_cleaner("html()")),
    "mail_read": MemoryPolicy(cleaner=parse_cleaner("json(body_html) | html()")),
    "api_call": MemoryPolicy(),
}
"""What the tools of the noise sets declare."""

_SPOKEN = re.compile(r"([^\s:]{1,40}): (.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Chat:
    """Where events happen: the chat, who talks there, and who asks the assistant for tools."""

    name: str
    speakers: tuple[str, ...]
    requester: str

    @property
    def members(self) -> tuple[str, ...]:
        """Everybody who is there."""
        return tuple(sorted({*self.speakers, self.requester}))


class NoiseSet:
    """The lines of a noise set. ``pool`` are units that stand in front of every line, together with all lines' noise.

    With a pool the noise events of all lines lie once in a shared chat, and the questions of a line see that chat and
    their own; without one, each line is a chat with its own noise inside.
    """

    def __init__(self, name: str, lines: Sequence[NoiseLine], pool: Sequence[Unit] = ()) -> None:
        self.name = name
        self.lines = lines
        self._pool = pool
        self._chats = {line.conv: _chat(line) for line in lines}
        present = {OBSERVER, *(who for chat in self._chats.values() for who in chat.members)}
        present.update(unit.speaker for unit in pool)
        requester = next((chat.requester for chat in self._chats.values()), "")
        self._shared = Chat(f"{name}:shared", tuple(sorted(present)), requester)

    def turns(self, strategy: Strategy) -> list[Turn]:
        """Return every turn under a strategy, the shared ones first."""
        turns = [self._pool_turn(unit) for unit in self._pool]
        for line in self.lines if self._pool else ():
            noise = [event for event in line.events if event.group == "noise"]
            names = [f"{line.conv}/{event.id}" for event in noise]
            turns += _kept(noise, names, strategy, self._shared)
        for line in self.lines:
            own = [event for event in line.events if not self._pool or event.group != "noise"]
            turns += _kept(own, [event.id for event in own], strategy, self._chats[line.conv])
        return turns

    def viewer(self, line: NoiseLine) -> Viewer:
        """Return who asks about a line: its user, or in a dialogue of two people somebody who only asks."""
        chat = self._chats[line.conv]
        asking = viewer_in(chat.name, chat.speakers)
        return Viewer(asking.person, asking.place, tuple(sorted({*asking.members, *chat.members})))

    def visible(self, line: NoiseLine) -> tuple[str, ...]:
        """Return the sources that the questions about a line may see."""
        return (line.conv, self._shared.name) if self._pool else (line.conv,)

    def _pool_turn(self, unit: Unit) -> Turn:
        chat = self._shared
        segments = (said_by(unit.speaker, unit.text),)
        return Turn(
            place_of(chat.name), unit.speaker, segments, None, chat.members, chat.name, external_id=f"pool/{unit.id}"
        )


def event_turn(event: Event, name: str, strategy: Strategy, chat: Chat) -> Turn | None:
    """Return an event as a turn, or None when the strategy leaves it out.

    ``none``: no tool output at all, and what a tool output holds is said instead (the ceiling). ``raw``: request, raw
    outputs and reply are one text. ``skip_turn``: turns of a tool without memory are left out, other outputs dropped.
    ``drop_tools``: all outputs dropped. ``ours``: everything kept as what it is, with policies. ``spoken`` is the same
    with who speaks in front of the words, for the baseline, which knows no senders.
    """
    sender, reply = _said(event.response, chat)
    hidden = any(POLICIES[tool.name].no_memory for tool in event.tools if tool.name in POLICIES)
    match strategy:
        case "none" if event.group == "noise":
            return None
        case "none" if event.fact:
            sender, reply = _said(event.fact, chat)
            segments = [reply]
        case "raw":
            outputs = [tool.output for tool in event.tools]
            parts = [part for part in (event.input, *outputs, reply.text) if part]
            segments = [Segment("user", "\n".join(parts))]
        case "skip_turn" if hidden:
            return None
        case _:
            tools = event.tools if strategy in ("ours", "spoken") else ()
            segments = [Segment("user", event.input)] if event.input else []
            segments += [Segment("tool", tool.output, tool=tool.name) for tool in tools]
            segments += [reply if strategy != "spoken" else Segment("user", event.response)]
    at = parse_date(event.date)
    return Turn(place_of(chat.name), sender, tuple(segments), at, chat.members, chat.name, external_id=name)


def words_of(fact: str) -> str:
    """Return what a fact says, without who says it, in one line of single spaces."""
    return " ".join(spoken(fact)[1].split())


def spoken(text: str) -> tuple[str, str]:
    """Return who says a line of a dialogue and what; nobody ("") when it does not begin with a name."""
    found = _SPOKEN.fullmatch(text)
    return (found[1], found[2]) if found else ("", text)


def _said(text: str, chat: Chat) -> tuple[str, Segment]:
    """Return who sent the turn that ends in this text, and the text as a segment."""
    speaker, words = spoken(text)
    if speaker in chat.speakers:
        return speaker, Segment("user", words)
    return chat.requester, Segment("assistant", text)


def _kept(events: Sequence[Event], names: Sequence[str], strategy: Strategy, chat: Chat) -> list[Turn]:
    made = [event_turn(event, name, strategy, chat) for event, name in zip(events, names, strict=True)]
    return [turn for turn in made if turn is not None]


def _chat(line: NoiseLine) -> Chat:
    """Return the chat of a line; who talks there is told from what is said in its dialogue."""
    dialogue = [event.response for event in line.events if event.group in ("plain", "attached")]
    speakers = {spoken(text)[0] for text in (*dialogue, *(event.fact for event in line.events))} - {""}
    return Chat(line.conv, tuple(sorted(speakers)), min(speakers & USERS, default="user"))
