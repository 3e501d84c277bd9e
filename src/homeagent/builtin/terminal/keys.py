"""What is typed: text with escapes, as the bytes that a keyboard sends."""

from __future__ import annotations

import re

__all__ = ["keystrokes"]

_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_KEYS = {"n": "\n", "r": "\r", "t": "\t", "e": "\x1b", "a": "\a", "b": "\b", "f": "\f", "0": "\0", "\\": "\\"}


def keystrokes(text: str, *, escapes: bool) -> str:
    r"""Return the characters to send. A line break is the Enter key, which sends a carriage return.

    With ``escapes``: ``\n``, ``\t``, ``\e``, ``\x03``, ``\\`` and so on; one that there is not stays as it is.
    """
    if escapes:
        text = _ESCAPE.sub(_key, text)
    return text.replace("\r\n", "\r").replace("\n", "\r")


def _key(found: re.Match[str]) -> str:
    name = found[1]
    if len(name) > 1:
        return chr(int(name[1:], 16))
    return _KEYS.get(name, found[0])
