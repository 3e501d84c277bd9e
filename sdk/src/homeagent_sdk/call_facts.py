"""What both ends know of a call in the same way: which one it is, whose turn it belongs to, whether anybody waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from homeagent_sdk.errors import DeclarationError

if TYPE_CHECKING:
    import threading

    from homeagent_sdk.stage_data import TurnInfo

__all__ = ["CallFacts", "own_value"]

T = TypeVar("T")


class CallFacts:
    """The part of a ``ToolContext`` that asks nobody; the contexts in the core and in a plugin's process have it."""

    def __init__(self, call_id: str, turn: TurnInfo, cancelled: threading.Event) -> None:
        self._call_id = call_id
        self._turn = turn
        self._cancelled = cancelled

    @property
    def call_id(self) -> str:
        """The id of this call within its turn."""
        return self._call_id

    @property
    def turn_id(self) -> str:
        """The turn that this call belongs to."""
        return self._turn.turn_id

    @property
    def channel(self) -> str:
        """The channel the turn came in by."""
        return self._turn.channel

    @property
    def chat(self) -> str:
        """The chat within the channel."""
        return self._turn.chat

    @property
    def person(self) -> str:
        """Whoever wrote the message that started the turn."""
        return self._turn.person

    @property
    def private(self) -> bool:
        """Whether the turn is incognito."""
        return self._turn.private

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more."""
        return self._cancelled.is_set()


def own_value(value: object, kind: type[T], where: str) -> T:
    """Return a plugin's settings or state as the class it asks for. Raises ``DeclarationError`` for another."""
    if not isinstance(value, kind):
        raise DeclarationError(where, f"it has no {kind.__name__}", "Ask for the class that the plugin declares")
    return value
