"""What a tool may ask about the call it is running in."""

from __future__ import annotations

from typing import Protocol

__all__ = ["ToolContext"]


class ToolContext(Protocol):
    """Handed to a tool whose first parameter is annotated with it; never part of what the model sees.

    Ids are those the channel and the model gave; they are stable within one home.
    """

    @property
    def call_id(self) -> str:
        """The id of this call within its turn."""

    @property
    def turn_id(self) -> str:
        """The turn that this call belongs to."""

    @property
    def channel(self) -> str:
        """The channel the turn came in by, e.g. ``cli``."""

    @property
    def chat(self) -> str:
        """The chat within the channel."""

    @property
    def person(self) -> str:
        """Whoever wrote the message that started the turn, as the channel names them."""
