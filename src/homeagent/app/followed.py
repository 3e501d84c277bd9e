"""The settings of a home as a running program goes by them: read when it starts, and again whenever they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent import config
from homeagent.app.app import App
from homeagent.app.applying import apply_policies
from homeagent.app.configured import agent_settings, check, distiller_of, embedder_of, model_of, parts_of
from homeagent.app.hiding import key_variables
from homeagent.app.home_plugins import described_plugins

if TYPE_CHECKING:
    from collections.abc import Callable

    from homeagent.models import OfflineModel
    from homeagent.paths import Home

__all__ = ["FollowedSettings", "use_settings"]


async def use_settings(app: App, read: config.Config, offline: OfflineModel) -> None:
    """Let a running app go by these settings. Raises `ConfigError` or `PluginError`; then nothing changes."""
    check(read, installed=described_plugins(app.memory.home.root))
    await app.use_plugins(read.plugins)
    app.use(model_of(read, app.model, offline), agent_settings(read), distiller_of(read))
    app.hide_variables(key_variables(read))
    await app.hub.use(read.channel_options)


class FollowedSettings:
    """The settings of one home. ``config`` are those in force; ``offline`` answers where they name no model.

    Raises `ConfigError` when they can't be read at first.
    """

    def __init__(self, home: Home, offline: OfflineModel) -> None:
        self.home = home
        self._offline = offline
        self._seen = self._stamp()
        self.config = config.load(home.config)

    def open(self, progress: Callable[[str, float], None]) -> App:
        """Open the whole program on the home, as the settings say. Raises what `App.open` does."""
        read = self.config
        parts = parts_of(read, model=model_of(read, self._offline, self._offline), embedder=embedder_of(read, progress))
        app = App.open(self.home.root, parts)
        try:
            apply_policies(app.memory, read, self.home.root)
        except BaseException:
            app.shutdown()
            raise
        return app

    @property
    def changed(self) -> bool:
        """Whether the file was written since it was last read."""
        return self._stamp() != self._seen

    async def follow(self, app: App) -> bool:
        """Read the settings again if they were written; return whether others are in force now.

        Raises `ConfigError` or `PluginError`; then those before stay in force, and the file is not read again until it
        is written once more.
        """
        stamp = self._stamp()
        if stamp == self._seen:
            return False
        self._seen = stamp
        read = config.load(self.home.config)
        await use_settings(app, read, self._offline)
        self.config = read
        apply_policies(app.memory, read, self.home.root)
        await app.use_mcp(read.mcp)
        return True

    def _stamp(self) -> tuple[int, int, int]:
        try:
            found = self.home.config.stat()
        except OSError:
            return (0, 0, 0)
        return (found.st_mtime_ns, found.st_size, found.st_ino)
