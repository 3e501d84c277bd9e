"""One home with its memory, model, plugins and agent, opened and closed together."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from homeagent.agent import Agent, AgentParts, AgentSettings, Inbox, Outputs, reading_plugin
from homeagent.app.ending import ended
from homeagent.app.extraction import Extraction
from homeagent.app.hiding import hiding
from homeagent.app.home_channels import HomePast
from homeagent.app.home_mcp import HomeMcp
from homeagent.app.home_memory import HomeMemory
from homeagent.app.home_plugins import HomePlugins, cleaner_places, cleaners_of, described_plugins
from homeagent.app.restarting import changed_settings, restart
from homeagent.builtin import built_ins
from homeagent.channels import WEBHOOK, Hub, HubParts, Pauses, Webhook, WebhookLine
from homeagent.errors import ConfigError
from homeagent.memory import Memory, Place
from homeagent.models import OfflineModel, TokenEstimator
from homeagent.plugins import Host, InProcess, Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from types import TracebackType

    from homeagent.agent import Ui
    from homeagent.config import ChannelOptions, McpSettings
    from homeagent.memory.door.places import CleanerProcesses
    from homeagent.memory.embed.protocol import Embedder
    from homeagent.models import Model
    from homeagent.paths import Home
    from homeagent.plugins import Manifest
    from homeagent_sdk import Injection, Plugin

__all__ = ["App", "AppParts"]


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


@dataclass(frozen=True)
class AppParts:
    """What an app is made with besides its home; what is left out is the plain choice.

    ``model`` is the offline one by default, ``plugins`` are the built-ins; ``plugin_settings`` are by plugin name.
    ``distiller`` is a model that is asked for facts in quiet moments, beside the rules. ``hidden_variables`` of the
    environment are seen by no program that a tool starts. ``channels`` are the owner's words about each channel,
    ``pauses`` how long is waited before what could not be sent is tried again. ``mcp`` are the MCP servers by name.
    """

    model: Model = field(default_factory=OfflineModel)
    plugins: Sequence[Plugin] = field(default_factory=built_ins)
    plugin_settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    agent: AgentSettings = field(default_factory=AgentSettings)
    embedder: Embedder | None = None
    distiller: Model | None = None
    hidden_variables: Collection[str] = ()
    mcp: Mapping[str, McpSettings] = field(default_factory=dict)
    channels: Mapping[str, ChannelOptions] = field(default_factory=dict)
    pauses: Pauses = field(default_factory=Pauses)
    clock: Callable[[], datetime] = _now


class App:
    """One home, ready to be talked to. Use it with ``async with``: plugins are started, and everything is closed."""

    def __init__(self, memory: Memory, parts: AppParts) -> None:
        self.memory = memory
        self.model = parts.model
        self.inbox = Inbox(memory.home.root / "waiting.json", parts.clock)
        self.registry = Registry()
        self._host = Host(memory.home.root / "plugins", self.inbox)
        self._plugins = HomePlugins(memory.home.root, parts.plugin_settings)
        self._mcp = HomeMcp(memory.home.root, self.registry, self._declare_policies)
        self._mcp_settings = parts.mcp
        self._plugin_settings = parts.plugin_settings
        self._cleaners: CleanerProcesses | None = None
        self._following: asyncio.Task[None] | None = None
        self._port = HomeMemory(memory, lambda: self.agent.talking())
        self._retired: list[Model] = []
        self._distiller = parts.distiller
        self._extracting: asyncio.Task[None] | None = None
        self._ending: list[asyncio.Task[None]] = []
        self._known: dict[str, Plugin] = {}
        self._hidden = parts.hidden_variables
        for plugin in (reading_plugin(Outputs(self._output)), *parts.plugins):
            self._known[plugin.name] = plugin
            values = hiding(plugin, parts.plugin_settings.get(plugin.name, {}), self._hidden)
            self.registry.register(InProcess(plugin, self._host, values))
        self._check_names(parts.plugin_settings)
        agent_parts = AgentParts(self._port, parts.model, self.registry, TokenEstimator(), parts.clock)
        self.agent = Agent(agent_parts, _with_about(parts.agent, memory.home))
        self.hub = self._made_hub(parts)
        self.webhook = Webhook(self.hub, lambda: self.hub.options(WEBHOOK))
        memory.background.yield_to(self.agent.is_busy)

    @classmethod
    def open(cls, home: Path | str, parts: AppParts | None = None) -> Self:
        """Open the home. Raises `HomeError`, `StoreError`, `ConfigError` or `PluginError`; then nothing stays open."""
        parts = parts or AppParts()
        cleaners = cleaners_of(Path(home))
        memory = Memory.open(Path(home), embedder=parts.embedder, clock=parts.clock, cleaners=cleaners)
        try:
            app = cls(memory, parts)
            app._cleaners = cleaners
            return app
        except BaseException:
            memory.shutdown()
            raise

    async def __aenter__(self) -> Self:
        try:
            await self._plugins.join(self.registry, self._host)
            await self.registry.start()
            await self._declare_policies()
            await self._mcp.use(self._mcp_settings)
            follow = self._plugins.follow(self.registry, self._host, self._plugins_changed)
            self._following = asyncio.create_task(follow)
            self._find_facts_with(self._distiller)
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def _declare_policies(self) -> None:
        policies, returning = self.registry.policies(), self.registry.returning_memory()
        await asyncio.to_thread(self.memory.declare_policies, policies, returns_memory=returning)
        await asyncio.to_thread(self.memory.overrides.declare_channels, self.registry.channel_policies())

    async def _plugins_changed(self) -> None:
        """Derive by the policies and cleaners that are there now."""
        if self._cleaners is not None:
            places = await asyncio.to_thread(cleaner_places, self.memory.home.root)
            await asyncio.to_thread(self._cleaners.replace, places)
        await self._declare_policies()

    async def settle_few(self) -> None:
        """Derive the little that waits, so that nothing of it is left for the next start."""
        await asyncio.to_thread(self._port.settle_few)

    def shutdown(self) -> None:
        """Close what `open` opened, where it was never started; harmless after the end of ``async with``."""
        self.inbox.close()
        self.memory.shutdown()

    def use(self, model: Model, settings: AgentSettings, distiller: Model | None = None) -> None:
        """Answer with this model and these settings, from the next turn of each chat on; ``distiller`` finds facts."""
        self._find_facts_with(distiller)
        if model is not self.model:
            self._retired.append(self.model)  # a turn under way may still be asking it
            self.model = model
        self.agent.use(model, _with_about(settings, self.memory.home))

    def hide_variables(self, names: Collection[str]) -> None:
        """Let no program that a tool starts from now on see these variables, in place of those hidden so far."""
        self._hidden = names
        for name, plugin in self._known.items():
            runner = self.registry.runner(name)
            if isinstance(runner, InProcess):
                runner.use(hiding(plugin, self._plugin_settings.get(name, {}), names))

    async def use_plugins(self, settings: Mapping[str, Mapping[str, object]]) -> None:
        """Go by these settings of the plugins, by plugin name: those whose settings are others are started anew.

        Raises `ConfigError` or `PluginError`; then the settings before stay in force.
        """
        changed = changed_settings(self._plugin_settings, settings)
        if not changed:
            return
        self._check_names(settings)
        hidden = {
            name: hiding(self._known[name], values, self._hidden) if name in self._known else values
            for name, values in changed.items()
        }
        prepared = await self._plugins.prepare(self._host, settings, changed)
        try:
            await restart(self.registry, hidden)
        except BaseException:
            await prepared.stop()
            raise
        self._plugin_settings = settings
        await self._plugins.use(self.registry, prepared)
        await self._declare_policies()

    async def use_mcp(self, settings: Mapping[str, McpSettings]) -> None:
        """Go by these MCP servers, by name: what is new or has changed is started, what is gone is stopped."""
        await self._mcp.use(settings)

    async def run_plugin(self, path: Path) -> Manifest:
        """Run the plugin in a file or folder, in the place of the one of its name; return what it declares.

        For its author, in a home to try things in: nothing is asked. Raises `PluginError`; then the one before goes on.
        """
        manifest = await self._plugins.run(path, self.registry, self._host)
        await self._plugins_changed()
        return manifest

    def _check_names(self, settings: Mapping[str, Mapping[str, object]]) -> None:
        there = (name for name in self.registry.plugins if "." not in name)  # what has a dot is no plugin
        known = (*there, *described_plugins(self.memory.home.root))
        unknown = set(settings) - set(known)
        if unknown:
            step = f"There are {', '.join(known)}"
            raise ConfigError(f"config.toml [plugins.{min(unknown)}]", "there is no such plugin", step)

    async def answer_injections(self, ui_for: Callable[[Injection], Ui]) -> None:
        """Answer what plugins put in, when it is due, until cancelled; each exactly once, in the name of the owner.

        What was put into a chat of a channel waits for `Hub.run`, which can send it there.
        """
        await self.hub.answer_injections(ui_for)

    def _made_hub(self, parts: AppParts) -> Hub:
        lines = {WEBHOOK: WebhookLine(lambda: self.hub.options(WEBHOOK))}
        folder = self.memory.home.root / "channels"
        past = HomePast(self.memory)
        hub_parts = HubParts(self.agent, self.inbox, self.registry, past, folder, lines, parts.pauses, parts.clock)
        return Hub(hub_parts, parts.channels)

    def _find_facts_with(self, distiller: Model | None) -> None:
        """Ask this model for facts from now on, or none; the one before is asked no more."""
        if self._extracting is not None:
            self._extracting.cancel()
            self._ending.append(self._extracting)
            self._extracting = None
        if self._distiller is not None and self._distiller is not distiller:
            self._retired.append(self._distiller)
        self._distiller = distiller
        if distiller is not None:
            self._extracting = asyncio.create_task(Extraction(self.memory, distiller, self.agent.is_busy).run())

    async def _close(self) -> None:
        if self._following is not None:
            await ended(self._following)
        await self._mcp.close()
        await self.hub.close()
        try:
            self._find_facts_with(None)
            if self._ending:
                await asyncio.wait(self._ending)
            await self.registry.stop()
            for model in (self.model, *self._retired):
                await model.close()
        finally:
            self.inbox.close()
            await asyncio.to_thread(self.memory.shutdown)

    async def _output(self, channel: str, chat: str, call: str) -> str | None:
        return await self.agent.output(Place(channel, chat), call)


def _with_about(settings: AgentSettings, home: Home) -> AgentSettings:
    """Return the settings with the pinned block of the home's ``about.md``, where the owner wrote one."""
    path = home.root / "about.md"
    if settings.about or not path.exists():
        return settings
    try:
        return replace(settings, about=path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), f"can't be read ({error})", "Save it as UTF-8, readable by you") from error
