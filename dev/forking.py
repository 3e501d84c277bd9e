"""Starts the program many times over for tests: a process that has imported it forks, and the fork goes on from there.

What it does after its imports is what ``python -m homeagent`` does: same arguments, variables, folder, files and
signals, in a process of its own. Half of the processor time of a start is saved. Where a start itself is what is
tested, start it for real.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, TypedDict

from dev.ratchet import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Forked", "Forker"]

_IMPORTED: Final = (
    "homeagent.cli.serve",
    "homeagent.cli.answering",
    "homeagent.server.serving",
    "homeagent.server.page",
    "homeagent.app",
    "homeagent.builtin",
    "homeagent.memory.distil.facts",
    "openai.resources.chat.completions",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
    "aiohttp",
)
"""What a server and its first turn import."""
_LONGEST: Final = 1 << 20
_SECONDS: Final = 60


class Forked:
    """A process that a `Forker` started, with what `subprocess.Popen` offers of it."""

    def __init__(self, answers: socket.socket, pid: int, stdout: IO[str], stderr: IO[str]) -> None:
        self.pid = pid
        self.stdout = stdout
        self.stderr = stderr
        self.returncode: int | None = None
        self._answers = answers
        self._handle = os.pidfd_open(pid)

    def send_signal(self, number: int) -> None:
        """Send it a signal, never to another process that has its number now."""
        if self.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        """Return its exit code, or the negative number of the signal that ended it; None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return what `poll` does. Raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            self._answers.settimeout(_SECONDS)
            if not select.select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("homeagent", timeout or 0)
            self.returncode = int(self._answers.recv(_LONGEST) or b"-9")
            self._answers.close()
            os.close(self._handle)
        return self.returncode


class Forker:
    """The process that forks. It starts at the first use and ends with the one that holds this."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = dict(variables)
        self._process: subprocess.Popen[bytes] | None = None
        self._asks: socket.socket | None = None

    def start(self, arguments: Sequence[str], variables: Mapping[str, str]) -> Forked:
        """Start ``python -m homeagent`` with these arguments and variables, its output in pipes."""
        asks = self._asks or self._begin()
        (out, child_out), (error, child_error) = os.pipe(), os.pipe()
        answers, child_answers = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        wanted: _Wanted = {"arguments": list(arguments), "variables": dict(variables), "folder": str(Path.cwd())}
        handed = [child_answers.fileno(), child_out, child_error]
        socket.send_fds(asks, [json.dumps(wanted).encode("utf-8", "surrogateescape")], handed)
        for each in handed[1:]:
            os.close(each)
        child_answers.close()
        answers.settimeout(_SECONDS)
        pid = int(answers.recv(_LONGEST))
        return Forked(answers, pid, os.fdopen(out, encoding="utf-8"), os.fdopen(error, encoding="utf-8"))

    def _begin(self) -> socket.socket:
        asks, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "dev.forking", str(asked.fileno())]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, cwd=ROOT, env=self._variables, pass_fds=[asked.fileno()]
        )
        asked.close()
        self._asks = asks
        return asks

    def close(self) -> None:
        """End the process that forks; what it started goes on."""
        if self._process is not None and self._asks is not None:
            self._asks.close()
            self._process.wait()
            self._process = self._asks = None


def _serve(asked: socket.socket) -> list[str]:
    """Fork for each message until there are no more; return the arguments in a fork."""
    first = dict(os.environ)
    ended, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes)
    running: dict[int, socket.socket] = {}
    while True:
        ready = select.select([asked.fileno(), ended], [], [])[0]
        if ended in ready:
            os.read(ended, 4096)
            _reap(running)
        if asked.fileno() not in ready:
            continue
        message, handed, _, _ = socket.recv_fds(asked, _LONGEST, 3)
        if not message:
            os._exit(0)
        answers = socket.socket(fileno=handed[0])
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for each in (asked, answers, *running.values()):
                each.close()
            os.close(ended)
            os.close(wakes)
            return _become(json.loads(message.decode("utf-8", "surrogateescape")), handed[1:], first)
        for number in handed[1:]:
            os.close(number)
        running[pid] = answers
        answers.send(str(pid).encode())


def _reap(running: dict[int, socket.socket]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        answers = running.pop(pid)
        with contextlib.suppress(OSError):  # nobody waits for it any more
            answers.send(str(os.waitstatus_to_exitcode(status)).encode())
        answers.close()


class _Wanted(TypedDict):
    arguments: list[str]
    variables: dict[str, str]
    folder: str


def _become(wanted: _Wanted, handed: list[int], first: Mapping[str, str]) -> list[str]:
    """Take on files, variables and folder of the process that is wanted; return its arguments."""
    for number, each in enumerate(handed, start=1):
        os.dup2(each, number)
        os.close(each)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    for name in first:
        if name not in wanted["variables"]:
            os.environ.pop(name, None)
    os.environ.update(wanted["variables"])
    os.chdir(wanted["folder"])
    time.tzset()
    return wanted["arguments"]


if __name__ == "__main__":
    for _each in _IMPORTED:
        importlib.import_module(_each)
    sys.argv[1:] = _serve(socket.socket(fileno=int(sys.argv[1])))
    runpy.run_module("homeagent", run_name="__main__", alter_sys=True)
