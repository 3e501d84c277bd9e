"""What every model can do, real or not: stream one reply to one request."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol

from homeagent.models.errors import BrokenReplyError
from homeagent.models.messages import Reply

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from homeagent.models.messages import ModelEvent, ModelRequest

__all__ = ["Model", "complete"]


class Model(Protocol):
    """A language model. Several streams may run at once; one that is closed early leaves the model usable."""

    @property
    def name(self) -> str:
        """What to call it in a status line."""
        ...

    @property
    def window_tokens(self) -> int:
        """How many tokens prompt and reply may have together."""
        ...

    @property
    def takes(self) -> frozenset[str]:
        """Media types of attachments it is given (``image/png``, ``image/*``); others are named to it in the text."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the reply as it comes, and last, once, the whole `Reply`. Raises `ModelError`.

        Close what is returned when you stop before its end (``contextlib.aclosing``): that ends the request.
        """
        ...

    async def close(self) -> None:
        """Let go of connections. The model can be used again, which opens new ones."""
        ...


async def complete(model: Model, request: ModelRequest) -> Reply:
    """Return the whole reply at once. Raises `ModelError`."""
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, Reply):
                return event
    raise BrokenReplyError(model.name, "the stream ended without a reply", "This is a mistake in that model's code")
