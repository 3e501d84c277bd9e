"""Whether a turn may write into the memory. What its speaker did not say himself he is asked about.

So nothing that a tool, a page or another person's message says can lead to a write by itself.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.agent.words import words_of
from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from homeagent.agent.incoming import Incoming

__all__ = ["Consent", "said_in"]

_MOST_DETAIL: Final = 2_000
_ALL = 1.0


@dataclass(frozen=True, slots=True)
class Consent:
    """Asks whoever wrote the message of a turn, through ``ask``, before something is written in his name.

    ``is_owner`` tells of a channel and a sender whether that is the owner of the home.
    """

    incoming: Incoming
    ask: Callable[[str], Awaitable[bool]]
    is_owner: Callable[[str, str], bool]

    def keeps(self) -> None:
        """Raise ``ToolError`` in a private turn, which leaves nothing behind."""
        if self.incoming.private:
            raise ToolError("", "this turn is private and leaves nothing behind", "Do it outside the private mode")

    async def is_the_owners(self) -> bool:
        """Whether the owner is who is asked in this turn: nobody else agrees to what a tool would do in his home."""
        incoming = self.incoming
        return await asyncio.to_thread(self.is_owner, incoming.place.channel, incoming.person)

    async def owner_only(self, field: str) -> None:
        """Raise ``ToolError`` in a turn that somebody else began: others can't change what is known."""
        self.keeps()
        if not await self.is_the_owners():
            raise ToolError(field, "only the owner of this home may do that", "Tell the person so; the owner can ask")

    async def to(
        self, english: str, chinese: str, detail: str, *, unless: Iterable[str] = (), share: float = _ALL
    ) -> None:
        """Ask for consent, unless the speaker said all of ``unless`` himself in this turn (``share`` of the words).

        Raises ``ToolError`` when he does not agree. No ``unless`` means that he is always asked.
        """
        self.keeps()
        wanted = [text for text in unless if text.strip()]
        own = not self.incoming.injected
        if own and wanted and all(said_in(self.incoming.words, text, share) for text in wanted):
            return
        if not await self.ask(f"{english} {chinese}\n{_visible(detail[:_MOST_DETAIL])}"):
            raise ToolError("", "the person did not agree to this", "Don't try it another way: ask what they want")


def said_in(message: str, text: str, share: float = _ALL) -> bool:
    """Whether ``message`` holds ``share`` of the words of ``text``, and every number and mixed token of it."""
    tokens = words_of(text)
    there = words_of(message)
    exact = {token for token in tokens if any(each.isdigit() for each in token)}
    found = sum(token in there or (len(token) == 1 and token in message) for token in tokens)
    return bool(tokens) and exact <= there and found >= share * len(tokens)


def _visible(text: str) -> str:
    """Return a text with what a screen would not show written out, so that it can't overwrite the question."""
    return "".join(
        each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode("ascii") for each in text
    )
