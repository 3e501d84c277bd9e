"""The memory as the hub of the channels asks for it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from homeagent.channels import Company, Outcome
from homeagent.errors import NotFoundError
from homeagent.memory import INJECTED, OWNER

if TYPE_CHECKING:
    from homeagent.memory import Memory, Place

__all__ = ["API", "HomePast"]

API: Final = "api"
"""The channel of whatever is said over the network; its chats are named ``person/chat``."""

_LOOKED_AT: Final = 50


class HomePast:
    """What was said before, and who is who (`homeagent.channels.Past`)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def outcome(self, source: str, external_id: str) -> Outcome | None:
        """Return what became of a turn, None when it was never opened."""
        try:
            turn = self._memory.find(external_id, source=source)
        except NotFoundError:
            return None
        said = [row.segment for row in self._memory.segments(turn)]
        replies = tuple(each.text for each in said if each.role == "assistant" and each.text and not each.error)
        last = said[-1] if said else None
        whole = last is not None and last.role == "assistant" and last.text and not (last.arguments or last.error)
        answered = turn.status == "interrupted" and whole  # only its end was not written down any more
        return Outcome(turn.turn_id, "done" if answered else turn.status, replies)

    def is_owner(self, channel: str, sender: str) -> bool:
        """Whether a sender of a channel is the owner of the home."""
        return self._memory.people.who(channel, sender) == OWNER

    def company(self, place: Place) -> Company | None:
        """Return who was in a chat when somebody last spoke there; None when nobody did.

        A chat of the API bears the name of the person whose private chat it is, and is nobody else's.
        """
        if place.channel == API:
            person = place.chat.partition("/")[0]
            return Company(person, (), person == OWNER)
        for turn in islice(self._memory.turns(place), _LOOKED_AT):
            if turn.source != INJECTED:
                present = {turn.sender, *turn.members}
                owner_only = all(self.is_owner(place.channel, each) for each in present)
                return Company(turn.sender, turn.members, owner_only)
        return None

    def set_owner(self, channel: str, sender: str, *, linked: bool) -> None:
        """Say that a sender of a channel is the owner, or is not any more."""
        if linked:
            self._memory.link(channel, sender, OWNER)
        else:
            self._memory.unlink(channel, sender)
