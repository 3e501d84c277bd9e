"""Which chat a conversation belongs to, when a client sends all of it again and does not say.

A chat is known by what its person said in it, in order; the replies only decide between chats that began with the same
words. What is remembered here is in the memory of this process alone, and read from the log again when it is needed.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ChatIndex", "Exchange", "Match", "Step", "new_chat", "step"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a client says was said before: words, and the reply (empty where there was none)."""

    said: str
    reply: str


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of a chat: its id (empty for a private one), and what its words and its reply are known by.

    ``own`` says that it was held here, and not in another chat that this one goes on from.
    """

    turn: str
    said: str
    reply: str
    answered: bool = True
    own: bool = True


@dataclass(frozen=True, slots=True)
class Match:
    """Where a new message goes, and what it says.

    ``before`` are the turns of another chat that this one goes on from; ``foreign`` exchanges that were not said here.
    ``instead`` is the turn whose place it takes, empty for the last private one; None when it takes none's.
    """

    chat: str
    text: str
    before: tuple[str, ...] = ()
    foreign: tuple[Exchange, ...] = ()
    instead: str | None = None


@dataclass(slots=True)
class _Chat:
    """``private`` is the chat as a private conversation goes on from it; the next turn that is kept ends that."""

    steps: list[Step] = field(default_factory=list)
    spoken: float = 0.0
    private: list[Step] | None = None

    def seen(self, *, private: bool) -> list[Step]:
        return self.steps if not private or self.private is None else self.private


def new_chat() -> str:
    """Return a name that no other chat has."""
    return f"c{time.time_ns() // 1_000_000:x}{secrets.token_hex(4)}"


def step(turn: str, said: str, reply: str) -> Step:
    """Return a turn as it is known here."""
    return Step(turn, _mark(said), _mark(reply), bool(reply.strip()))


class ChatIndex:
    """The chats of one person."""

    def __init__(self) -> None:
        self._chats: dict[str, _Chat] = {}
        self._begins: dict[str, dict[str, int]] = {}

    def put(self, chat: str, steps: Iterable[Step]) -> None:
        """Say what was said in a chat, in order, with what it goes on from first."""
        self._chats[chat] = _Chat()
        for each in steps:
            self.add(chat, each)

    def add(self, chat: str, new: Step) -> None:
        """Say that a turn was added to a chat.

        One that got no answer gives way to the next that says the same: of both a client shows the second.
        """
        found = self._chats.setdefault(chat, _Chat())
        if found.steps and not found.steps[-1].answered and found.steps[-1].said == new.said:
            self._pop(chat, found)
        found.steps.append(new)
        found.private = None
        found.spoken = time.monotonic()
        self._begins.setdefault(_chain(each.said for each in found.steps), {})[chat] = len(found.steps)

    def add_private(self, chat: str, new: Step, instead: str | None = None) -> None:
        """Say that a private turn was added to a chat, in place of the last one if that is ``instead``."""
        found = self._chats.setdefault(chat, _Chat())
        steps = list(found.seen(private=True))
        if instead is not None and steps and steps[-1].turn == instead:
            steps.pop()
        found.private = [*steps, new]

    def drop(self, chat: str, turn: str) -> None:
        """Say that a turn was taken back, empty for a private one; only the last of a chat is told apart here."""
        found = self._chats.get(chat)
        if found is None:
            return
        if turn and found.steps and found.steps[-1].turn == turn:
            self._pop(chat, found)
        if found.private and found.private[-1].turn == turn:
            found.private.pop()

    def knows(self, chat: str) -> bool:
        """Whether a chat was put here."""
        return chat in self._chats

    def says_again(self, chat: str, history: Sequence[Exchange], text: str, *, private: bool = False) -> str | None:
        """Return the last turn of a chat if ``text``, at the end of ``history``, asks for it once more; else None."""
        steps = self._chats[chat].seen(private=private) if chat in self._chats else []
        if len(steps) < len(("before", "last")) or not history or not history[-1].reply:
            return None  # of a chat's first turn a client that sends no history can't be told from one that does
        before, last = steps[-2:]
        same = (before.said, before.reply) == (_mark(history[-1].said), _mark(history[-1].reply))
        return last.turn if same and last.own and last.answered and last.said == _mark(text) else None

    def match(self, history: Sequence[Exchange], text: str, *, private: bool = False) -> Match:
        """Return where ``text`` goes, which a client sent at the end of ``history``."""
        while True:
            if not history:
                return Match(new_chat(), text)
            found = self._going_on(history, text, private=private) or self._ending_so(history, text)
            if found is not None:
                return found
            if history[-1].reply:
                return Match(new_chat(), text, foreign=tuple(history))
            # Nobody ever answered it, and it is not known here: it is said now, together with the rest.
            text = f"{history[-1].said}\n\n{text}"
            history = history[:-1]

    def _pop(self, chat: str, found: _Chat) -> None:
        self._begins.get(_chain(each.said for each in found.steps), {}).pop(chat, None)
        found.steps.pop()

    def _going_on(self, history: Sequence[Exchange], text: str, *, private: bool) -> Match | None:
        reply = _mark(history[-1].reply)
        known = self._begins.get(_chain(_mark(each.said) for each in history), {})
        candidates = {chat: length for chat, length in known.items() if self._may_be(chat, length, reply)}
        if not candidates:
            return None
        chat, length = max(candidates.items(), key=lambda item: self._fit(item[0], item[1], reply, _mark(text)))
        steps = self._chats[chat].seen(private=private)
        if len(steps) == length:
            return Match(chat, text)
        if len(steps) == length + 1 and steps[-1].said == _mark(text) and steps[-1].own:
            return Match(chat, text, instead=steps[-1].turn if steps[-1].answered else None)
        return Match(new_chat(), text, before=tuple(each.turn for each in self._chats[chat].steps[:length]))

    def _may_be(self, chat: str, length: int, reply: str) -> bool:
        """Whether a chat may be meant although its reply was another: one greeting alone says too little."""
        last = self._chats[chat].steps[length - 1]
        return length > 1 or last.reply == reply or not last.answered

    def _fit(self, chat: str, length: int, reply: str, said: str) -> tuple[bool, bool, bool, float]:
        found = self._chats[chat]
        again = len(found.steps) == length + 1 and found.steps[-1].said == said
        return found.steps[length - 1].reply == reply, len(found.steps) == length, again, found.spoken

    def _ending_so(self, history: Sequence[Exchange], text: str) -> Match | None:
        """Return the chat that ends as the history does: clients leave out the beginning of long conversations."""
        last = Step("", _mark(history[-1].said), _mark(history[-1].reply))
        for chat, found in reversed(self._chats.items()):
            tip = found.steps[-1] if found.steps else None
            if tip is not None and history[-1].reply and (tip.said, tip.reply) == (last.said, last.reply):
                return Match(chat, text)
        return None


def _mark(text: str) -> str:
    return hashlib.blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _chain(marks: Iterable[str]) -> str:
    return hashlib.blake2b("".join(marks).encode(), digest_size=16).hexdigest()
