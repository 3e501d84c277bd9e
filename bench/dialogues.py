"""A set of conversations with the pools that stand in front of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.turns import conversation_turns, pool_turns, said_by

if TYPE_CHECKING:
    from bench.data import Sets, Unit
    from homeagent.memory import Turn

__all__ = ["Dialogues"]


class Dialogues:
    """The conversations of a set and the pools they stand behind."""

    def __init__(self, sets: Sets, name: str) -> None:
        self.name = name
        self.conversations = sets.read(name)
        haystacks = dict.fromkeys(each.haystack for each in self.conversations if each.haystack)
        self.pools: dict[str, list[Unit]] = {haystack: sets.read_pool(haystack) for haystack in haystacks}

    def turns(self) -> list[Turn]:
        """Return every turn, the pools first."""
        turns = [
            turn
            for name, units in self.pools.items()
            for turn in pool_turns(name, units, [each for each in self.conversations if each.haystack == name])
        ]
        for conversation in self.conversations:
            turns.extend(conversation_turns(conversation))
        return turns

    def has_assistant(self) -> bool:
        """Whether an assistant speaks in the conversations."""
        speakers = {name for each in self.conversations for name in each.speakers}
        return any(said_by(name, "").role == "assistant" for name in speakers)
