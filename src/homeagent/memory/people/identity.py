"""Who is who, and who may see what: persons worked out from sender ids, and the scopes a viewer may look into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.store.protocols import audience_term, chat_key, chat_term
from homeagent.memory.turn import OWNER, is_owner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.memory.store.protocols import Scope
    from homeagent.memory.store.records import IdentityRow
    from homeagent.memory.turn import Viewer

__all__ = ["People", "Visible", "visible"]


class People:
    """The identity map as it stands after a list of events.

    A sender nobody linked is a person of his own, ``channel:sender``; the owner is himself in the home's own channels.
    """

    def __init__(self, rows: Iterable[IdentityRow]) -> None:
        self._links: dict[tuple[str, str], str] = {}
        for row in rows:
            if row.action == "link":
                self._links[row.channel, row.sender] = row.person
            else:
                self._links.pop((row.channel, row.sender), None)

    def person(self, channel: str, sender: str) -> str:
        """Return the person behind a sender id of a channel."""
        linked = self._links.get((channel, sender))
        if linked is not None:
            return linked
        return OWNER if is_owner(channel, sender) else f"{channel}:{sender}"


class Visible:
    """The scopes a viewer may look into, as index terms and as numbers."""

    def __init__(self, scopes: Iterable[int], terms: Iterable[str]) -> None:
        self.scopes = frozenset(scopes)
        self.terms = tuple(sorted(set(terms)))


def visible(viewer: Viewer | None, scopes: Iterable[tuple[int, Scope]], people: People) -> Visible | None:
    """Return what ``viewer`` may see; None, for no viewer, is the owner's view of everything.

    A chat's own turns are always visible in that chat. Across chats, what is recalled in front of people P comes only
    from turns that all of P were present at, or that were shared with them. Who is present in the asker's chat: the
    asker and the members given; where the channel gives none, everybody who was present in that chat before.
    """
    if viewer is None:
        return None
    known = list(scopes)
    here = chat_key(viewer.place)
    channel = viewer.place.channel
    present = {people.person(channel, sender) for sender in (viewer.person, *viewer.members)}
    if not viewer.members:
        here_before = [scope for _, scope in known if scope.chat == here]
        present.update(people.person(scope.channel, member) for scope in here_before for member in scope.members)
    allowed: list[int] = []
    terms = [chat_term(here)]
    for key, scope in known:
        audience = {people.person(scope.channel, member) for member in scope.members}
        audience.update(scope.shared.persons)
        if scope.chat == here or here in scope.shared.chats:
            allowed.append(key)
        elif present <= audience:
            allowed.append(key)
            terms.append(audience_term(scope.audience))
    return Visible(allowed, terms)
