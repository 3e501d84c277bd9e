"""A peer's driver as a process: requests and answers are JSON lines, what it says besides goes to a file."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

__all__ = ["Answer", "Driver", "PeerError"]

_ROOT: Final = Path(__file__).resolve().parents[2]
_SECONDS: Final = 1800
_TOLD: Final = 800


class PeerError(Exception):
    """Why a peer can't be measured, in its own words."""


class Answer(msgspec.Struct, frozen=True):
    """What a driver answers: to every request ``seconds``, to ``open`` and ``ask`` more."""

    seconds: float
    version: str = ""
    uses_vectors: bool = False
    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


class Driver:
    """Starts ``python -m module``, and ends it when the block ends.

    The process sees this repository's ``bench`` and its own environment, and no other ``PYTHONPATH``, unless it runs
    in this very environment; the peer's folder is its working folder.
    """

    def __init__(self, python: Path, module: str, folder: Path, *, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self._rest = b""
        paths = [str(_ROOT), *([path for path in sys.path if path] if str(python) == sys.executable else ())]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
        self._process = subprocess.Popen(
            [str(python), "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            cwd=folder,
            env=environment,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._said.close()

    def open(self, folder: Path, vectors: str) -> Answer:
        """Make the peer in ``folder``, with the address of the embedder."""
        return self._asked({"do": "open", "folder": str(folder), "vectors": vectors})

    def add(self, chat: str, units: Sequence[dict[str, object]]) -> Answer:
        """Keep units in a chat."""
        return self._asked({"do": "add", "chat": chat, "units": list(units)})

    def ask(self, chat: str, text: str, limit: int) -> Answer:
        """Search in a chat."""
        return self._asked({"do": "ask", "chat": chat, "text": text, "limit": limit})

    def close(self) -> Answer:
        """Let the peer write everything to the disk and end."""
        return self._asked({"do": "close"})

    def _asked(self, request: dict[str, object]) -> Answer:
        """Return the answer. Raises `PeerError` when the process ended, was silent too long, or said something else."""
        line = msgspec.json.encode(request) + b"\n"
        to, back = self._process.stdin, self._process.stdout
        if to is None or back is None:
            raise AssertionError("the pipes were asked for")
        try:
            to.write(line)
            to.flush()
            answered = self._line(back.fileno(), str(request["do"]))
        except BrokenPipeError:
            raise PeerError(self._last_words()) from None
        if not answered:
            raise PeerError(self._last_words())
        try:
            return msgspec.json.decode(answered, type=Answer)
        except msgspec.MsgspecError as error:
            raise PeerError(f"answered {answered[:100]!r}: {error}") from error

    def _line(self, source: int, what: str) -> bytes:
        """Return the next whole line, or b"" at the end."""
        while b"\n" not in self._rest:
            ready, _, _ = select.select([source], [], [], self._seconds)
            if not ready:
                raise PeerError(f"no answer to '{what}' after {self._seconds} s")
            part = os.read(source, 1 << 16)
            if not part:
                return b""
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _last_words(self) -> str:
        self._process.wait(30)
        self._said.seek(0)
        said = self._said.read().decode("utf-8", "replace").strip()
        if "Traceback" in said:
            said = said.splitlines()[-1]
        return said[-_TOLD:] or f"ended with {self._process.returncode} and said nothing"
