"""Cleaners run in a process of their own, so that one that hangs or eats memory can be killed.

(A regular expression such as ``(a+)+$`` holds Python's lock for as long as it runs: a thread could not be stopped.)
"""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from homeagent.memory.door.specs import read_cleaner
from homeagent_sdk.errors import SdkError
from homeagent_sdk.frames import CleanReply, CleanRequest, FrameError, decode_reply, encode_request, read_frame

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["Cleaned", "CleanerPlace", "CleanerProcess"]

_SECONDS = 2.0
_SECONDS_PER_MILLION = 2.0
_LEAST_SECONDS = 0.25
_LOAD_SECONDS = 10.0
_LEAST_LOAD_SECONDS = 1.0
_START_SECONDS = 30.0
_MOST_MEMORY_BYTES = 4 * 1024**3
_MEMORY_SHARE = 0.5
_GROWTH = 4
_GROWTH_BYTES = 4 * 1024

_Step = Literal["load", "run"]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a cleaner made of a text: ``text``, or None with the reason why the output is left out.

    ``reason`` is all that is known, for whoever asked; it may quote the output. ``recorded`` is what is stored: the
    same at every rebuild, and nothing of the output. ``gone`` when the cleaner is not there any more: its spec can't
    be read, its module or its function not be loaded.
    """

    text: str | None
    reason: str = ""
    recorded: str = ""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class CleanerPlace:
    """Where cleaners are run: an interpreter with its options, the folders of their modules, environment variables.

    Without ``variables`` the process has those of this one.
    """

    python: tuple[str, ...]
    path: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()


class _Broken(NamedTuple):
    """Why there is no reply, and no process any more."""

    late: bool
    detail: str = ""


class CleanerProcess:
    """One ``homeagent_sdk.worker``, started when it is first needed and again after it had to be killed."""

    def __init__(self, seconds: float = _SECONDS, *, place: CleanerPlace | None = None) -> None:
        self._seconds = seconds
        self._place = place
        self._process: subprocess.Popen[bytes] | None = None
        self._loaded: set[str] = set()
        self._lock = threading.Lock()
        self._late: dict[tuple[_Step, str], int] = {}

    def clean(self, cleaner: str, text: str) -> Cleaned:
        """Run ``cleaner`` on ``text``; never raises for what the cleaner does.

        Its time limit is 2 s, and 2 s more for each million characters; a cleaner that outlived it before gets less,
        so that a thousand outputs of one bad cleaner do not take an hour. To start the process and to load the
        cleaner have limits of their own.
        """
        limit = _GROWTH * len(text.encode("utf-8", "surrogatepass")) + _GROWTH_BYTES
        with self._lock:
            if not self._in_step() and not self._in_step():  # the second time with a new process
                return _refused("its cleaner's process died")
            if cleaner not in self._loaded:
                failed = self._load(cleaner)
                if failed is not None:
                    return failed
            return self._run(CleanRequest(cleaner, text, self._path(), limit))

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._stop()

    def _path(self) -> tuple[str, ...]:
        return self._place.path if self._place else tuple(sys.path)

    def _in_step(self) -> bool:
        """Whether the process answers what it is asked now; one that has a reply too many in its pipe is stopped."""
        mark = _mark()
        if _is_marked(self._exchange(CleanRequest(mark, ""), _START_SECONDS), mark):
            return True
        self._stop()
        return False

    def _load(self, cleaner: str) -> Cleaned | None:
        """Have the process load a cleaner without running it; return why it can't be.

        All stages are loaded before the first one runs, and ``json()`` in front fails on a text that is empty.
        """
        mark = _mark()
        seconds = self._limit("load", cleaner, _LOAD_SECONDS, _LEAST_LOAD_SECONDS)
        reply = self._exchange(CleanRequest(f"{mark} | {cleaner}", "", self._path()), seconds)
        if _is_marked(reply, mark):
            self._loaded.add(cleaner)
            return None
        match reply:
            case CleanReply():
                detail, recorded = reply.message or reply.kind, _name(reply.kind)
            case _Broken(late=True):
                self._late["load", cleaner] = self._late.get(("load", cleaner), 0) + 1
                detail, recorded = f"stopped after {seconds:.2g} s", "it takes too long"
            case _Broken():
                detail, recorded = "its process died", "its process died"
        return Cleaned(
            None, f"its cleaner can't be loaded: {detail}", f"its cleaner can't be loaded: {cleaner} ({recorded})", True
        )

    def _run(self, request: CleanRequest) -> Cleaned:
        seconds = self._seconds + _SECONDS_PER_MILLION * len(request.text) / 1e6
        seconds = self._limit("run", request.cleaner, seconds, _LEAST_SECONDS)
        reply = self._exchange(request, seconds)
        match reply:
            case _Broken(late=True):
                self._late["run", request.cleaner] = self._late.get(("run", request.cleaner), 0) + 1
                return _refused("its cleaner was stopped", f" after {seconds:.2g} s", ": it took too long")
            case _Broken():
                return _refused("its cleaner's process died", f": {reply.detail}" if reply.detail else "")
        self._late.pop(("run", request.cleaner), None)
        return _outcome(request, reply)

    def _limit(self, step: _Step, cleaner: str, seconds: float, least: float) -> float:
        return max(least, seconds * 0.5 ** self._late.get((step, cleaner), 0))

    def _exchange(self, request: CleanRequest, seconds: float) -> CleanReply | _Broken:
        """Send a request and read one reply; without a good one in time the process is stopped."""
        process = self._running()
        requests, replies = _pipes(process)
        expired = threading.Event()

        def stop() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        detail = ""
        try:
            requests.write(encode_request(request))
            requests.flush()
            frame = read_frame(replies)
            if frame is not None:
                return decode_reply(frame)
        except (OSError, FrameError) as error:
            detail = str(error)
        finally:
            timer.cancel()
        self._stop()
        return _Broken(expired.is_set(), detail)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._stop()
            python, variables = (self._place.python, self._place.variables) if self._place else ((sys.executable,), ())
            command = [*python, "-m", "homeagent_sdk.worker", "--max-memory", str(_memory_bytes())]
            self._process = subprocess.Popen(
                command,
                env=dict(variables) or None,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl+C is for us; the worker ends when its stdin does
            )
        return self._process

    def _stop(self) -> None:
        self._loaded.clear()
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not yet written to a dead process
                    pipe.close()
        process.wait()


def _memory_bytes() -> int:
    """Return how much a cleaner may take: half of a small machine's memory, and never more than 4 GiB."""
    return min(_MOST_MEMORY_BYTES, int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * _MEMORY_SHARE))


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    requests, replies = process.stdin, process.stdout
    if requests is None or replies is None:
        raise RuntimeError("the worker was started without pipes")
    return requests, replies  # type: ignore[return-value]  # Popen's IO[bytes] is a BinaryIO


def _mark() -> str:
    """Return a stage that fails, and says its own name when it does: nobody knows beforehand which one it will be."""
    return f"json(mark-{secrets.token_hex(8)})"


def _is_marked(reply: CleanReply | _Broken, mark: str) -> bool:
    return isinstance(reply, CleanReply) and reply.kind == "CleanerError" and reply.message.startswith(f"{mark}: ")


def _outcome(request: CleanRequest, reply: CleanReply) -> Cleaned:
    match reply.status:
        case "ok" if request.limit is None or len(reply.text) <= request.limit:
            return Cleaned(reply.text)
        case "error":
            stage = _stage_of(request.cleaner, reply.message)
            return _refused("its cleaner failed: ", reply.message or reply.kind, f"{stage} ({_name(reply.kind)})")
        case "not_text":
            return _refused(f"its cleaner returned {_name(reply.kind)}, not str")
        case _:
            return _refused("its cleaner returned more than four times what it was given")


def _refused(what: str, told: str = "", recorded: str = "") -> Cleaned:
    return Cleaned(None, what + told, what + recorded)


def _name(kind: str) -> str:
    """Return the name of a class; a plugin may have given it any text for one."""
    return kind if kind.isidentifier() else "unknown"


def _stage_of(cleaner: str, message: str) -> str:
    """Return the stage that an error names as its place, else the whole cleaner."""
    try:
        stages = [stage.spec for stage in read_cleaner(cleaner).stages]
    except SdkError:
        return cleaner
    return next((stage for stage in stages if message.startswith(f"{stage}: ")), cleaner)
