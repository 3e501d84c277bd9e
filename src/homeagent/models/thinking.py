"""Text as it streams: thoughts in ``<think>`` tags told from the reply, characters that were cut in two made whole."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ThoughtSplitter", "WholeCharacters", "paired"]

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"
_PAIR: Final = re.compile("([\ud800-\udbff])([\udc00-\udfff])")
_HALF: Final = re.compile("[\ud800-\udfff]")


class ThoughtSplitter:
    """Tells the thoughts of a local model, which stand in ``<think>...</think>`` before its reply, from the reply.

    Only at the very beginning: a reply that speaks about the tag later stays as it is.
    """

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, text: str) -> tuple[str, str]:
        """Return the thoughts and the text of the reply that are certain now."""
        if self._state == "reply":
            return "", text
        self._held += text
        if self._state == "start":
            begun = self._held.lstrip()
            if _OPEN.startswith(begun[: len(_OPEN)]) and len(begun) < len(_OPEN):
                return "", ""
            if not begun.startswith(_OPEN):
                return "", self._release("reply")
            self._state, self._held = "thoughts", begun.removeprefix(_OPEN)
        if self._state == "gap":
            return "", self._after_gap()
        thoughts, closed, reply = self._held.partition(_CLOSE)
        if closed:
            self._state, self._held = "gap", reply
            return thoughts, self._after_gap()
        kept = _tail_that_may_close(self._held)
        thoughts, self._held = self._held[: len(self._held) - kept], self._held[len(self._held) - kept :]
        return thoughts, ""

    def finish(self) -> tuple[str, str]:
        """Return what was held back, at the end of the reply."""
        state, held = self._state, self._release("reply")
        return (held, "") if state == "thoughts" else ("", held if state == "start" else "")

    def _after_gap(self) -> str:
        """Return the beginning of the reply without the blank lines after the thoughts."""
        self._held = self._held.lstrip()
        return self._release("reply") if self._held else ""

    def _release(self, state: str) -> str:
        held, self._held, self._state = self._held, "", state
        return held


class WholeCharacters:
    """Joins a character that two pieces share: some servers cut between the halves of a UTF-16 pair.

    A half whose other half never comes is U+FFFD.
    """

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """Return the text that is whole now."""
        text = self._half + text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return paired(text[:-1] if self._half else text)

    def finish(self) -> str:
        """Return U+FFFD when half a character is left over."""
        half, self._half = self._half, ""
        return paired(half)


def paired(text: str) -> str:
    """Return the text with every UTF-16 pair as the character it is, and U+FFFD for half of one."""
    joined = _PAIR.sub(lambda pair: chr(0x10000 + (ord(pair[1]) - 0xD800) * 0x400 + ord(pair[2]) - 0xDC00), text)
    return _HALF.sub("\ufffd", joined)


def _tail_that_may_close(text: str) -> int:
    """Return how many last characters could be the beginning of the closing tag."""
    return next((size for size in range(len(_CLOSE) - 1, 0, -1) if text.endswith(_CLOSE[:size])), 0)
