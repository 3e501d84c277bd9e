"""Small real stand-ins for testing a plugin: no home, no model, no network.

``run_tool(my_tool, city="Berlin")`` runs one tool as the home would; `FakeHost` runs a whole plugin and remembers what
it asked, said and put in; `check_cleaner` tries a cleaner on sample outputs.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

from homeagent_sdk.calling import call_function, call_tool
from homeagent_sdk.context import Injection
from homeagent_sdk.convert import convert_arguments
from homeagent_sdk.errors import ArgumentsError, DeclarationError, Problem, ToolError
from homeagent_sdk.fake_memory import FakeDocuments, FakeFacts, FakeMemory
from homeagent_sdk.plugin import Plugin
from homeagent_sdk.results import error_result
from homeagent_sdk.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType

    from homeagent_sdk.channels import Arrival, Connection
    from homeagent_sdk.context import InjectOptions
    from homeagent_sdk.pipeline import Cleaner
    from homeagent_sdk.results import ToolResult
    from homeagent_sdk.tools import AnyTool

__all__ = ["FakeContext", "FakeDocuments", "FakeFacts", "FakeHost", "FakeMemory", "check_cleaner", "run_tool"]

T = TypeVar("T")

_SLOW_SECONDS = 1.0


class FakeHost:
    """Starts a plugin, runs its tools, stops it. Use it with ``async with``, or call a tool right away.

    ``questions``, ``progress``, ``injected``, ``arrivals`` and ``memory.notes`` are what the plugin did; ``put_in``
    counts the injections, those taken back too; ``consent`` is what the person answers. ``data_folder`` is a temporary
    folder unless one is given. `connect` gives a connection of one of its channels.
    """

    def __init__(
        self,
        plugin: Plugin,
        *,
        settings: Mapping[str, object] | None = None,
        consent: bool = False,
        memory: FakeMemory | None = None,
        data_folder: Path | None = None,
    ) -> None:
        self.plugin = plugin
        self.consent = consent
        self.memory = memory or FakeMemory()
        self.questions: list[str] = []
        self.progress: list[str] = []
        self.injected: list[Injection] = []
        self.put_in = 0
        self.arrivals: list[Arrival] = []
        self.state: object = None
        where = f"settings of {plugin.name}"
        self.settings = read_settings(plugin.settings, settings or {}, where) if plugin.settings else None
        self._temporary = data_folder is None
        self.data_folder = data_folder or Path(tempfile.mkdtemp(prefix=f"{plugin.name}-"))

    async def __aenter__(self) -> Self:
        start = self.plugin.on_start
        if start is not None:
            context = FakeContext(self)
            self.state = await call_function(lambda: start(context), is_async=inspect.iscoroutinefunction(start))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop = self.plugin.on_stop
        if stop is not None:
            context = FakeContext(self)
            await call_function(lambda: stop(context), is_async=inspect.iscoroutinefunction(stop))
        if self._temporary:
            shutil.rmtree(self.data_folder, ignore_errors=True)

    def connect(self, channel: str) -> Connection:
        """Return a connection of a channel: listen with it, send through it. What arrives is in ``arrivals``."""
        found = next((each for each in self.plugin.channels if each.name == channel), None)
        if found is None:
            names = ", ".join(each.name for each in self.plugin.channels)
            raise DeclarationError(
                f"plugin {self.plugin.name!r}", f"it has no channel {channel!r}", f"There are {names}"
            )
        return found.connect(FakeContext(self, channel))

    async def call(self, tool: str, /, **arguments: object) -> ToolResult:
        """Call a tool with JSON values, as a model does; what it refuses comes back as an error result."""
        found = next((each for each in self.plugin.tools if each.name == tool), None)
        if found is None:
            names = ", ".join(each.name for each in self.plugin.tools)
            raise DeclarationError(f"plugin {self.plugin.name!r}", f"it has no tool {tool!r}", f"There are {names}")
        try:
            given = convert_arguments(found, arguments)
            return await call_tool(found, FakeContext(self), given)
        except ArgumentsError as error:
            return error_result(error.problems)
        except ToolError as error:
            return error_result([Problem(error.field, error.reason, error.hint)])


class FakeContext:
    """The ``ToolContext``, or the ``ChannelContext`` of ``channel``, of a `FakeHost`."""

    call_id = "call-1"
    turn_id = "turn-1"
    chat = "main"
    person = "owner"
    private = False
    cancelled = False

    def __init__(self, host: FakeHost, channel: str = "test") -> None:
        self._host = host
        self.channel = channel
        self.plugin = host.plugin.name
        self.memory = host.memory
        self.data_folder = host.data_folder
        self.log = logging.getLogger(f"homeagent.plugin.{host.plugin.name}")

    def settings(self, kind: type[T]) -> T:
        """Return the plugin's settings."""
        return _as_kind(self._host.settings, kind, "settings")

    def state(self, kind: type[T]) -> T:
        """Return what ``on_start`` returned."""
        return _as_kind(self._host.state, kind, "state")

    async def ask(self, question: str) -> bool:
        """Remember the question; answer what the host's ``consent`` says."""
        self._host.questions.append(question)
        return self._host.consent

    def progress(self, text: str) -> None:
        """Remember the line."""
        self._host.progress.append(text)

    async def arrived(self, arrival: Arrival) -> bool:
        """Remember the message; one whose id came before in its chat is there already."""
        known = {(each.chat, each.id) for each in self._host.arrivals if each.id}
        if (arrival.chat, arrival.id) in known:
            return False
        self._host.arrivals.append(arrival)
        return True

    async def inject(
        self,
        text: str,
        *,
        channel: str = "",
        chat: str = "",
        at: datetime | None = None,
        **options: Unpack[InjectOptions],
    ) -> str:
        """Remember the message; it goes nowhere."""
        self._host.put_in += 1
        number = f"injection-{self._host.put_in}"
        place = (channel or self.channel, chat or self.chat)
        how = (options.get("interrupt", False), options.get("priority", 0))
        self._host.injected.append(Injection(number, text, *place, options.get("no_memory", False), at, *how))
        return number

    async def injections(self) -> Sequence[Injection]:
        """Return the messages that have a time."""
        return sorted((each for each in self._host.injected if each.at), key=lambda each: str(each.at))

    async def withdraw(self, injection: str) -> bool:
        """Take a message back."""
        kept = [each for each in self._host.injected if each.id != injection]
        found = len(kept) < len(self._host.injected)
        self._host.injected[:] = kept
        return found


def _as_kind(value: object, kind: type[T], name: str) -> T:
    if not isinstance(value, kind):
        raise DeclarationError(
            f"context.{name}", f"this plugin has no {kind.__name__}", "Ask for the class it declares"
        )
    return value


def run_tool(tool: AnyTool, /, **arguments: object) -> ToolResult:
    """Run one tool with JSON values and return its result; for a tool that needs no settings and no start."""

    async def run() -> ToolResult:
        async with FakeHost(Plugin("test", "0", tools=[tool])) as host:
            return await host.call(tool.name, **arguments)

    return asyncio.run(run())


def check_cleaner(cleaner: Cleaner | None, samples: Iterable[str]) -> list[str]:
    """Return what is wrong with a cleaner on these outputs, one sentence each; nothing is the good case.

    It must return a text, the same each time, within a second, of at most four times the input and 4 KiB, and must not
    leave every sample as it is or make every one empty.
    """
    if cleaner is None:
        return ["there is no cleaner: the tool is plain or no_memory"]
    problems: list[str] = []
    results: list[tuple[str, str]] = []
    for place, sample in enumerate(samples, start=1):
        started = time.perf_counter()
        try:
            result = cleaner(sample)
            again = cleaner(sample)
        except Exception as error:  # noqa: BLE001 - the plugin boundary: a cleaner may raise anything
            problems.append(f"sample {place}: raises {type(error).__name__}: {error}")
            continue
        seconds = (time.perf_counter() - started) / 2
        problems += [f"sample {place}: {problem}" for problem in _faults(sample, result, again, seconds)]
        results.append((sample, result))
    if results and all(sample == result for sample, result in results):
        problems.append("it leaves every sample as it is")
    if results and not any(result.strip() for _, result in results):
        problems.append("it lets nothing of any sample through")
    return problems


def _faults(sample: str, result: str, again: str, seconds: float) -> list[str]:
    limit = 4 * len(sample.encode("utf-8", "surrogatepass")) + 4096
    faults = {
        "gives another result the second time": again != result,
        f"takes {seconds:.1f} seconds": seconds > _SLOW_SECONDS,
        f"returns more than {limit} bytes": len(result.encode("utf-8", "surrogatepass")) > limit,
    }
    return [fault for fault, found in faults.items() if found]
