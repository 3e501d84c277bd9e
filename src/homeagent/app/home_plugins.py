"""The plugins of a home that were agreed to, started for an app; what keeps one from starting is said and no more."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from homeagent.errors import HomeAgentError
from homeagent.memory.door.places import CleanerPlace, CleanerProcesses
from homeagent.plugins import (
    Consents,
    Host,
    OutOfProcess,
    PluginError,
    asked_of,
    describe,
    find_source,
    found_plugins,
    prepare_runtime,
    put_back_unless_good,
    put_in,
    wanted_of,
)
from homeagent.plugins.shelf import CODE, FOLDER

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from homeagent.plugins import Consent, Description, Manifest, PluginSource, Registry, Runtime

__all__ = [
    "HomePlugins",
    "Prepared",
    "cleaner_places",
    "cleaners_of",
    "described_plugins",
]

Swapped = Callable[[], Awaitable[None]]
"""Called when one plugin has taken the place of another."""

_LOOK_SECONDS: Final = 0.5
_log = logging.getLogger("homeagent.plugins")


@dataclass(frozen=True)
class _Agreed:
    """A plugin that is on, with what was agreed to."""

    source: PluginSource
    told: Description
    consent: Consent

    def check(self, tools: Mapping[str, str]) -> None:
        """Raise `PluginError` when it wants more than was agreed to."""
        growth = self.consent.growth(asked_of(self.told, tools))
        if growth:
            new = (*growth.tools, *growth.policies, *growth.permissions, *growth.dependencies)
            step = f"Look and agree: homeagent plugin enable {self.told.name}"
            raise PluginError(f"plugin {self.told.name!r}", f"it wants more than was agreed to: {', '.join(new)}", step)


@dataclass(frozen=True)
class Prepared:
    """Plugins that were started with other settings, to be put in the place of those that run."""

    settings: Mapping[str, Mapping[str, object]]
    runners: Mapping[str, OutOfProcess]

    async def stop(self) -> None:
        """End them again: they are not used."""
        for runner in self.runners.values():
            await runner.stop()


class HomePlugins:
    """The plugins of one home that are on."""

    def __init__(self, root: Path, settings: Mapping[str, Mapping[str, object]]) -> None:
        self._root = root
        self._settings = settings
        self._swapping = asyncio.Lock()
        self._agreed = _agreed(root)
        self._stamps = _stamps(root)

    async def join(self, registry: Registry, host: Host) -> None:
        """Start each in its own process and register it. One that can't be is logged in one line and left out."""
        opened = [self._opened(each, host, self._settings.get(each.told.name, {})) for each in self._agreed]
        for runner in await asyncio.gather(*opened, return_exceptions=True):
            if isinstance(runner, PluginError):
                _log.warning("%s", runner)
            elif isinstance(runner, BaseException):
                raise runner
            else:
                await _registered(runner, registry)

    async def prepare(
        self, host: Host, settings: Mapping[str, Mapping[str, object]], changed: Collection[str]
    ) -> Prepared:
        """Start those whose settings have ``changed`` once more, with the new ones.

        Raises `PluginError` when one refuses them; then none of the new ones is left, and those before go on.
        """
        agreed = {each.told.name: each for each in await asyncio.to_thread(_agreed, self._root)}
        new: dict[str, OutOfProcess] = {}
        try:
            for name in sorted(agreed.keys() & changed):
                new[name] = await self._opened(agreed[name], host, settings.get(name, {}))
        except BaseException:
            for runner in new.values():
                await runner.stop()
            raise
        return Prepared(settings, new)

    async def use(self, registry: Registry, prepared: Prepared) -> None:
        """Put what was `prepare`d in the place of those before."""
        self._settings = prepared.settings
        for name, runner in prepared.runners.items():
            async with self._swapping:
                old = registry.swap(name, runner)
                await runner.start()
            if isinstance(old, OutOfProcess):
                await old.retire()

    async def run(self, path: Path, registry: Registry, host: Host) -> Manifest:
        """Run the plugin in a file or folder of its author, who has agreed to it; return what it declares.

        It is put into the home, with the packages it wants, in the place of the one of its name. Raises `PluginError`;
        then that one goes on.
        """
        source = await asyncio.to_thread(find_source, path)
        told = describe(source)
        async with self._swapping:
            with put_back_unless_good(self._root, told.name) as keep:
                code = await asyncio.to_thread(put_in, self._root, source, told)
                fetched = partial(prepare_runtime, self._root, find_source(code), told, fetch=True)
                runner = await self._begun(told.name, await asyncio.to_thread(fetched), host)
                try:
                    old = registry.swap(told.name, runner)
                except PluginError:
                    await runner.stop()
                    raise
                keep()
            await runner.start()
            Consents(self._root).give(told.name, asked_of(told, wanted_of(runner.manifest)))
            self._stamps = await asyncio.to_thread(_stamps, self._root)
        if isinstance(old, OutOfProcess):
            await old.retire()
        return runner.manifest

    async def follow(self, registry: Registry, host: Host, swapped: Swapped) -> None:
        """Put what changes on the disk in the place of what runs, until cancelled; ``swapped`` is called after each.

        A plugin whose files or consent changed is started beside the old one and takes its place when it is found
        good; when it is not, the old one goes on and the log says why.
        """
        before = self._stamps
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            now = await asyncio.to_thread(_stamps, self._root)
            if now == before and now != self._stamps and not self._swapping.locked():  # it has settled
                changed = {name for name in now | self._stamps if now.get(name) != self._stamps.get(name)}
                self._stamps = now
                agreed = {each.told.name: each for each in await asyncio.to_thread(_agreed, self._root)}
                for name in sorted(changed):
                    try:
                        if await self._swap(registry, name, agreed.get(name), host):
                            await swapped()
                    except HomeAgentError as error:  # of the memory: the next change tries again
                        _log.warning("%s", error)
            before = now

    async def _swap(self, registry: Registry, name: str, plugin: _Agreed | None, host: Host) -> bool:
        """Whether a plugin was put in place of the old one, or taken out."""
        async with self._swapping:  # the settings and the files may change at once
            return await self._swapped(registry, name, plugin, host)

    async def _swapped(self, registry: Registry, name: str, plugin: _Agreed | None, host: Host) -> bool:
        there = name in registry.plugins
        new: OutOfProcess | None = None
        try:
            if plugin is not None:
                new = await self._opened(plugin, host, self._settings.get(name, {}))
            elif not there or _is_broken(self._root, name):
                return False
            old = registry.swap(name, new)
        except PluginError as error:
            trace = "".join(getattr(error.__cause__, "__notes__", ()))
            _log.warning("%s%s%s", error, "; the one before it goes on" if there else "", f"\n{trace}" if trace else "")
            if new is not None:
                await new.stop()
            return False
        if new is not None:
            await new.start()
            _log.info("plugin %r is there in version %s", name, new.manifest.version)
        if isinstance(old, OutOfProcess):
            await old.retire()
        return True

    async def _opened(self, plugin: _Agreed, host: Host, settings: Mapping[str, object]) -> OutOfProcess:
        runtime = await asyncio.to_thread(self._runtime, plugin)
        return await self._begun(plugin.told.name, runtime, host, settings, plugin.check)

    @staticmethod
    async def _begun(
        name: str,
        runtime: Runtime,
        host: Host,
        settings: Mapping[str, object] | None = None,
        check: Callable[[Mapping[str, str]], None] | None = None,
    ) -> OutOfProcess:
        runner = await OutOfProcess.open(name, runtime, host, settings or {})
        try:
            if check is not None:
                check(wanted_of(runner.manifest))
            await runner.begin()
        except BaseException:
            await runner.stop()
            raise
        return runner

    def _runtime(self, plugin: _Agreed) -> Runtime:
        plugin.check({})
        return prepare_runtime(self._root, plugin.source, plugin.told, fetch=False)


async def _registered(runner: OutOfProcess, registry: Registry) -> None:
    try:
        registry.register(runner)
    except PluginError as error:
        _log.warning("%s", error)
        await runner.stop()


def _is_broken(root: Path, name: str) -> bool:
    """Whether a plugin is on and only can't be read; what is wrong has been said."""
    try:
        consent = Consents(root).all().get(name)
    except PluginError:
        return True
    return consent is not None and consent.on


def _stamps(root: Path) -> dict[str, object]:
    """Return for each plugin in the home what differs when its files, or what was agreed to of it, have changed."""
    folder = root / FOLDER
    try:
        consents: dict[str, Consent] = Consents(root).all()
    except PluginError:
        consents = {}
    found: dict[str, object] = {}
    for code in folder.glob(f"*/{CODE}"):
        files = sorted(path for path in code.rglob("*") if path.suffix in (".py", ".toml"))
        marks = []
        for path in files:
            with contextlib.suppress(OSError):  # it may be gone by now
                seen = path.stat()
                marks.append((str(path), seen.st_mtime_ns, seen.st_size))
        found[code.parent.name] = (marks, consents.get(code.parent.name))
    return found


def cleaners_of(root: Path) -> CleanerProcesses:
    """Return what runs the cleaners of a home, those of its plugins in their environments."""
    return CleanerProcesses(cleaner_places(root))


def cleaner_places(root: Path) -> dict[str, CleanerPlace]:
    """Return where the cleaners of the plugins that are on run, by their module."""
    places: dict[str, CleanerPlace] = {}
    for each in _agreed(root):
        try:
            runtime = prepare_runtime(root, each.source, each.told, fetch=False)
        except PluginError:  # it is said when the plugin itself is to be started
            continue
        variables = tuple(runtime.variables.items())
        places[runtime.module] = CleanerPlace(runtime.cleaning, (str(runtime.folder),), variables)
    return places


def described_plugins(root: Path) -> dict[str, Description]:
    """Return the plugins that are there, on or off, by name."""
    return {each.name: each.description for each in found_plugins(root) if each.description is not None}


def _agreed(root: Path) -> tuple[_Agreed, ...]:
    try:
        consents = {name: each for name, each in Consents(root).all().items() if each.on}
        found = found_plugins(root) if consents else ()
    except PluginError as error:
        _log.warning("%s", error)
        return ()
    agreed: list[_Agreed] = []
    for each in found:
        if each.name not in consents:
            continue
        if each.source is None or each.description is None:
            _log.warning("%s", each.problem)
        else:
            agreed.append(_Agreed(each.source, each.description, consents[each.name]))
    return tuple(agreed)
