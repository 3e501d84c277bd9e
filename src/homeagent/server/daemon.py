"""Everything that runs while the server does: the app, who may speak to it, and the work that nobody asks for."""

from __future__ import annotations

import asyncio
import importlib
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Self

from homeagent.errors import HomeAgentError
from homeagent.memory import OWNER, Place
from homeagent.memory.upkeep.chores import do_chores
from homeagent.server.access import CHANNEL, WrongTokens
from homeagent.server.desk import Desk
from homeagent.server.hub import Hub
from homeagent.server.page.entrances import Entrances
from homeagent.server.sessions import Sessions
from homeagent.server.talks import Talks
from homeagent.server.tokens import Tokens
from homeagent.server.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import TracebackType

    from homeagent.agent import Ui
    from homeagent.app import App, FollowedSettings
    from homeagent.server.access import Asker
    from homeagent.server.mcp_serving import McpOverHttp
    from homeagent.server.options import ServeOptions
    from homeagent_sdk import Injection

__all__ = ["Daemon"]

_LOOK_SECONDS: Final = 1.0
_FIRST_CHORES_SECONDS: Final = 5.0
_CHORES_SECONDS: Final = 60.0
_LEAVE_SECONDS: Final = 8.0
_log = logging.getLogger("homeagent.server")


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


class Daemon:
    """One home that is served. Use it with ``async with``, inside that of the app."""

    def __init__(
        self, app: App, settings: FollowedSettings, options: ServeOptions, clock: Callable[[], datetime] = _now
    ) -> None:
        root = settings.home.root
        self.app = app
        self.settings = settings
        self.options = options
        self.clock = clock
        self.tokens = Tokens(root)
        self.sessions = Sessions(root)
        self.wrong_tokens = WrongTokens(options.limits.wrong_tokens)
        self.entrances = Entrances()
        self.hub = Hub()
        self.usage = Usage(root, clock)
        self.desk = Desk(app.hub, self.hub, self.usage.add)
        self.talks = Talks(self)
        self.ready = False
        self.problems: dict[str, str] = {}
        self._reading = asyncio.Lock()
        self._loading = asyncio.Lock()
        self._mcp: McpOverHttp | None = None
        self._known: set[str] = {OWNER}
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        work = (self._follow_settings(), self._do_chores(), self._answer_injections(), self._tell_progress())
        self._tasks = [asyncio.create_task(each) for each in work]
        self.ready = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.usage.save()

    async def stop(self) -> None:
        """Begin nothing new, end what listens, and let the turns under way end; harmless twice."""
        self.ready = False
        self.hub.close()
        if self._mcp is not None:
            await self._mcp.close()
        await self.desk.close(_LEAVE_SECONDS)

    def holds(self, asker: Asker) -> bool:
        """Whether somebody who asked may go on: the token holds still, and the session was not signed out."""
        signed_out = asker.cookie and self.sessions.token(asker.cookie) is None
        return not signed_out and self.tokens.holds(asker.token) is not None

    async def know(self, person: str) -> None:
        """Say in the log, once, that a member's name in this channel is the person of that name."""
        if person in self._known:
            return
        people = self.app.memory.people
        if not await asyncio.to_thread(people.linked, CHANNEL, person):
            await asyncio.to_thread(people.link, CHANNEL, person, person)
        self._known.add(person)

    async def follow_settings(self) -> None:
        """Go by the settings as they are now, if they were written since. Raises `ConfigError` or `PluginError`."""
        async with self._reading:
            if await self.settings.follow(self.app):
                self.problems.pop("settings", None)
                _log.info("the settings were read anew; the model is %s", self.app.model.name)
                self.hub.publish("settings", {"model": self.app.model.name})

    async def mcp(self) -> McpOverHttp:
        """Return the MCP server, which is loaded when somebody speaks to it first."""
        async with self._loading:
            if self._mcp is None:
                # Beside the loop: it takes most of a second, and others are talking.
                await asyncio.to_thread(importlib.import_module, "homeagent.server.mcp_serving")
                from homeagent.server.mcp_serving import McpOverHttp

                self._mcp = McpOverHttp(self)
            return self._mcp

    # -- what nobody asks for ------------------------------------------------------------------------------------

    async def _follow_settings(self) -> None:
        await self._again("settings", self.follow_settings, _LOOK_SECONDS, 0.0)

    async def _tell_progress(self) -> None:
        told: dict[str, int] = {}

        async def look() -> None:
            nonlocal told
            pending = await asyncio.to_thread(self.app.memory.pending)
            if pending != told:
                told = pending
                self.hub.publish("pending", {"pending": dict(pending)})

        await self._again("progress", look, _LOOK_SECONDS, _LOOK_SECONDS)

    async def _do_chores(self) -> None:
        async def work() -> None:
            await self.usage.save()
            if self.app.agent.is_busy():
                return  # the next time will do
            memory = self.app.memory
            await asyncio.to_thread(memory.forgetting.finish_if_possible)
            await asyncio.to_thread(do_chores, memory)
            self.problems.pop("chores", None)
            memory.background.wake()

        await self._again("chores", work, _CHORES_SECONDS, _FIRST_CHORES_SECONDS)

    async def _again(
        self, name: str, work: Callable[[], Coroutine[object, object, None]], seconds: float, first: float
    ) -> None:
        """Do something again and again; what keeps it from that is said once and tried again."""
        await asyncio.sleep(first)
        while True:
            try:
                await work()
            except HomeAgentError as error:
                if self.problems.get(name) != str(error):
                    _log.warning("%s: %s", name, error)
                    self.hub.publish("problem", {"about": name, "text": str(error)})
                self.problems[name] = str(error)
            await asyncio.sleep(seconds)

    async def _answer_injections(self) -> None:
        """Run the channels, and answer what plugins put in; where another process does, only the latter."""
        try:
            await self.app.hub.run(self._ui_for)
        except HomeAgentError as error:
            _log.warning("channels: %s", error)
            self.problems["channels"] = str(error)
            await self.app.answer_injections(self._ui_for)

    def _ui_for(self, injection: Injection) -> Ui:
        place = Place(injection.channel, injection.chat)
        person = self.person_of(place)
        view = self.desk.view(place, person, {OWNER, person} if place.channel != CHANNEL else {person})
        view.tell("injection", {"text": injection.text})
        return view

    def person_of(self, place: Place) -> str:
        """Return whose chat a place is, as tokens name people; in other channels it is the owner who may know of it."""
        return place.chat.partition("/")[0] if place.channel == CHANNEL else OWNER
