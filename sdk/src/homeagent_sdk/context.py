"""What a plugin gets from its host: for as long as it runs, and during one call of a tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:
    import logging
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from homeagent_sdk.recollection import MemoryAccess

__all__ = ["InjectOptions", "Injection", "PluginContext", "ToolContext"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Injection:
    """A message that a plugin puts in, at once or at a time: ``at`` has a zone, or is None for at once.

    Of several that wait the one with the highest ``priority`` comes first. One that ``interrupt``s stops the turn under
    way in its chat; what was said and done in it is kept, and it is gone on with afterwards.
    """

    id: str
    text: str
    channel: str
    chat: str
    no_memory: bool
    at: datetime | None
    interrupt: bool = False
    priority: int = 0


class InjectOptions(TypedDict, total=False):
    """How a message is put in: ``inject("Fire!", interrupt=True)``.

    ``no_memory`` keeps it out of computation. ``interrupt`` stops the turn under way in the chat, unless that one has a
    higher priority, and goes on with it afterwards: nothing that was said or done is lost. Of what waits the highest
    ``priority`` comes first; 0 is that of a person's message.
    """

    no_memory: bool
    interrupt: bool
    priority: int


class PluginContext(Protocol):
    """Handed to ``on_start``, ``on_stop`` and every stage that asks for it: what belongs to the plugin itself."""

    @property
    def plugin(self) -> str:
        """The plugin's name."""
        ...

    @property
    def data_folder(self) -> Path:
        """A private folder that is there and that only this plugin writes to; it survives restarts and updates."""
        ...

    @property
    def log(self) -> logging.Logger:
        """Where the plugin's messages go: the home's log, under the plugin's name."""
        ...

    def settings(self, kind: type[T]) -> T:
        """Return the plugin's settings. ``kind`` is its settings class; raises ``DeclarationError`` for another."""
        ...

    def state(self, kind: type[T]) -> T:
        """Return what ``on_start`` returned. Raises ``DeclarationError`` when that is no ``kind``."""
        ...

    async def inject(
        self,
        text: str,
        *,
        channel: str = "",
        chat: str = "",
        at: datetime | None = None,
        **options: Unpack[InjectOptions],
    ) -> str:
        """Put a message in as if it had come from a channel; return its id. The answer goes to that channel's chat.

        The chat is the present one where none is named. With ``at`` it waits until then, on disk: it survives a
        restart, and what fell due in between comes right after it. ``no_memory=True`` keeps it out of computation,
        ``interrupt=True`` and ``priority=5`` bring it before others (`InjectOptions`). Raises ``ToolError`` when there
        is no chat, or when the turn is private and leaves nothing behind.
        """
        ...

    async def injections(self) -> Sequence[Injection]:
        """Return what this plugin put in and still waits, the earliest first."""
        ...

    async def withdraw(self, injection: str) -> bool:
        """Take a waiting injection of this plugin back; return whether there was one."""
        ...


class ToolContext(PluginContext, Protocol):
    """Handed to a tool whose first parameter is annotated with it; never part of what the model sees.

    Ids are those the channel and the model gave; they are stable within one home. What has to wait is ``async``, so a
    tool that asks, recalls or injects is an ``async def``. The rest is safe to use from a tool's own thread.
    """

    @property
    def call_id(self) -> str:
        """The id of this call within its turn."""
        ...

    @property
    def turn_id(self) -> str:
        """The turn that this call belongs to."""
        ...

    @property
    def channel(self) -> str:
        """The channel the turn came in by, e.g. ``cli``."""
        ...

    @property
    def chat(self) -> str:
        """The chat within the channel."""
        ...

    @property
    def person(self) -> str:
        """Whoever wrote the message that started the turn, as the channel names them."""
        ...

    @property
    def private(self) -> bool:
        """Whether the turn is incognito: a tool then keeps nothing of it either."""
        ...

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more; a tool that works long in its own thread looks at it."""
        ...

    @property
    def memory(self) -> MemoryAccess:
        """The memory, as the people present may see it."""
        ...

    async def ask(self, question: str) -> bool:
        """Ask the person for consent; False when they say no, can't be asked, or don't answer in time."""
        ...

    def progress(self, text: str) -> None:
        """Show one line about how far the work is; a later line takes its place."""
        ...
