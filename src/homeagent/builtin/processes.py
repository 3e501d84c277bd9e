"""Programs with everything they start: one process group, ended as a whole, never a zombie left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import signal
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = ["ProcessGroup", "safe_environment"]

_MARK = "HOMEAGENT_RUN"
_PASSES = 3
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL", re.IGNORECASE)
_PASSWORD_IN_ADDRESS = re.compile(r"://[^/\s:@]*:[^/\s@]+@")
_RUN_BY_SHELLS = frozenset({"BASH_ENV", "ENV"})


def safe_environment(
    source: Mapping[str, str], keep: Collection[str] = (), hide: Collection[str] = ()
) -> dict[str, str]:
    """Return the variables of ``source`` that a program may see.

    Left out are secrets (a name with KEY, TOKEN, SECRET, PASSWORD and the like in it, an address with a password),
    unless ``keep`` names them, what ``hide`` names, and what makes a shell run a file. Of PATH only absolute folders
    stay.
    """
    seen = {name: value for name, value in source.items() if name not in hide}
    found = {name: value for name, value in seen.items() if name in keep or not _is_secret(name, value)}
    if "PATH" in found:
        folders = [folder for folder in found["PATH"].split(os.pathsep) if folder.startswith("/")]
        found["PATH"] = os.pathsep.join(folders)
    return {name: value for name, value in found.items() if name not in _RUN_BY_SHELLS}


def _is_secret(name: str, value: str) -> bool:
    return bool(_SECRET_NAME.search(name) or _PASSWORD_IN_ADDRESS.search(value))


class _Guard:
    """Ends a group when this very program is gone, however it went: its end of a pipe closes then."""

    def __init__(self, group: int) -> None:
        theirs, self._ours = os.pipe()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", 'read line; kill -KILL "-$1"', "guard", str(group)],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            os.close(self._ours)
            raise
        finally:
            os.close(theirs)

    def dismiss(self) -> None:
        """End the guard and leave the group alone."""
        self._process.kill()
        self._process.wait()
        os.close(self._ours)


class ProcessGroup:
    """A program that runs in a session of its own, with everything it starts.

    When the program ends, so does what it left running in its group; `left_behind` then says whether there was any.
    When this process ends without having ended the group, as when it is killed, the group is killed too.
    Made in a running event loop; raises ``OSError`` when the program can't be started.
    """

    def __init__(
        self, argv: Sequence[str], *, folder: Path, environment: Mapping[str, str], stdin: int, output: int
    ) -> None:
        loop = asyncio.get_running_loop()
        self._mark = secrets.token_hex(16)
        self._process = subprocess.Popen(
            argv,
            cwd=folder,
            env={**environment, _MARK: self._mark},
            stdin=stdin,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        self.left_behind = False
        try:
            self._guard = _Guard(self.pid)
        except OSError:
            self._signal(signal.SIGKILL)
            self._process.wait()
            raise
        self._code: asyncio.Future[int] = loop.create_future()
        threading.Thread(target=self._watch, args=(loop,), name="process", daemon=True).start()

    @property
    def pid(self) -> int:
        """The process id of the program, which is also the id of its group."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the program has not ended yet."""
        return not self._code.done()

    async def ended(self) -> int:
        """Wait until the program has ended; return its exit code, negative for the signal that ended it."""
        return await asyncio.shield(self._code)

    def terminate(self) -> None:
        """Ask the group to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the group, and where the system lets one see it what went into a session of its own as well."""
        self._signal(signal.SIGKILL)
        for _ in range(_PASSES):
            marked = _marked_processes(self._mark)
            if not marked:
                return
            for pid in marked:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        # Before it is reaped its number can't belong to anyone else.
        if self._process.returncode is None:
            _signal_group(self.pid, number)

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        _wait_for(self._process)
        try:
            loop.call_soon_threadsafe(self._reap)
        except RuntimeError:  # the loop has ended, nobody waits
            self._guard.dismiss()
            self._process.wait()

    def _reap(self) -> None:
        self._guard.dismiss()  # before the number of the group can be given to another
        code = self._process.wait()
        self.left_behind = _signal_group(self.pid, signal.SIGKILL)
        if not self._code.done():
            self._code.set_result(code)


def _wait_for(process: subprocess.Popen[bytes]) -> None:
    """Wait until the process has ended and leave it to be reaped by the loop, where it is signalled too."""
    if hasattr(os, "waitid"):
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()


def _signal_group(group: int, number: signal.Signals) -> bool:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _marked_processes(mark: str) -> list[int]:
    """Return the processes that inherited the mark; none where there is no ``/proc``."""
    wanted = f"{_MARK}={mark}".encode()
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found
