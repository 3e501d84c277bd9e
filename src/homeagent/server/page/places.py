"""Where something was said, as people know it: by what the chat is about, and its channel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from homeagent.server.routes import turns as turns_routes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.turns import ChatForm

__all__ = ["Places", "places_of"]

_LONGEST: Final = 48


@dataclass(frozen=True, slots=True)
class Places:
    """What the chats that somebody may see are called, the one spoken in last first."""

    chats: tuple[ChatForm, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    """By ``channel/chat``."""

    def name(self, channel: str, chat: str) -> str:
        """Return what a chat is called; its own name where nothing that was said in it may be seen."""
        return self.names.get(f"{channel}/{chat}") or f"{channel}/{chat}"


async def places_of(visit: Visit) -> Places:
    """Return what the chats are called, for whoever looks."""
    found = (await turns_routes.chats(visit.asker.viewer, visit.daemon)).chats
    return Places(tuple(found), {f"{each.place.channel}/{each.place.chat}": _name(each) for each in found})


def _name(chat: ChatForm) -> str:
    title = chat.title if len(chat.title) <= _LONGEST else f"{chat.title[: _LONGEST - 1].rstrip()}…"
    return f"{title or chat.place.chat} · {chat.place.channel}"
