"""Messages that plugins put in: at once, or at a time. Those that wait are in a file and survive a restart."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from homeagent.errors import HomeError
from homeagent_sdk import Injection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["Inbox"]

_LONGEST_SLEEP = 60.0


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


@dataclass(frozen=True, slots=True)
class _Waiting:
    plugin: str
    injection: Injection

    def due(self) -> datetime:
        return self.injection.at or datetime.min.replace(tzinfo=UTC)


class Inbox:
    """What plugins put in and nobody has taken yet. Raises `HomeError` when its file can't be read or written.

    Taking one is two steps, so that a crash in between loses nothing: `next` gives it, `done` lets go of it.
    """

    def __init__(self, path: Path, clock: Callable[[], datetime] = _now) -> None:
        self._path = path
        self._clock = clock
        self._waiting = {each.injection.id: each for each in _read(path)}
        self._given: set[str] = set()
        self._changed = asyncio.Event()

    async def add(self, injection: Injection, plugin: str) -> None:
        """Take a message; it is on the disk when this returns."""
        self._waiting[injection.id] = _Waiting(plugin, injection)
        await self._write()

    async def waiting(self, plugin: str) -> Sequence[Injection]:
        """Return what a plugin put in and still waits, the earliest first."""
        found = [each for each in self._waiting.values() if each.plugin == plugin]
        return [each.injection for each in sorted(found, key=_Waiting.due)]

    async def withdraw(self, injection: str, plugin: str) -> bool:
        """Take a waiting message back; return whether there was one."""
        found = self._waiting.get(injection)
        if found is None or found.plugin != plugin or injection in self._given:
            return False
        await self.done(injection)
        return True

    async def next(self) -> Injection:
        """Return the next message that is due, waiting for it; each is given once until it is `done`."""
        while True:
            due = self._due()
            if due is not None:
                self._given.add(due.id)
                return due
            self._changed.clear()
            try:
                async with asyncio.timeout(self._sleep()):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def done(self, injection: str) -> None:
        """Let go of a message that was answered."""
        self._waiting.pop(injection, None)
        self._given.discard(injection)
        await self._write()

    def _due(self) -> Injection | None:
        now = self._clock()
        ready = [each for each in self._waiting.values() if each.injection.id not in self._given and each.due() <= now]
        return min(ready, key=_Waiting.due).injection if ready else None

    def _sleep(self) -> float:
        # At most a minute: clocks are set, and machines sleep.
        times = [each.due() for each in self._waiting.values() if each.injection.id not in self._given]
        left = (min(times) - self._clock()).total_seconds() if times else _LONGEST_SLEEP
        return min(_LONGEST_SLEEP, max(0.01, left))

    async def _write(self) -> None:
        self._changed.set()
        text = json.dumps([_as_json(each) for each in self._waiting.values()], ensure_ascii=False, indent=1)
        await asyncio.to_thread(_write, self._path, text)


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
    names = (str(item[name]) for name in ("id", "text", "channel", "chat"))
    number, text, channel, chat = names
    return _Waiting(str(item["plugin"]), Injection(number, text, channel, chat, bool(item["no_memory"]), moment))


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
