"""Cleaners run in a process of their own, so that one that hangs or eats memory can be killed.

(A regular expression such as ``(a+)+$`` holds Python's lock for as long as it runs: a thread could not be stopped.)
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent_sdk.frames import CleanRequest, FrameError, decode_reply, encode_request, read_frame

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["Cleaned", "CleanerProcess"]

_SECONDS = 2.0
_SECONDS_PER_MILLION = 2.0
_LEAST_SECONDS = 0.25
_MEMORY_BYTES = 4 * 1024**3
_GROWTH = 4
_GROWTH_BYTES = 4 * 1024


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a cleaner made of a text: ``text``, or None with the ``reason`` why the output is left out."""

    text: str | None
    reason: str = ""


class CleanerProcess:
    """One ``homeagent_sdk.worker``, started when it is first needed and again after it had to be killed."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._late: dict[str, int] = {}

    def clean(self, cleaner: str, text: str) -> Cleaned:
        """Run ``cleaner`` on ``text``; never raises for what the cleaner does.

        Its time limit is 2 s, and 2 s more for each million characters; a cleaner that outlived it before gets less,
        so that a thousand outputs of one bad cleaner do not take an hour.
        """
        limit = _GROWTH * len(text.encode("utf-8", "surrogatepass")) + _GROWTH_BYTES
        seconds = self._seconds + _SECONDS_PER_MILLION * len(text) / 1e6
        seconds = max(_LEAST_SECONDS, seconds / 2 ** self._late.get(cleaner, 0))
        with self._lock:
            return self._ask(CleanRequest(cleaner, text, tuple(sys.path), limit), seconds)

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._stop()

    def _ask(self, request: CleanRequest, seconds: float) -> Cleaned:
        process = self._running()
        requests, replies = _pipes(process)
        expired = threading.Event()

        def stop() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            requests.write(encode_request(request))
            requests.flush()
            frame = read_frame(replies)
        except (OSError, FrameError) as error:
            self._stop()
            return (
                self._timed_out(request, seconds) if expired.is_set() else Cleaned(None, f"its cleaner died: {error}")
            )
        finally:
            timer.cancel()
        if frame is None:
            self._stop()
            return (
                self._timed_out(request, seconds) if expired.is_set() else Cleaned(None, "its cleaner's process died")
            )
        return self._outcome(request, frame)

    def _outcome(self, request: CleanRequest, frame: bytes) -> Cleaned:
        self._late.pop(request.cleaner, None)
        reply = decode_reply(frame)
        match reply.status:
            case "ok":
                return Cleaned(reply.text)
            case "error":
                return Cleaned(None, f"its cleaner failed: {reply.message or reply.kind}")
            case "not_text":
                return Cleaned(None, f"its cleaner returned {reply.kind}, not str")
            case "too_long":
                return Cleaned(None, "its cleaner returned more than four times what it was given")

    def _timed_out(self, request: CleanRequest, seconds: float) -> Cleaned:
        self._late[request.cleaner] = self._late.get(request.cleaner, 0) + 1
        return Cleaned(None, f"its cleaner was stopped after {seconds:.2g} s")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._stop()
            command = [sys.executable, "-m", "homeagent_sdk.worker", "--max-memory", str(_MEMORY_BYTES)]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl+C is for us; the worker ends when its stdin does
            )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not yet written to a dead process
                    pipe.close()
        process.wait()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    requests, replies = process.stdin, process.stdout
    if requests is None or replies is None:
        raise RuntimeError("the worker was started without pipes")
    return requests, replies  # type: ignore[return-value]  # Popen's IO[bytes] is a BinaryIO
