"""A real server in a process of its own, on a port of its own, as a person would start it: for tests and benches."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Self

from dev.ratchet import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dev.forking import Forked

__all__ = ["Served", "plain_environment"]

_START_SECONDS = 120
_STOP_SECONDS = 60


def plain_environment(**more: str) -> dict[str, str]:
    """Return the environment without what is set up for this person, with the program of this repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HOMEAGENT_HOME", "LANG", "LC_"))}
    path = os.pathsep.join(str(ROOT / each) for each in ("src", "sdk/src", "."))
    return {**kept, "PYTHONPATH": path, "LANG": "C.UTF-8", **more}


@dataclass
class Served:
    """A server that runs for the block. ``token`` is the one it printed; ``stdout`` and ``stderr`` its lines so far."""

    home: Path
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    token: str = ""
    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        self.process = self._start(self._arguments(), plain_environment(**self.variables))
        lines: queue.Queue[str | None] = queue.Queue()
        self._readers = [
            threading.Thread(target=_read, args=(self.process.stdout, self.stdout, lines), daemon=True),
            threading.Thread(target=_read, args=(self.process.stderr, self.stderr, None), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        while not self.url or ("--no-token" not in self.options and not self.token):
            line = lines.get(timeout=_START_SECONDS)
            if line is None:
                raise RuntimeError(f"it ended before it listened: {''.join(self.stderr)}")
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.url = self.url or found[0]
            if found := re.fullmatch(r"token: ([A-Za-z0-9_-]{16,})", line.rstrip("\n")):
                self.token = found[1]
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            for reader in self._readers:
                reader.join(10)
            for pipe in (self.process.stdout, self.process.stderr):
                if pipe is not None:
                    pipe.close()

    def _arguments(self) -> tuple[str, ...]:
        return ("serve", "--port", "0", "--home", str(self.home), *self.options)

    def _start(self, arguments: tuple[str, ...], variables: Mapping[str, str]) -> subprocess.Popen[str] | Forked:
        return subprocess.Popen(
            [sys.executable, "-m", "homeagent", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=variables,
            text=True,
            encoding="utf-8",
        )

    def kill(self) -> None:
        """End it with ``kill -9``."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """End it as it should be ended; return what it left with."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_STOP_SECONDS)

    def logged(self) -> list[dict[str, object]]:
        """Return the lines of its log so far."""
        return [json.loads(line) for line in self.stderr if line.startswith("{")]


def _read(pipe: IO[str], kept: list[str], lines: queue.Queue[str | None] | None) -> None:
    for line in pipe:
        kept.append(line)
        if lines is not None:
            lines.put(line)
    if lines is not None:
        lines.put(None)
