"""The terminals of the home: who may see which, and when they are closed."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.builtin.terminal.session import Launch, Session, Size
from homeagent.builtin.terminal.settings import TerminalSettings
from homeagent_sdk import PluginContext, ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Chat", "Sessions", "start", "stop"]

_REMEMBERED = 100


@dataclass(frozen=True, slots=True)
class Chat:
    """Where a terminal was opened; nobody elsewhere can see or use it."""

    channel: str
    chat: str


class Sessions:
    """Terminals by id. One that is not used for long is closed."""

    def __init__(self, settings: TerminalSettings) -> None:
        self._settings = settings
        self._sessions: dict[str, tuple[Chat, Session]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._gone: dict[str, str] = {}
        self._number = 0

    def check_room(self) -> None:
        """Raise ``ToolError`` when there are as many terminals as there may be."""
        running = [name for name, (_, session) in self._sessions.items() if session.running]
        if len(running) >= self._settings.sessions:
            reason = f"there are {len(running)} terminals already, and no more are allowed"
            raise ToolError("", reason, "Close one with terminal_close; terminal_list shows yours")

    def create(self, chat: Chat, launch: Launch, size: Size) -> tuple[str, Session]:
        """Open a terminal. Raises ``ToolError`` when there are too many, and ``OSError``."""
        self.check_room()
        session = Session(launch, size, self._settings.buffer_bytes)
        self._number += 1
        name = f"t{self._number}"
        self._sessions[name] = (chat, session)
        self._watch(name, self._settings.idle_seconds)
        return name, session

    def get(self, chat: Chat, name: str) -> Session:
        """Return a terminal of this chat. Raises ``ToolError`` when there is none of that name."""
        where, session = self._sessions.get(name, (None, None))
        if session is None or where != chat:
            known = ", ".join(self.of(chat))
            reason = self._gone.get(name, "there is no such terminal in this chat")
            raise ToolError("terminal", reason, f"There are {known}" if known else "Open one with terminal_create")
        session.used_at = time.monotonic()
        return session

    def of(self, chat: Chat) -> Mapping[str, Session]:
        """Return the terminals of a chat."""
        return {name: session for name, (where, session) in self._sessions.items() if where == chat}

    async def close(self, name: str, why: str = "it was closed") -> None:
        """Close a terminal and end everything in it."""
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
        found = self._sessions.pop(name, None)
        if found is not None:
            self._gone[name] = why
            while len(self._gone) > _REMEMBERED:
                del self._gone[next(iter(self._gone))]
            await found[1].close()

    async def close_all(self) -> None:
        """Close every terminal."""
        async with asyncio.TaskGroup() as tasks:
            for name in list(self._sessions):
                tasks.create_task(self.close(name, "the plugin was stopped"))
        if self._closing:
            await asyncio.wait(self._closing)

    def _watch(self, name: str, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._timers[name] = loop.call_later(seconds, self._close_if_idle, name)

    def _close_if_idle(self, name: str) -> None:
        idle = self._settings.idle_seconds
        left = self._sessions[name][1].used_at + idle - time.monotonic()
        if left > 0:
            self._watch(name, left)
            return
        task = asyncio.ensure_future(self.close(name, f"it was closed after {idle:g} seconds without use"))
        self._closing.add(task)  # close_all() waits for it
        task.add_done_callback(self._closing.discard)


async def start(context: PluginContext) -> Sessions:
    """Return the terminals of a home that starts: none."""
    return Sessions(context.settings(TerminalSettings))


async def stop(context: PluginContext) -> None:
    """Close every terminal."""
    await context.state(Sessions).close_all()
