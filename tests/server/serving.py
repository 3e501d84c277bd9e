"""A real server in a process of its own, on a port of its own, as a person would start it."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import httpx2

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HOMEAGENT", "LANG", "LC_"))}
    path = os.pathsep.join(str(ROOT / each) for each in ("src", "sdk/src", "."))
    return {
        **kept,
        "PYTHONPATH": path,
        "LANG": "C.UTF-8",
        "HOMEAGENT_CACHE": os.environ.get("HOMEAGENT_CACHE", ""),
        **more,
    }


@dataclass
class Served:
    """A server that runs. ``token`` is the one it printed; ``stdout`` and ``stderr`` are its lines so far."""

    home: Path
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    token: str = ""
    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "homeagent", "serve", "--port", "0", "--home", str(self.home), *self.options]
        variables = {name: value for name, value in environment(**self.variables).items() if value}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables, encoding="utf-8"
        )
        lines: queue.Queue[str | None] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.stdout, lines), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.stderr, None), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        wants_token = "--no-token" not in self.options
        while not self.url or (wants_token and not self.token):
            line = lines.get(timeout=START_SECONDS)
            if line is None:
                raise AssertionError(f"it ended before it listened: {''.join(self.stderr)}")
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.url = self.url or found[0]
            if found := re.fullmatch(r"token: ([A-Za-z0-9_-]{16,})", line.rstrip("\n")):
                self.token = found[1]
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            for reader in self._readers:
                reader.join(10)
            for pipe in (self.process.stdout, self.process.stderr):
                if pipe is not None:
                    pipe.close()

    def _read(self, pipe, kept: list[str], lines: queue.Queue[str | None] | None) -> None:  # type: ignore[no-untyped-def]
        for line in pipe:
            kept.append(line)
            if lines is not None:
                lines.put(line)
        if lines is not None:
            lines.put(None)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def client(self, token: str | None = None, **headers: str) -> httpx2.Client:
        used = self.token if token is None else token
        if used:
            headers = {"authorization": f"Bearer {used}", **headers}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=60)

    def member(self, person: str) -> str:
        """Make a token for a member of the household and return it."""
        with self.client() as owner:
            answer = owner.post("/api/tokens", json={"person": person})
            assert answer.status_code == 201, answer.text
            return str(answer.json()["value"])

    def logged(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.stderr if line.startswith("{")]


def homeagent(home: Path, *words: str, code: int = 0) -> str:
    """Run a command of the command line on a home and return what it printed."""
    command = [sys.executable, "-m", "homeagent", *words, "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False, encoding="utf-8")
    assert done.returncode == code, done.stderr + done.stdout
    return done.stdout


def until(true: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for something that comes by and by."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


def configured(home: Path, text: str) -> Path:
    """Write the settings of a home that is not there yet."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    (home / "config.toml").write_text(text, encoding="utf-8")
    return home
