"""Server-sent events (WHATWG HTML, section 9.2), read forgivingly, and whatever else a server answers instead."""

from __future__ import annotations

import json
from typing import Final

__all__ = ["AnswerReader", "TooLongAnswerError"]

_FIELDS: Final = (b"data", b"event", b"id", b"retry")
_LONGEST: Final = 64 * 1024 * 1024


class TooLongAnswerError(Exception):
    """A line or an event of more than 64 MiB."""


class AnswerReader:
    r"""Turns the bytes of an answer into the texts of its ``data`` fields, in pieces of any size.

    Forgives what servers do: any of the three line ends, no blank line between two events that are each whole JSON,
    invalid UTF-8. Lines that are no event at all are kept in `other`: a server that does not stream answers with them.
    A line is cut at ``\r`` and ``\n`` only: JSON may hold U+2028 and its like as they are.
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []
        self._other = bytearray()
        self._after_return = False

    @property
    def other(self) -> str:
        """The lines that are no event, in one text."""
        return self._other.decode("utf-8", "replace").removeprefix("\ufeff").strip()

    def feed(self, piece: bytes) -> list[str]:
        """Return the events that are complete now. Raises `TooLongAnswerError`."""
        if self._after_return:
            piece = piece.removeprefix(b"\n")
        self._after_return = piece.endswith(b"\r")
        *lines, rest = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        found: list[str] = []
        for line in lines:
            self._line += line
            whole = bytes(self._line)
            self._line.clear()
            found += self._read(whole)
        self._line += rest
        if max(len(self._line), len(self._other), sum(map(len, self._data))) > _LONGEST:
            raise TooLongAnswerError
        return found

    def finish(self) -> list[str]:
        """Return what the end of the answer completes."""
        self._after_return = False
        return self.feed(b"\n\n")

    def _read(self, line: bytes) -> list[str]:
        name, _, value = line.partition(b":")
        if not line:
            return self._event()
        if name == b"data":
            before = self._event() if self._data and _is_json(b"\n".join(self._data)) else []
            self._data.append(value.removeprefix(b" "))
            return before
        if name and name not in _FIELDS:
            self._other += line + b"\n"
        return []

    def _event(self) -> list[str]:
        if not self._data:
            return []
        text = b"\n".join(self._data).decode("utf-8", "replace").strip()
        self._data.clear()
        return [text]


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return data.strip() == b"[DONE]"
    return True
