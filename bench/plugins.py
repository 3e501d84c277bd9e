"""What a process of its own costs a plugin: a call here and there, a restart, what a hundred reloads leave behind."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.errors import BenchError
from homeagent.plugins import (
    CallSeat,
    Host,
    InProcess,
    OutOfProcess,
    Registry,
    describe,
    find_source,
    prepare_runtime,
    put_in,
)
from homeagent_sdk import Plugin, ToolCall, TurnInfo, tool
from homeagent_sdk.testing import FakeMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.plugins import PluginRunner
    from homeagent_sdk import Injection

__all__ = ["PluginPlan", "plugins_report", "plugins_table"]

_TURN: Final = TurnInfo("t1", "cli", "main", "owner")
_WAIT_SECONDS: Final = 30.0
_PROBE: Final = """\
# /// script
# [tool.homeagent]
# name = "probe"
# version = "1.0"
# sdk = ">=0.1"
# ///
import os
from homeagent_sdk import Plugin, tool


@tool
def echo(text: str) -> str:
    "Say the same."
    return text


@tool
def process() -> str:
    "Say which process this is."
    return str(os.getpid())


plugin = Plugin("probe", "1.0", tools=[echo, process])
"""


@dataclass(frozen=True, slots=True)
class PluginPlan:
    """How much is measured: calls of each kind, kills, reloads. ``characters`` is the length of a call's text."""

    calls: int = 2_000
    kills: int = 5
    reloads: int = 100
    characters: int = 200


@tool
def echo(text: str) -> str:
    """Say the same."""
    return text


class _Nobody:
    """An injector that nobody uses."""

    async def add(self, injection: Injection, plugin: str) -> None:
        """Refuse."""
        raise BenchError(f"{plugin} put in {injection.id}")

    async def waiting(self, plugin: str) -> Sequence[Injection]:  # noqa: ARG002 - the protocol's
        """Return nothing."""
        return ()

    async def withdraw(self, injection: str, plugin: str) -> bool:  # noqa: ARG002 - the protocol's
        """Find nothing."""
        return False


def plugins_report(plan: PluginPlan) -> dict[str, object]:
    """Return the figures: calls and restarts in milliseconds, and what there was before and after the reloads."""
    with tempfile.TemporaryDirectory(prefix="homeagent-bench-") as folder:
        return asyncio.run(_measured(plan, Path(folder)))


def plugins_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    lines = []
    for name, value in report.items():
        if isinstance(value, dict):
            lines += [f"{name}.{inner:<24}{each}" for inner, each in value.items()]
        else:
            lines.append(f"{name:<32}{value}")
    return "\n".join(lines)


async def _measured(plan: PluginPlan, root: Path) -> dict[str, object]:
    host = Host(root / "plugins", _Nobody())
    here = InProcess(Plugin("here", "1.0", tools=[echo]), host)
    bench = _Bench(root, host)
    await bench.load()
    try:
        calls = {"in_process_ms": await _calls(here, plan), "worker_ms": await _calls(bench.runner, plan)}
        restarts = [await bench.killed() for _ in range(plan.kills)]
        await bench.load()  # what is loaded once stays loaded: the first reload is no growth
        before = bench.footprint()
        reloads = [await bench.reloaded() for _ in range(plan.reloads)]
        after = bench.footprint()
    finally:
        await bench.stop()
    growth = {name: after[name] - before[name] for name in before}
    return {
        "calls": plan.calls,
        "characters": plan.characters,
        **calls,
        "kills": plan.kills,
        "restart_ms": _figures(restarts),
        "reloads": plan.reloads,
        "reload_ms": _figures(reloads),
        "before": before,
        "after": after,
        "growth": growth,
        "passed": growth["processes"] <= 0 and growth["descriptors"] <= 0 and growth["memory_kib"] < _allowed(plan),
    }


def _allowed(plan: PluginPlan) -> int:
    """Return how many KiB may be more afterwards: what Python's allocator keeps, and not a page for each reload."""
    return 4096 + 4 * plan.reloads


async def _calls(runner: PluginRunner, plan: PluginPlan) -> dict[str, float]:
    text = "x" * plan.characters
    found: list[float] = []
    for number in range(plan.calls):
        started = time.perf_counter()
        result = await runner.call(ToolCall(f"c{number}", "echo", {"text": text}), _seat())
        found.append(1000 * (time.perf_counter() - started))
        if result.text != text:
            raise BenchError("a call returned another text than it was given")
    return _figures(found)


class _Bench:
    """A plugin in its own process, in a registry: started, killed and loaded anew."""

    def __init__(self, root: Path, host: Host) -> None:
        self._host = host
        self._root = root
        self._registry = Registry()
        path = root / "probe.py"
        path.write_text(_PROBE, "utf-8")
        source = find_source(path)
        self._code = find_source(put_in(root, source, describe(source)))

    @property
    def runner(self) -> OutOfProcess:
        """What runs now."""
        found = self._registry.runner("probe")
        if not isinstance(found, OutOfProcess):
            raise BenchError("the plugin is not in a process of its own")
        return found

    async def load(self) -> None:
        """Start it, and let it take the place of the one before."""
        runtime = prepare_runtime(self._root, self._code, describe(self._code), fetch=False)
        new = await OutOfProcess.open("probe", runtime, self._host, {})
        await new.begin()
        old = self._registry.swap("probe", new)
        await new.start()
        if isinstance(old, OutOfProcess):
            await old.retire()

    async def reloaded(self) -> float:
        """Return the milliseconds that a reload takes, the end of the old process included."""
        started = time.perf_counter()
        await self.load()
        return 1000 * (time.perf_counter() - started)

    async def killed(self) -> float:
        """Kill the process; return the milliseconds until a call is answered again, pauses included."""
        await self.load()  # with no crash yet: four in five minutes would keep it off
        process = int((await self.runner.call(ToolCall("c", "process", {}), _seat())).text)
        started = time.perf_counter()
        os.kill(process, signal.SIGKILL)
        limit = started + _WAIT_SECONDS
        while time.perf_counter() < limit:
            with contextlib.suppress(Exception):  # its process has ended, and is not there yet
                if int((await self.runner.call(ToolCall("c", "process", {}), _seat())).text) != process:
                    return 1000 * (time.perf_counter() - started)
            await asyncio.sleep(0.005)
        raise BenchError(f"the plugin was not there again {_WAIT_SECONDS:g} seconds after it was killed")

    def footprint(self) -> dict[str, int]:
        """Return what this process has now: processes below it, open descriptors, memory in KiB."""
        gc.collect()
        return {
            "processes": len(_children(os.getpid())),
            "descriptors": len(list(Path("/proc/self/fd").iterdir())),
            "memory_kib": _resident_kib(),
        }

    async def stop(self) -> None:
        """End it."""
        await self.runner.stop()


def _seat() -> CallSeat:
    async def no(question: str) -> bool:
        del question
        return False

    return CallSeat(_TURN, FakeMemory(), no, lambda _text: None)


def _figures(found: Sequence[float]) -> dict[str, float]:
    ordered = sorted(found)
    if not ordered:
        return {}
    at = {"p50": 0.5, "p95": 0.95, "max": 1.0}
    return {name: round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3) for name, share in at.items()}


def _children(process: int) -> list[int]:
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
            if int(path.read_text().rpartition(")")[2].split()[1]) == process:
                found.append(int(path.parent.name))
    return found


def _resident_kib() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise BenchError("/proc/self/status does not say how much memory there is")
