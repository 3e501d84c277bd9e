"""What foreign code of this process prints goes to a log: standard output belongs to whoever talks to the person."""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, TextIO, cast

if TYPE_CHECKING:
    import logging
    from types import TracebackType

__all__ = ["PrintedTo", "Speaker"]

_LOCK: Final = threading.Lock()
_LONGEST_LINE = 2_000


@dataclass(frozen=True, slots=True)
class Speaker:
    """Whose prints go where: to a log, or nowhere."""

    log: logging.Logger | None


_SPEAKER: Final[contextvars.ContextVar[Speaker | None]] = contextvars.ContextVar("speaker", default=None)


class _Switch:
    """Stands in for ``sys.stdout``: passes everything on, but for what runs inside a `PrintedTo`."""

    def __init__(self, real: TextIO) -> None:
        self.real = real
        self.users = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self.real, name)

    def write(self, text: str) -> int:
        """Write to the log of whoever speaks, or to the real stream."""
        speaker = _SPEAKER.get()
        if speaker is None:
            return self.real.write(text)
        for line in text.splitlines():
            if line.strip() and speaker.log is not None:
                speaker.log.info("printed: %s", line[:_LONGEST_LINE])
        return len(text)

    def flush(self) -> None:
        """Flush the real stream, unless a plugin asks."""
        if _SPEAKER.get() is None:
            self.real.flush()


class PrintedTo:
    """While it is entered, what the code inside prints goes to a log (None: nowhere), in its threads and tasks too."""

    def __init__(self, log: logging.Logger | None) -> None:
        self._speaker = Speaker(log)
        self._token: contextvars.Token[Speaker | None] | None = None
        self._switch: _Switch | None = None

    def __enter__(self) -> Self:
        self._token = _SPEAKER.set(self._speaker)
        with _LOCK:
            present: object = sys.stdout
            self._switch = present if isinstance(present, _Switch) else _Switch(sys.stdout)
            self._switch.users += 1
            sys.stdout = cast("TextIO", self._switch)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            with contextlib.suppress(ValueError):  # a call that was left behind is ended out of its context
                _SPEAKER.reset(self._token)
        with _LOCK:
            if self._switch is not None:
                self._switch.users -= 1
                if self._switch.users == 0 and cast("object", sys.stdout) is self._switch:
                    sys.stdout = self._switch.real
