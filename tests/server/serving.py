"""A server as the tests use it: with clients for the owner and for members, and the command line beside it."""

from __future__ import annotations

import atexit
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar

import httpx2

from dev import served
from dev.forking import Forked, Forker
from dev.served import plain_environment

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping
    from pathlib import Path


_FORKER = Forker(plain_environment())
atexit.register(_FORKER.close)


class Served(served.Served):
    """A server that runs for the block, in a fork of a process that has imported the program unless ``forked`` is off."""

    forked: ClassVar[bool] = True

    def _start(self, arguments: tuple[str, ...], variables: Mapping[str, str]) -> subprocess.Popen[str] | Forked:
        return _FORKER.start(arguments, variables) if self.forked else super()._start(arguments, variables)

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


class Started(Served):
    """A server that runs for the block and is started as a person would start it."""

    forked = False


def environment(**more: str) -> dict[str, str]:
    return plain_environment(**more)


def homeagent(home: Path, *words: str, code: int = 0) -> str:
    """Run a command of the command line on a home and return what it printed."""
    running = _FORKER.start([*words, "--home", str(home)], environment())
    with running.stdout, running.stderr, ThreadPoolExecutor(1) as beside:
        problems = beside.submit(running.stderr.read)
        printed = running.stdout.read()
        ended = running.wait(60)
    assert ended == code, problems.result() + printed
    return printed


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
