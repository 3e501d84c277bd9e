"""What a command has at hand: its arguments, the terminal, the home, its settings, and its memory when it needs it."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent import config
from homeagent.cli.progress import shown
from homeagent.errors import HomeAgentError
from homeagent.paths import Home, default_home

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from homeagent.app import App
    from homeagent.cli.terminal import Terminal
    from homeagent.memory import Memory
    from homeagent.memory.embed import Embedder
    from homeagent.models import OfflineModel

__all__ = ["Session"]

_LITTLE: Final = 300
"""So many turns get their vectors before a search without being asked: seconds, half a minute on a busy machine."""


class Session:
    """One run of one command. ``private`` is whether what is said at present leaves nothing on disk."""

    def __init__(self, arguments: Namespace, terminal: Terminal) -> None:
        self.arguments = arguments
        self.private = False
        self.terminal = terminal
        named: str = getattr(arguments, "home", "")
        self.home = Home(Path(named).expanduser() if named else default_home())

    @cached_property
    def config(self) -> config.Config:
        """The settings of the home. Raises `ConfigError`."""
        return config.load(self.home.config)

    @staticmethod
    def now() -> datetime:
        """Return the present moment in the zone of this machine."""
        return datetime.now(UTC).astimezone()

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """Open the home's memory for the block, with the embedder and the policies that the settings name."""
        from homeagent.app import apply_policies, cleaners_of
        from homeagent.memory import Memory

        with Memory.open(self.home.root, embedder=self.embedder(), cleaners=cleaners_of(self.home.root)) as memory:
            apply_policies(memory, self.config, self.home.root)
            self._do_chores(memory)
            yield memory

    @contextmanager
    def app(self) -> Iterator[App]:
        """Open the whole program on the home for the block, as the settings say; enter what is given to start it."""
        from homeagent.app import App, apply_policies, model_of, parts_of

        config = self.config
        model = model_of(config, self._offline, self._offline)
        app = App.open(self.home.root, parts_of(config, model=model, embedder=self.embedder()))
        try:
            apply_policies(app.memory, self.config, self.home.root)
            self._do_chores(app.memory)
            yield app
        finally:
            app.shutdown()

    async def reload(self, app: App) -> None:
        """Read the settings again and let a running app go by them.

        Raises `ConfigError` or `PluginError`; then nothing changes.
        """
        from homeagent.app import apply_policies, use_settings

        read = config.load(self.home.config)
        await use_settings(app, read, self._offline)
        self.config = read
        apply_policies(app.memory, self.config, self.home.root)
        await app.use_mcp(read.mcp)

    def follow_settings(self, memory: Memory) -> None:
        """Read the settings again and set the policies they name. Raises `ConfigError`."""
        from homeagent.app import apply_policies

        self.config = config.load(self.home.config)
        apply_policies(memory, self.config, self.home.root)

    def settings_stamp(self) -> tuple[int, int]:
        """Return what differs when the settings' file has been written since."""
        try:
            found = self.home.config.stat()
        except OSError:
            return (0, 0)
        return (found.st_mtime_ns, found.st_size)

    @cached_property
    def _offline(self) -> OfflineModel:
        from homeagent.cli.answering import answers_in
        from homeagent.models import OfflineModel

        return OfflineModel(answers_in(self.terminal, lambda: not self.private))

    def embedder(self) -> Embedder:
        """Return what makes the vectors, as the settings say; making it loads nothing."""
        from homeagent.app.configured import embedder_of

        return embedder_of(self.config, self._model_progress)

    def settle(self, memory: Memory, *, whole: bool) -> int:
        """Make the vectors that are pending, unless they are many and not ``whole``; return how many are left."""
        waiting = memory.pending()
        if not any(waiting.values()):
            return 0
        if whole or sum(waiting.values()) <= _LITTLE:
            with shown(self.terminal) as progress:
                memory.settle(progress=lambda step, done, left: progress(step, done, done + left))
        return sum(memory.pending().values())

    def _do_chores(self, memory: Memory) -> None:
        """Make the backup that is due and the like; what keeps it from that is said, and is no reason to stop."""
        from homeagent.memory.upkeep.chores import do_chores

        try:
            do_chores(memory)
        except HomeAgentError as error:
            told = self.terminal.told
            self.terminal.note(f"{told(error.where)}: {told(error.problem)}. {told(error.next_step)}")

    def greet(self, memory: Memory) -> None:
        """Say what to do first when nothing was ever kept."""
        if not memory.counts().get("turn"):
            self.terminal.say("empty_home")

    def _model_progress(self, sentence: str, done: float) -> None:
        if self.terminal.language == "zh":
            sentence = self.terminal.message("step_model" if sentence.startswith("preparing") else "step_model_ready")
        self.terminal.note(f"{sentence} ({done:.0%})" if done else sentence)
