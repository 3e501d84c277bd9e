"""Messages that plugins put in: at once, or at a time. Those that wait are in a file and survive a restart."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from homeagent.errors import HomeError
from homeagent.memory.lease import Lease
from homeagent_sdk import Injection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Inbox"]

_LONGEST_SLEEP = 5.0


Ours = Callable[[Injection], bool | None]
"""Whether this process takes a message that was put in; None: unless another process does."""


def _if_nobody_else(_injection: Injection) -> None:
    return None


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


@dataclass(frozen=True, slots=True)
class _Waiting:
    plugin: str
    injection: Injection

    def due(self) -> datetime:
        return self.injection.at or datetime.min.replace(tzinfo=UTC)

    def rank(self) -> tuple[int, datetime]:
        return -self.injection.priority, self.due()


class Inbox:
    """What plugins put in and nobody has taken yet. Raises `HomeError` when its file can't be read or written.

    Several processes may put messages in; one at a time takes them out. Taking one is two steps, so that a crash in
    between loses nothing: `next` gives it, `done` lets go of it.
    """

    def __init__(self, path: Path, clock: Callable[[], datetime] = _now) -> None:
        self._path = path
        self._clock = clock
        self._lease = Lease(path.with_suffix(".lock"))
        self._taker = path.with_suffix(".taker")
        self._taker_lock = -1
        self._waiting = _by_id(_read(path))
        self._given: set[str] = set()
        self._changed = asyncio.Event()

    async def add(self, injection: Injection, plugin: str) -> None:
        """Take a message; it is on the disk when this returns."""
        await self._change(lambda waiting: waiting | {injection.id: _Waiting(plugin, injection)})

    async def waiting(self, plugin: str) -> Sequence[Injection]:
        """Return what a plugin put in and still waits, the earliest first."""
        await self._look()
        found = [each for each in self._waiting.values() if each.plugin == plugin]
        return [each.injection for each in sorted(found, key=_Waiting.due)]

    async def withdraw(self, injection: str, plugin: str) -> bool:
        """Take a waiting message back; return whether there was one."""
        await self._look()
        found = self._waiting.get(injection)
        if found is None or found.plugin != plugin or injection in self._given:
            return False
        await self.done(injection)
        return True

    async def next(self, ours: Ours = _if_nobody_else) -> Injection:
        """Return the next message that is due, the highest priority first, waiting for it; once until it is `done`.

        ``ours`` says of a message whether this process takes it: yes, no, or (None) unless another one takes those.
        """
        while True:
            self._changed.clear()  # before looking: what is put in meanwhile is looked at again
            await self._look()
            due = self._due(ours)
            if due is not None:
                self._given.add(due.id)
                return due
            try:
                async with asyncio.timeout(self._sleep()):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def done(self, injection: str) -> None:
        """Let go of a message that was answered."""
        self._given.discard(injection)
        await self._change(lambda waiting: {name: each for name, each in waiting.items() if name != injection})

    def give_again(self, injection: str) -> None:
        """Let `next` give a message once more: it could not be answered."""
        self._given.discard(injection)
        self._changed.set()

    def close(self) -> None:
        """Let another process take what is due."""
        if self._taker_lock >= 0:
            os.close(self._taker_lock)
            self._taker_lock = -1

    def _may_take(self) -> bool:
        if self._taker_lock < 0:
            descriptor = os.open(self._taker, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
            else:
                self._taker_lock = descriptor
        return self._taker_lock >= 0

    def _due(self, ours: Ours) -> Injection | None:
        now = self._clock()
        ready = [each for each in self._waiting.values() if each.injection.id not in self._given and each.due() <= now]
        for each in sorted(ready, key=_Waiting.rank):
            taken = ours(each.injection)
            if self._may_take() if taken is None else taken:
                return each.injection
        return None

    def _sleep(self) -> float:
        # Not longer than a few seconds: other processes put messages in, clocks are set, and machines sleep.
        now = self._clock()
        left = [(each.due() - now).total_seconds() for each in self._waiting.values() if each.due() > now]
        return min((_LONGEST_SLEEP, *(max(0.01, each) for each in left)))

    async def _look(self) -> None:
        self._waiting = _by_id(await asyncio.to_thread(_read, self._path))

    async def _change(self, change: Callable[[dict[str, _Waiting]], dict[str, _Waiting]]) -> None:
        self._waiting = await asyncio.to_thread(self._changed_file, change)
        self._changed.set()

    def _changed_file(self, change: Callable[[dict[str, _Waiting]], dict[str, _Waiting]]) -> dict[str, _Waiting]:
        with self._lease.held() as mine:
            if not mine:
                raise HomeError(str(self._path), "another process does not let go of it", "End that process")
            waiting = change(_by_id(_read(self._path)))
            _write(self._path, json.dumps([_as_json(each) for each in waiting.values()], ensure_ascii=False, indent=1))
            return waiting


def _by_id(found: Sequence[_Waiting]) -> dict[str, _Waiting]:
    return {each.injection.id: each for each in found}


def _as_json(waiting: _Waiting) -> dict[str, object]:
    injection = waiting.injection
    return {
        "id": injection.id,
        "plugin": waiting.plugin,
        "text": injection.text,
        "channel": injection.channel,
        "chat": injection.chat,
        "no_memory": injection.no_memory,
        "at": injection.at.isoformat() if injection.at is not None else None,
        "interrupt": injection.interrupt,
        "priority": injection.priority,
    }


def _read(path: Path) -> list[_Waiting]:
    try:
        listed: object = json.loads(path.read_text("utf-8"))
        return [_of_json(each) for each in listed] if isinstance(listed, list) else []
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HomeError(str(path), f"the waiting messages can't be read ({error})", "Move the file away") from error


def _of_json(item: dict[str, object]) -> _Waiting:
    at = item["at"]
    moment = datetime.fromisoformat(at) if isinstance(at, str) else None
    number, text, channel, chat = (str(item[name]) for name in ("id", "text", "channel", "chat"))
    priority = item.get("priority", 0)
    urgency = (item.get("interrupt") is True, priority if isinstance(priority, int) else 0)
    injection = Injection(number, text, channel, chat, bool(item["no_memory"]), moment, *urgency)
    return _Waiting(str(item["plugin"]), injection)


def _write(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        with open(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        step = "Free some space or mend the permissions"
        raise HomeError(
            str(path), f"the waiting messages can't be written ({error.strerror or error})", step
        ) from error
