"""The context: which turns the prompt shows, and how it never gets longer than the model's window.

Its beginning stays the same from turn to turn: instructions, then the turns in view, then the present turn, with what
was recalled and other volatile lines after the words that came in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from homeagent.agent.pruning import Present, staying
from homeagent.agent.shrinking import shrunk
from homeagent.agent.tokens import beginning, message_tokens, prompt_tokens, tool_tokens
from homeagent.models.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from homeagent.agent.tokens import Count
    from homeagent.memory import TurnId
    from homeagent.models.messages import ToolSpec

__all__ = ["Fitted", "Limits", "Parts", "View", "Window", "fit", "history_room", "view_of"]

_SHARE_OF_TOOLS = 0.3
_FIRST_OF_FAMILY = 4
_SHARE_OF_INSTRUCTIONS = 0.3
_SHARE_OF_VOLATILE = 0.2
_SHARE_OF_PRESENT = 0.3
_LOW_WATER = 0.6
"""When turns have to leave, the rest is brought down to this share at once: the prompt's beginning then stays the same
for many turns, and the server's cache holds."""
_CUT = "\n[... cut: the model's window is too small for the rest ...]"


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a prompt may be, in tokens: the model's window without what is kept free for the reply."""

    window: int
    reply: int
    count: Count

    @property
    def room(self) -> int:
        """What the prompt may take."""
        return self.window - min(self.reply, self.window // 4)


@dataclass(frozen=True, slots=True)
class View:
    """A closed turn in the window, ``at`` its moment; ``turn`` is None for a private one."""

    turn: TurnId | None
    messages: tuple[Message, ...]
    tokens: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """What a prompt is made of besides the turns in view. ``present`` begins with the words that came in."""

    instructions: str
    tools: tuple[ToolSpec, ...]
    present: tuple[Message, ...]
    volatile: str = ""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt that fits. ``left_out`` is how many turns in view had to stay out of it this time."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    left_out: int


class Window:
    """The turns of one chat that are in view, oldest first."""

    def __init__(self, views: Iterable[View] = ()) -> None:
        self._views = list(views)

    @property
    def views(self) -> tuple[View, ...]:
        """The turns in view."""
        return tuple(self._views)

    @property
    def turns(self) -> frozenset[str]:
        """The ids of the turns in view."""
        return frozenset(view.turn for view in self._views if view.turn is not None)

    def add(self, view: View) -> None:
        """Show one more turn, the newest."""
        self._views.append(view)

    def drop_last(self) -> View | None:
        """Take the newest turn out of view and return it."""
        return self._views.pop() if self._views else None

    def drop(self, turn: TurnId) -> None:
        """Take a turn out of view; harmless when it is not in view."""
        self._views = [view for view in self._views if view.turn != turn]

    def prune(self, room: int, present: Present = Present()) -> list[TurnId]:  # noqa: B008 - it is frozen
        """Let turns leave when all together take more than ``room`` tokens; return those to archive, oldest first.

        Which stay is worked out against what is said now (`homeagent.agent.pruning`).
        """
        if sum(view.tokens for view in self._views) <= room:
            return []
        stay = staying(self._views, int(room * _LOW_WATER), present)
        left = [view.turn for place, view in enumerate(self._views) if place not in stay and view.turn is not None]
        self._views = [view for place, view in enumerate(self._views) if place in stay]
        return left

    def bring_back(self, views: Sequence[View]) -> None:
        """Show turns again that had left, each at its own time: before the first turn that is newer."""
        for view in views:
            if view.turn in self.turns:
                continue
            later = (n for n, each in enumerate(self._views) if each.at and view.at and each.at > view.at)
            self._views.insert(next(later, len(self._views)), view)

    def clear(self) -> list[TurnId]:
        """Take every turn out of view; return those to archive."""
        left = [view.turn for view in self._views if view.turn is not None]
        self._views.clear()
        return left


def history_room(parts: Parts, limits: Limits) -> int:
    """Return how many tokens the turns in view may take for good, the present turn and the fixed parts left aside."""
    instructions, tools = _fixed(parts, limits)
    fixed = prompt_tokens([instructions], tools, limits.count)
    return max(0, limits.room - fixed - int(limits.room * _SHARE_OF_PRESENT))


def fit(parts: Parts, views: Sequence[View], limits: Limits) -> Fitted:
    """Return a prompt of at most ``limits.room`` tokens: of the turns in view as many of the newest as fit."""
    count = limits.count
    instructions, tools = _fixed(parts, limits)
    room = limits.room - prompt_tokens([instructions], tools, count)
    volatile = _cut(parts.volatile, int(limits.room * _SHARE_OF_VOLATILE), count)
    words, *rounds = parts.present
    present = shrunk(words, rounds, room - _tokens_of_lines(volatile, count), count)
    if volatile:
        first = present[0]
        present = (replace(first, text=f"{first.text}\n\n{volatile}".lstrip()), *present[1:])
    room -= prompt_tokens(present, (), count)
    start = len(views)
    while start and (taken := prompt_tokens(views[start - 1].messages, (), count)) <= room:
        start -= 1
        room -= taken
    shown = [message for view in views[start:] for message in view.messages]
    return Fitted((instructions, *shown, *present), tools, start)


def _fixed(parts: Parts, limits: Limits) -> tuple[Message, tuple[ToolSpec, ...]]:
    count = limits.count
    text = _cut(parts.instructions, int(limits.room * _SHARE_OF_INSTRUCTIONS), count)
    return Message("system", text), _offered(parts.tools, int(limits.room * _SHARE_OF_TOOLS), count)


def _offered(tools: Sequence[ToolSpec], room: int, count: Count) -> tuple[ToolSpec, ...]:
    """Return the tools that fit, in their order: the first of each family (``files_``...) before its further ones."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, int]] = []
    for place, tool in enumerate(tools):
        family = tool.name.partition("_")[0]
        ranked.append((seen[family] // _FIRST_OF_FAMILY, place))
        seen[family] += 1
    fitting: list[int] = []
    for _, place in sorted(ranked):
        room -= tool_tokens(tools[place], count)
        if room < 0:
            break
        fitting.append(place)
    return tuple(tools[place] for place in sorted(fitting))


def _cut(text: str, tokens: int, count: Count) -> str:
    if count(text) <= tokens:
        return text
    return beginning(text, tokens - count(_CUT) - 1, count) + _CUT


def _tokens_of_lines(text: str, count: Count) -> int:
    return count(text) + 4 if text else 0


def view_of(turn: TurnId | None, messages: Iterable[Message], count: Count, at: datetime | None = None) -> View:
    """Return a closed turn as it goes into the window: without what the model thought aloud."""
    kept = tuple(replace(message, reasoning="") for message in messages)
    return View(turn, kept, sum(message_tokens(message, count) for message in kept), at)
