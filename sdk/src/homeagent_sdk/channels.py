"""Channels: how a plugin brings a chat platform. A `Channel` says what it is, a `Connection` speaks with the platform.

The whole of one::

    class Spool(Connection):
        async def listen(self) -> None:
            while True:
                for path in self.context.data_folder.glob("*.in"):
                    await self.context.arrived(Arrival("me", "me", path.read_text(), id=path.name))
                    path.unlink()
                await asyncio.sleep(1)

        async def send(self, message: Outgoing) -> str:
            (self.context.data_folder / f"{message.key}.out").write_text(message.text)
            return message.key

    plugin = Plugin("spool", "1.0.0", channels=[Channel("spool", Spool)])

Who may talk, when to answer in a group, what came twice, how long a reply may be, what is tried again: all of that the
program does, for every channel alike. A connection hands in what came, word for word, and sends what it is given.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from homeagent_sdk.context import PluginContext
from homeagent_sdk.errors import DeclarationError, SdkError
from homeagent_sdk.policy import MemoryPolicy

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from homeagent_sdk.results import Attachment

__all__ = [
    "OWN_CHANNELS",
    "Arrival",
    "Capabilities",
    "Channel",
    "ChannelContext",
    "Connection",
    "Outgoing",
    "RefusedError",
    "check_channel_name",
]

OWN_CHANNELS: Final = frozenset({"api", "check", "cli", "page", "webhook"})
"""Channels of the program itself: whoever is called ``owner`` there may be the owner, so no plugin brings one."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message that came in. Every id is the platform's own, unchanged; ``text`` is verbatim.

    ``chat`` is where to answer (a group and a person never have the same), ``sender`` who wrote it, ``members``
    everybody who can read it there, the bot left out: what may be recalled in front of them depends on it. A group
    whose members are not given gets nothing that was said elsewhere. ``sender_name`` is only shown, nobody is known
    by it. ``group`` says that more than two are there; ``addressed`` that the platform marks it as spoken to the
    bot (a mention, a reply to something it said). ``id`` is the message's own id, unique within its chat: what
    comes twice is answered once. ``reply_to`` is the id of the message it answers. ``at`` has a zone; None is now.
    """

    chat: str
    sender: str
    text: str
    id: str = ""
    members: tuple[str, ...] = ()
    sender_name: str = ""
    group: bool = False
    addressed: bool = False
    attachments: tuple[Attachment, ...] = ()
    reply_to: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send. ``text`` is never longer than the channel's limit.

    ``edits`` is the id of an earlier message that this takes the place of; only where the channel can edit.
    ``reply_to`` is the id of the message it answers, empty for none. ``key`` is the same each time the same message is
    tried again, for platforms that know such keys.
    """

    chat: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    edits: str = ""
    reply_to: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a platform can do. ``length`` is the longest message in characters.

    ``edit``: a message that was sent can be changed. ``typing``: it can show that an answer is on its way.
    ``attachments``: it takes pictures and files; elsewhere their names are sent.
    """

    length: int = 4_000
    edit: bool = False
    typing: bool = False
    attachments: bool = False


class RefusedError(SdkError):
    """Raised by `Connection.send` when the platform will never take a message; whatever else it raises is tried again.

    ``reason`` is for the owner: "the bot is not in this group any more".
    """

    def __init__(self, reason: str) -> None:
        super().__init__("channel", reason, "It is not tried again")
        self.reason = reason


class ChannelContext(PluginContext, Protocol):
    """Handed to a `Connection`: what belongs to its plugin, and the way in."""

    @property
    def channel(self) -> str:
        """The channel's name."""
        ...

    async def arrived(self, arrival: Arrival) -> bool:
        """Hand a message in; return whether it will be answered.

        When this returns the message is on the disk or done with, so that the platform can be told that it was taken.
        False means that it was there before, that its sender is not to be answered, or that it is not for the bot.
        """
        ...


class Connection:
    """One connection to a platform, made from the `Channel`'s ``connect``. Only `send` has to be written.

    ``self.context`` has the plugin's settings, state, folder and log.
    """

    def __init__(self, context: ChannelContext) -> None:
        self.context = context

    async def listen(self) -> None:
        """Connect and hand in what comes, until cancelled. Called once for each connection.

        Close in a ``finally``; there are about 4 seconds for it. When this raises or returns, the connection is made
        anew after 1, 2, 4... 60 seconds. By default it waits, for platforms that are called and never call.
        """
        await asyncio.Event().wait()

    async def send(self, message: Outgoing) -> str:
        """Send or edit a message; return the platform's id of it, or an empty text where there is none.

        Raise `RefusedError` for what will never work. Anything else is tried again with growing pauses, in order, also
        after a restart: raise e.g. ``ConnectionError`` while there is no connection.
        """
        raise NotImplementedError

    async def typing(self, chat: str) -> None:
        """Show that an answer is being made. Called every few seconds meanwhile, where the channel can show that."""


@dataclass(frozen=True)
class Channel:
    """A channel that a plugin brings: ``Plugin(..., channels=[Channel("irc", Irc)])``.

    ``connect`` makes a `Connection` from a `ChannelContext`, usually its class. ``input`` is what of people's messages
    is computed, ``output`` what of the answers: boilerplate of the platform (marks of mentions, "sent from my phone")
    is taken out by a cleaner here. What was said is kept as it came, whatever the policy. Raises ``DeclarationError``.
    """

    name: str
    connect: Callable[[ChannelContext], Connection]
    can: Capabilities = field(default_factory=Capabilities)
    input: MemoryPolicy = field(default_factory=MemoryPolicy)
    output: MemoryPolicy = field(default_factory=MemoryPolicy)

    def __post_init__(self) -> None:
        where = f"channel {self.name!r}"
        check_channel_name(self.name, where)
        kinds = {"can": Capabilities, "input": MemoryPolicy, "output": MemoryPolicy}
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind):
                raise DeclarationError(f"{where}, {name}", f"it is no {kind.__name__}", f"Write {kind.__name__}(...)")
        if self.can.length < 1:
            raise DeclarationError(f"{where}, can", f"length is {self.can.length}", "Give the longest message, >= 1")
        if not callable(self.connect):
            raise DeclarationError(f"{where}, connect", "it can't be called", "Give your class derived from Connection")
        if isinstance(self.connect, type):
            _check_connection(self.connect, where)


def check_channel_name(name: str, where: str) -> None:
    """Raise ``DeclarationError`` for a name that no plugin's channel may have."""
    if not _NAME.fullmatch(name):
        fix = "Use small letters, digits, _ and -, the first one a letter, 40 at most"
        raise DeclarationError(where, "this can't be its name", fix)
    if name in OWN_CHANNELS:
        raise DeclarationError(where, "this is a channel of the program itself", "Choose another name")


def _check_connection(kind: type, where: str) -> None:
    if not issubclass(kind, Connection):
        raise DeclarationError(f"{where}, connect", f"{kind.__name__} is no Connection", "Derive it from Connection")
    for name in ("listen", "send", "typing"):
        if not inspect.iscoroutinefunction(getattr(kind, name)):
            raise DeclarationError(f"{where}, {kind.__name__}.{name}", "it is not async", f"Write async def {name}")
    if kind.send is Connection.send:
        fix = "Write async def send(self, message: Outgoing) -> str"
        raise DeclarationError(f"{where}, {kind.__name__}", "it can't send", fix)
