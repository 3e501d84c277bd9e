"""A home with one of the plugins put into it as a person would, and an agent whose model follows a script.

The plugin runs in a process and an environment of its own, confined to its permissions, and its cleaners in another.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypedDict, Unpack

from dev.plugin_tests.environments import PLUGINS, environment_of
from homeagent.agent import Incoming
from homeagent.app import App, AppParts, tried_plugin
from homeagent.memory import OWNER, Place, Viewer
from homeagent.memory.embed import NoEmbedder
from homeagent.models import ScriptedModel, ToolCall
from homeagent.plugins import Consents, asked_of, describe, find_source, put_in, wanted_of
from homeagent.plugins.shelf import FOLDER

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
    from pathlib import Path

    from homeagent.agent import Event
    from homeagent.config import ChannelOptions
    from homeagent.memory import Hit
    from homeagent.models import Step

__all__ = ["WholeRun", "call", "stand_in", "whole_run"]

_HERE = Place("cli", "main")
_START = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)


class _Ui:
    """Agrees to what it is asked, or does not, and keeps the questions."""

    def __init__(self, *, consent: bool) -> None:
        self.questions: list[str] = []
        self.consent = consent

    def show(self, event: Event) -> None:
        """Show nothing."""

    async def ask(self, question: str) -> bool:
        """Keep the question."""
        self.questions.append(question)
        return self.consent


class WholeRun:
    """What a test sees of the home: ``app``, the ``model`` with its requests, the ``questions`` that were asked."""

    def __init__(self, app: App, model: ScriptedModel, *, consent: bool) -> None:
        self.app = app
        self.model = model
        self._ui = _Ui(consent=consent)

    @property
    def questions(self) -> list[str]:
        """What the person was asked for consent."""
        return self._ui.questions

    async def say(self, text: str) -> str:
        """Say something to the agent and return what it answers at last."""
        return await self.app.agent.respond(Incoming(text, _HERE), self._ui)

    def found(self, question: str) -> list[Hit]:
        """Return what recall finds, as the owner of the home."""
        return list(self.app.memory.recall(question, viewer=Viewer(OWNER, _HERE)).hits)

    def computed(self) -> str:
        """Return all compute text of the home."""
        return "\n".join(row.text.text for row in self.app.memory.all_computed())

    def outputs(self) -> list[str]:
        """Return the raw text of every tool's output, oldest first."""
        memory = self.app.memory
        rows = (row for turn in memory.turns() for row in memory.segments(turn))
        return [row.segment.text for row in rows if row.segment.role == "tool"]


def call(tool: str, number: int = 1, /, **arguments: object) -> ToolCall:
    """Return a model's call of a tool."""
    return ToolCall(f"c{number}", tool, json.dumps(arguments, ensure_ascii=False))


_SERVE = "import {0}, sys\nwith {0}.{1} as address:\n    print(address, flush=True)\n    sys.stdin.read()"


@contextlib.contextmanager
def stand_in(folder: str, module: str = "stand_in", serving: str = "serving()") -> Iterator[str]:
    """Run a stand-in of the tests of ``plugins/FOLDER`` in the plugin's environment and yield what it says.

    ``serving`` is a context manager of the module that yields its address.
    """
    environment = environment_of(PLUGINS / folder)
    command = [str(environment.python), "-c", _SERVE.format(module, serving)]
    with subprocess.Popen(
        command, cwd=PLUGINS / folder / "tests", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            address = process.stdout.readline().strip() if process.stdout else ""
            if not address:
                raise ChildProcessError(f"{folder}/tests/{module}.py did not say where it serves")
            yield address
        finally:
            process.kill()


class OwnersWords(TypedDict, total=False):
    """What the owner of the home says of the plugin, each with a default."""

    settings: Mapping[str, object] | None
    """The plugin's settings."""
    permissions: Sequence[str] | None
    """Take the place of those of its manifest, where a stand-in on this machine takes that of the real service."""
    channels: Mapping[str, ChannelOptions]
    """Who is answered in which channel."""
    consent: bool
    """What the person answers to every question."""


@contextlib.asynccontextmanager
async def whole_run(
    home: Path,
    folder: str,
    script: Sequence[Step],
    **owner: Unpack[OwnersWords],
) -> AsyncIterator[WholeRun]:
    """Run an agent on a new home in ``home`` with the plugin of ``plugins/FOLDER`` in it, for as long as it is entered.

    ``script`` is what the model says.
    """
    settings, permissions = owner.get("settings"), owner.get("permissions")
    environment = environment_of(PLUGINS / folder)
    name = environment.told.name
    code = put_in(home, environment.source, environment.told)
    if permissions is not None:
        _permit(code / "homeagent.toml", permissions)
    (home / FOLDER / name / "environment").symlink_to(environment.folder)
    source = find_source(code)
    told = describe(source)
    manifest = await asyncio.to_thread(tried_plugin, home, source, told)
    Consents(home).give(name, asked_of(told, wanted_of(manifest)))
    model = ScriptedModel(script)
    moments = iter(_START + timedelta(minutes=minute) for minute in range(1_000_000))
    parts = AppParts(
        model,
        [],
        {name: settings} if settings else {},
        embedder=NoEmbedder(),
        clock=lambda: next(moments),
        channels=owner.get("channels") or {},
    )
    async with App.open(home, parts) as app:
        yield WholeRun(app, model, consent=owner.get("consent", False))


def _permit(manifest: Path, permissions: Sequence[str]) -> None:
    text = manifest.read_text("utf-8")
    line = f"permissions = {json.dumps(list(permissions))}"
    changed, count = re.subn(r"(?ms)^permissions = \[.*?\]$", lambda _: line, text)
    if count != 1:
        raise ValueError(f"{manifest} has no line 'permissions = [...]'")
    manifest.write_text(changed, "utf-8")
