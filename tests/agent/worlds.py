"""A home with an agent in it: a scripted model, small tools with the policies of the real ones, no vectors."""

from __future__ import annotations

import asyncio
import functools
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Self

from homeagent.agent import AgentSettings, Incoming
from homeagent.app import App, AppParts
from homeagent.memory import OWNER, Place, Viewer
from homeagent.memory.embed import NoEmbedder
from homeagent.models import ScriptedModel, ToolCall
from homeagent_sdk import Plugin, tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from homeagent.agent import Event
    from homeagent.memory import Hit, Segment
    from homeagent.models import Model, ModelRequest
    from homeagent_sdk import StageHandler

HERE = Place("cli", "main")
START = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)


@tool(no_memory=True)
async def cmd_run(command: str) -> str:
    """Run a shell command."""
    process = await asyncio.create_subprocess_shell(command, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    return output.decode()


@tool(cleaner="json(content) | head(32000)")
def files_read(path: str) -> str:
    """Read a file or list a folder."""
    content = {"/srv/app": "main.py\nutils.py\ndeploy.py\n"}.get(path, "nothing")
    return json.dumps({"ok": True, "path": path, "etag": "zqetag4410", "encoding": "utf-8", "content": content})


class Ui:
    """Keeps what it is shown."""

    def __init__(self, *, consent: bool = False) -> None:
        self.events: list[Event] = []
        self.questions: list[str] = []
        self.consent = consent

    def show(self, event: Event) -> None:
        self.events.append(event)

    async def ask(self, question: str) -> bool:
        self.questions.append(question)
        return self.consent

    def of(self, kind: type) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


class World:
    """An app on a home, with a clock that moves a minute with each look at it."""

    def __init__(self, home: Path, model: Model | Sequence[object], *tools: object, **parts: object) -> None:
        self.home = home
        self.model = model if hasattr(model, "stream") else ScriptedModel(model)  # type: ignore[arg-type]
        self.now = START
        plugins = [Plugin("tools", "1.0.0", tools=tools or [cmd_run, files_read])]  # type: ignore[arg-type]
        stages: Sequence[StageHandler] = parts.pop("stages", ())  # type: ignore[assignment]
        plugins += [Plugin("guard", "1.0.0", stages=stages)] if stages else []
        plugins += parts.pop("plugins", [])  # type: ignore[operator]
        settings = AgentSettings(**parts)  # type: ignore[arg-type]
        self.app = App.open(
            home, AppParts(self.model, plugins, agent=settings, embedder=NoEmbedder(), clock=self._clock)
        )
        self.ui = Ui()

    def _clock(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now

    async def __aenter__(self) -> Self:
        await self.app.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.app.__aexit__(*error)  # type: ignore[arg-type]

    async def say(self, text: str, **incoming: object) -> str:
        self.ui = Ui(consent=self.ui.consent)
        return await self.app.agent.respond(Incoming(text, incoming.pop("place", HERE), **incoming), self.ui)  # type: ignore[arg-type]

    def raw(self) -> list[list[Segment]]:
        memory = self.app.memory
        return [[row.segment for row in memory.segments(turn)] for turn in memory.turns()]

    def statuses(self) -> list[str]:
        return [turn.status for turn in self.app.memory.turns()]

    def hits(self, question: str) -> list[Hit]:
        return list(self.app.memory.recall(question, viewer=Viewer(OWNER, HERE)).hits)

    def computed(self) -> str:
        return "\n".join(row.text.text for row in self.app.memory.all_computed())

    @property
    def requests(self) -> list[ModelRequest]:
        return self.model.requests  # type: ignore[union-attr]


def call(name: str, number: int = 1, /, **arguments: object) -> ToolCall:
    return ToolCall(f"c{number}", name, json.dumps(arguments, ensure_ascii=False))


def in_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run an async test in an event loop of its own, for a minute at most."""

    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), 60))

    return run
