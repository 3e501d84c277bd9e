"""Cleaners tried on recorded outputs, in a process that can be killed."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from homeagent_sdk.errors import Problem
from homeagent_sdk.frames import CleanReply, CleanRequest, FrameError, decode_reply, encode_request, read_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

__all__ = ["Place", "TriedCleaners", "find_samples"]

_SECONDS: Final = 2.0
_SECONDS_PER_MILLION: Final = 2.0
_START_SECONDS: Final = 30.0
_GROWTH: Final = 4
_GROWTH_BYTES: Final = 4 * 1024
_FOLDERS: Final = ("samples", "tests/samples")


@dataclass(frozen=True)
class Place:
    """Where a plugin's code is run: the interpreter with its options, and the variables of its environment.

    ``cleaning`` are the interpreter and options for its cleaners, where they are others. Without ``variables`` the
    process has those of this one.
    """

    python: tuple[str, ...] = (sys.executable, "-P")
    variables: Mapping[str, str] | None = None
    cleaning: tuple[str, ...] = ()


def find_samples(folder: Path, tool: str) -> tuple[Path, ...]:
    """Return the recorded outputs of a tool: ``samples/TOOL.txt``, ``samples/TOOL-ANYTHING.txt`` in its folder."""
    found = (path for name in _FOLDERS for path in sorted((folder / name).glob("*.txt")))
    return tuple(path for path in found if path.stem == tool or path.stem.startswith(f"{tool}-"))


@dataclass
class TriedCleaners:
    """Runs cleaners of one plugin on samples. Use it with ``with``; the process is started when it is needed."""

    place: Place
    folder: Path
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def problems(self, tool: str, cleaner: str, samples: Sequence[Path]) -> Iterator[Problem]:
        """Yield what is wrong with the cleaner of a tool on these outputs of it."""
        where = f"cleaner of {tool}"
        if not samples:
            step = f"Put a real one into samples/{tool}.txt; homeagent plugin dev writes it with :sample"
            yield Problem(where, "there is no recorded output of the tool to try it on", step)
            return
        results: list[tuple[str, str]] = []
        for path in samples:
            try:
                text = path.read_bytes().decode("utf-8", "surrogatepass")
            except (OSError, ValueError) as error:
                yield Problem(f"{where}, {path.name}", f"can't be read ({error})", "Save it as UTF-8")
                continue
            result = self._tried(f"{where}, {path.name}", cleaner, text)
            if isinstance(result, Problem):
                yield result
            else:
                results.append((text, result))
        if results and all(text == result for text, result in results):
            told = "it never matches: every recorded output goes through it as it is"
            yield Problem(where, told, "Mend the cleaner, take it out, or record an output that it changes")
        if results and not any(result.strip() for _, result in results):
            told = "it lets nothing of any recorded output through"
            yield Problem(where, told, "Mend the cleaner, or write no_memory=True, which says so")

    def _tried(self, where: str, cleaner: str, text: str) -> str | Problem:
        """Return what a cleaner makes of a text, or what is wrong with that."""
        length = len(text.encode("utf-8", "surrogatepass"))
        request = CleanRequest(cleaner, text, (str(self.folder),), _GROWTH * length + _GROWTH_BYTES)
        seconds = _SECONDS + _SECONDS_PER_MILLION * len(text) / 1e6
        if self._asked(CleanRequest("head(0)", ""), _START_SECONDS) is None:
            return Problem(where, "its process can't be started", "See whether Python runs there")
        first = self._asked(request, seconds)
        if first is None:
            told = f"it does not come to an end within {seconds:.2g} seconds, or ends its process"
            return Problem(where, told, "Take out what backtracks, such as (a+)+, or read less of the text")
        match first.status:
            case "error":
                step = "Mend the cleaner; an output that it raises on is left out"
                return Problem(where, f"it raises {first.kind}: {first.message}", step)
            case "not_text":
                return Problem(where, f"it returns {first.kind}, not str", "Return a text")
            case "too_long":
                told = f"it returns more than 4 times its input and {_GROWTH_BYTES} bytes"
                return Problem(where, told, "Return less: a cleaner takes away")
        again = self._asked(request, seconds)
        if again is None or again.text != first.text:
            step = "Make it depend on its text and on nothing else"
            return Problem(where, "it gives another result the second time", step)
        return first.text

    def _asked(self, request: CleanRequest, seconds: float) -> CleanReply | None:
        """Return the reply to a request, or None without one in time; the process is killed then."""
        process = self._running()
        timer = threading.Timer(seconds, process.kill)
        timer.daemon = True
        timer.start()
        try:
            if process.stdin is not None and process.stdout is not None:
                process.stdin.write(encode_request(request))
                process.stdin.flush()
                frame = read_frame(process.stdout)  # type: ignore[arg-type]  # Popen's IO[bytes] is a BinaryIO
                if frame is not None:
                    return decode_reply(frame)
        except (OSError, FrameError):
            pass  # it has ended: the same as no reply
        finally:
            timer.cancel()
        self._stop()
        return None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            variables = None if self.place.variables is None else dict(self.place.variables)
            python = self.place.cleaning or self.place.python
            self._process = subprocess.Popen(
                [*python, "-m", "homeagent_sdk.worker"],
                env=variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was not yet written to a dead process
        process.wait()
