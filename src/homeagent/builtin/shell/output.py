"""The output of a program, whatever bytes it is and however much."""

from __future__ import annotations

import codecs

__all__ = ["BoundedOutput", "as_text"]

_PIECE = 16_384
_CONTINUATION = range(0x80, 0xC0)


class BoundedOutput:
    """Bytes as they come; of more than ``limit`` of them the beginning and the end are kept, half of it each."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self._beginning = bytearray()
        self._end = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        self.total += len(data)
        room = self._half - len(self._beginning)
        self._beginning += data[:room]
        self._end += data[room:]
        if len(self._end) > 2 * self._half:  # not each time: moving the rest costs
            del self._end[: -self._half]

    def last_line(self) -> str:
        """Return the last line that is not empty, of the last 1,000 bytes."""
        last = bytes((self._end or self._beginning)[-1000:])
        lines = [line for line in as_text(last).splitlines() if line.strip()]
        return lines[-1] if lines else ""

    def text(self) -> str:
        """Return everything, or the beginning and the end with a mark between them that says what is missing."""
        end = bytes(self._end[-self._half :])
        cut = self.total - len(self._beginning) - len(end)
        if cut <= 0:
            return as_text(bytes(self._beginning) + end)
        beginning = _without_partial_end(bytes(self._beginning))
        end = _without_partial_start(end)
        cut = self.total - len(beginning) - len(end)
        mark = (
            f"\n[... {cut:,} of {self.total:,} bytes are cut out here and kept nowhere; "
            "to see them, let the command write to a file and read that in parts ...]\n"
        )
        return as_text(beginning) + mark + as_text(end)


def as_text(data: bytes) -> str:
    r"""Return bytes as text: UTF-8, and what is not as ``\xff``, so that no byte is lost."""
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    # Piece by piece, so that other threads get their turn: ten megabytes of anything but text take a second.
    pieces = [decoder.decode(data[start : start + _PIECE]) for start in range(0, len(data), _PIECE)]
    return "".join([*pieces, decoder.decode(b"", final=True)])


def _without_partial_end(data: bytes) -> bytes:
    """Drop a character of UTF-8 whose last bytes are missing."""
    for length in range(1, min(4, len(data) + 1)):
        byte = data[-length]
        if byte not in _CONTINUATION:
            needed = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
            return data[:-length] if needed > length else data
    return data


def _without_partial_start(data: bytes) -> bytes:
    start = 0
    while start < min(3, len(data)) and data[start] in _CONTINUATION:
        start += 1
    return data[start:]
