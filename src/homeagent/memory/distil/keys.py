"""What facts are named and told apart by. Apart from the rules that find them, which take a while to load."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.memory.text.fold import fold_text
from homeagent.memory.turn import OWNER, is_owner

if TYPE_CHECKING:
    from homeagent.memory.compute import ComputeText
    from homeagent.memory.store.records import Moment

__all__ = ["DISTIL_VERSION", "TurnWords", "sender_key", "value_key"]

DISTIL_VERSION: Final = "distil-5"
"""Part of what is queued: raise it when the same words give other facts."""

_EDGES = re.compile(r"^(?:the|an?|my|our|some|his|her)\s+|[\s\"'“”「」.,。，!！]+$|^[\s\"'“”「」]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TurnWords:
    """Where and when the words of a turn were said, and whose turn it is; ``speaker`` is the sender's id as a label."""

    seq: int
    channel: str
    sender: str
    speaker: ComputeText
    scope: int
    at: Moment | None


def value_key(text: str) -> str:
    """Return a value as values are compared: folded, without articles and quotes around it."""
    folded = " ".join(fold_text(text).split())
    bare = _EDGES.sub("", _EDGES.sub("", folded))
    return bare or folded


def sender_key(channel: str, sender: str) -> str:
    """Return the key of a sender's entity; the owner has one for all the home's own channels."""
    return OWNER if is_owner(channel, sender) else f"{channel}\x1f{sender}"
