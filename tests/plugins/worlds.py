"""A small host to run plugins in: nothing of a home but a folder."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING

from homeagent.plugins import CallSeat, Host, InProcess, Registry
from homeagent_sdk import Injection, Plugin, TurnInfo
from homeagent_sdk.testing import FakeMemory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

TURN = TurnInfo("t1", "cli", "main", "owner")
PRIVATE = TurnInfo("", "cli", "main", "owner", private=True)


class FakeInjector:
    """Keeps what is put in."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Injection]] = []

    async def add(self, injection: Injection, plugin: str) -> None:
        self.taken.append((plugin, injection))

    async def waiting(self, plugin: str) -> Sequence[Injection]:
        return [each for of, each in self.taken if of == plugin]

    async def withdraw(self, injection: str, plugin: str) -> bool:
        before = len(self.taken)
        self.taken = [(of, each) for of, each in self.taken if (of, each.id) != (plugin, injection)]
        return len(self.taken) < before


class World:
    """A registry with plugins of this process."""

    def __init__(self, folder: Path, *plugins: Plugin, **settings: dict[str, object]) -> None:
        self.injector = FakeInjector()
        self.host = Host(folder, self.injector)
        self.registry = Registry()
        for plugin in plugins:
            self.registry.register(InProcess(plugin, self.host, settings.get(plugin.name)))
        self.progress: list[str] = []

    def seat(self, turn: TurnInfo = TURN) -> CallSeat:
        async def ask(question: str) -> bool:
            return question == "yes?"

        return CallSeat(turn, FakeMemory(), ask, self.progress.append)


def in_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run an async test in an event loop of its own, for 30 seconds at most."""

    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), 30))

    return run
