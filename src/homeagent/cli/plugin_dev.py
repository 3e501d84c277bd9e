"""``homeagent plugin dev PATH``: a plugin runs while it is written. Calls show what is raw and what is computed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent.cli.chat.lines import Lines
from homeagent.cli.plugin_dev_lines import call_lines, completed_by, failure_lines, tool_lines
from homeagent.cli.running import run_until_done
from homeagent.errors import HomeAgentError, InputError
from homeagent.masking import MaskingFilter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from homeagent.app import App
    from homeagent.cli.plugin_dev_calls import DevCall
    from homeagent.cli.session import Session

__all__ = ["dev"]

_LOOK_SECONDS: Final = 0.3
_PRINT_SECONDS: Final = 0.05
"""How long what was printed last may take to come through its pipe."""


def dev(session: Session) -> int:
    """Run a plugin and call its tools, line by line, until the person leaves; 1 when something failed in a pipe."""
    path = Path(session.arguments.name)
    if not path.exists():
        raise InputError(str(path), "there is no such file or folder", "Name a file such as weather.py, or a folder")
    lines = Lines(prompts=not session.terminal.json)
    with contextlib.ExitStack() as stack:
        named: str = getattr(session.arguments, "home", "")
        home = named or stack.enter_context(tempfile.TemporaryDirectory(prefix="homeagent-dev-"))
        bench = _Bench(session, path, lines, Path(home))
        with lines.terminal_kept():
            run_until_done(bench.run())
    if session.terminal.json:
        session.terminal.result({"loaded": bench.loaded, "calls": bench.calls}, ())
    return 1 if bench.failed and not lines.interactive else 0


class _Bench:
    """The plugin under work: what runs of it, and what was called last."""

    def __init__(self, session: Session, path: Path, lines: Lines, home: Path) -> None:
        self._session = session
        self._terminal = session.terminal
        self._path = path
        self._lines = lines
        self._home = home
        self._seen: object = None
        self._looking = asyncio.Lock()
        self._last: DevCall | None = None
        self.failed = False
        self.loaded: list[dict[str, object]] = []
        self.calls: list[dict[str, object]] = []

    async def run(self) -> None:
        """Load the plugin, and do what is typed until there is no more."""
        from homeagent.app import App, AppParts
        from homeagent.memory.embed import NoEmbedder

        self._terminal.say("dev_home", home=self._home)
        with contextlib.ExitStack() as stack:
            app = App.open(self._home, AppParts(plugins=(), embedder=NoEmbedder()))
            stack.callback(app.shutdown)
            stack.enter_context(self._logged())
            async with app:
                await self._look(app)
                self._terminal.say("dev_help")
                watching = asyncio.create_task(self._watch(app))
                try:
                    await self._talk(app)
                finally:
                    watching.cancel()
                    await asyncio.gather(watching, return_exceptions=True)

    async def _talk(self, app: App) -> None:
        while (line := await self._lines.next("> ")) is not None:
            await self._look(app)
            word, _, rest = line.strip().partition(" ")
            match word:
                case "":
                    continue
                case ":quit" | ":q":
                    return
                case ":tools":
                    self._show(tool_lines(app, self._terminal))
                case ":raw" | ":computed" if self._last is not None:
                    self._show((self._last.raw if word == ":raw" else self._last.computed).splitlines())
                case ":sample" if self._last is not None:
                    self._write_sample(self._last)
                case _ if word.startswith(":"):
                    self._terminal.say("dev_help")
                case _:
                    await self._call(app, word, rest)

    async def _call(self, app: App, tool: str, arguments: str) -> None:
        from homeagent.cli.plugin_dev_calls import call_tool

        number = len(self.calls) + 1
        logs = {path: path.stat().st_size for path in self._logs()}
        called = await call_tool(app, f"/tool {tool} {arguments}", number, self._ask)
        await asyncio.sleep(_PRINT_SECONDS)
        self._say(self._terminal.message("dev_printed", text=line) for line in self._printed(logs))
        self.failed = self.failed or called.failed
        self.calls.append(called.as_plain())
        if called.tool:
            self._last = called
        self._show(call_lines(called, self._terminal))

    async def _watch(self, app: App) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            await self._look(app)

    async def _look(self, app: App) -> None:
        """Load the plugin anew when its files have changed; what is wrong is said, and the one before goes on."""
        async with self._looking:
            now = await asyncio.to_thread(_stamp, self._path)
            if now == self._seen:
                return
            self._seen = now
            try:
                manifest = await app.run_plugin(self._path)
            except HomeAgentError as error:
                self.failed = True
                self.loaded.append({"error": {"where": error.where, "problem": error.problem}})
                self._say(failure_lines(error, self._terminal, there=bool(self._tools(app))))
                return
            self.loaded.append({"name": manifest.name, "version": manifest.version})
            self._say([*tool_lines(app, self._terminal, manifest)])
            if self._lines.interactive:
                completed_by(app)

    @contextlib.contextmanager
    def _logged(self) -> Iterator[None]:
        """Show what is logged meanwhile, as of the files that are worked on and not of their copies."""
        handler = logging.StreamHandler()
        handler.setLevel(logging.WARNING)
        handler.addFilter(self._renamed)
        handler.addFilter(MaskingFilter())
        log = logging.getLogger("homeagent")
        log.addHandler(handler)
        try:
            yield
        finally:
            log.removeHandler(handler)

    def _renamed(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._of_files(record.getMessage()).rstrip("\n"), ()
        return True

    def _of_files(self, text: str) -> str:
        for copy in (self._home / "installed").glob("*/code"):
            if self._path.is_file():
                text = text.replace(str(copy / f"{copy.parent.name.replace('-', '_')}.py"), str(self._path))
            text = text.replace(str(copy), str(self._path))
        return text

    @staticmethod
    def _tools(app: App) -> list[str]:
        return [name for name, tool in app.registry.tools.items() if tool.plugin != "conversation"]

    async def _ask(self, question: str) -> bool:
        self._terminal.note(question)
        if not self._lines.interactive:
            return False
        answer = await self._lines.next(self._terminal.message("ask_consent"))
        return (answer or "").strip().casefold() in ("y", "yes", "是")

    def _logs(self) -> list[Path]:
        return list((self._home / "logs").glob("plugin-*.txt"))

    def _printed(self, before: dict[Path, int]) -> Iterator[str]:
        """Yield what the plugin has printed since its log files had these sizes."""
        for path in self._logs():
            data = path.read_bytes()
            start = before.get(path, 0)
            yield from data[start if start <= len(data) else 0 :].decode("utf-8", "replace").splitlines()

    def _write_sample(self, called: DevCall) -> None:
        folder = (self._path if self._path.is_dir() else self._path.parent) / "samples"
        number = 1
        while (file := folder / (f"{called.tool}.txt" if number == 1 else f"{called.tool}-{number}.txt")).exists():
            number += 1
        folder.mkdir(exist_ok=True)
        file.write_bytes(called.raw.encode("utf-8", "surrogatepass"))
        self._terminal.say("plugin_written", file=file)

    def _show(self, lines: Iterable[str]) -> None:
        if not self._terminal.json:
            self._terminal.result({}, lines)
            import sys

            sys.stdout.flush()

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._terminal.note(self._of_files(line))
        self._lines.redraw()


def _stamp(path: Path) -> object:
    """Return what differs when a file of the plugin has changed."""
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.suffix in (".py", ".toml"))
    marks = []
    for each in files:
        with contextlib.suppress(OSError):  # it may be gone by now
            seen = each.stat()
            marks.append((str(each), seen.st_mtime_ns, seen.st_size))
    return tuple(marks)
