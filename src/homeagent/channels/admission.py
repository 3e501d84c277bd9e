"""Who is answered, and when: by ids alone, as the owner's settings say. Nobody is known by a nickname."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from homeagent.config import ChannelOptions
    from homeagent_sdk import Arrival

__all__ = ["Verdict", "members_of", "verdict"]

Verdict = Literal["answer", "not for us", "stranger", "strange group"]
"""What becomes of a message. Only ``answer`` is kept."""


def verdict(arrival: Arrival, options: ChannelOptions) -> Verdict:
    """Say what becomes of a message: in a group that is known, everybody is answered who speaks to the assistant."""
    if arrival.group:
        if arrival.chat not in options.groups:
            return "strange group"
        return "answer" if _is_addressed(arrival, options) else "not for us"
    return "answer" if arrival.sender in (*options.owners, *options.members) else "stranger"


def members_of(arrival: Arrival) -> tuple[str, ...]:
    """Return who is in the chat, for the audience of what is said there; empty for a chat with one person.

    A group whose members the platform does not tell has somebody in it whom nobody knows: he was nowhere else, so
    nothing from elsewhere is recalled in front of him.
    """
    if arrival.members:
        return tuple(dict.fromkeys((arrival.sender, *arrival.members)))
    return (arrival.sender, f"?{arrival.chat}") if arrival.group else ()


def _is_addressed(arrival: Arrival, options: ChannelOptions) -> bool:
    said = arrival.text.lstrip()
    named = any(prefix and said.casefold().startswith(prefix.casefold()) for prefix in options.prefixes)
    return arrival.addressed or options.answer == "always" or named
