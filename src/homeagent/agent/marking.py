"""Marks what is data in a prompt, with delimiters that the data itself can't close.

The mark is a hash of the text, counted on until the text does not hold it: no text contains its own end, and the same
text is always marked the same, so that the server's cache holds.
"""

from __future__ import annotations

import hashlib
import re

__all__ = ["marked", "opened"]

_UNSAFE = re.compile(r"[^\w.:@/+ -]")
_LONGEST_NAME = 80


def marked(kind: str, text: str, **about: str) -> str:
    """Return ``text`` between ``<kind name="value" mark="...">`` and ``</kind ...>``; ``about`` are plain names."""
    names = "".join(f' {name}="{_plain(value)}"' for name, value in about.items() if value)
    mark = _mark(text)
    return f'<{kind}{names} mark="{mark}">\n{text}\n</{kind} {mark}>'


def opened(text: str) -> tuple[str, str, str]:
    """Return the opening delimiter, what is between, and the closing one; both empty where ``text`` is not marked."""
    first, _, rest = text.partition("\n")
    inner, _, last = rest.rpartition("\n")
    if first.startswith("<") and ' mark="' in first and last.startswith("</"):
        return first + "\n", inner, "\n" + last
    return "", text, ""


def _mark(text: str) -> str:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16)
    mark = digest.hexdigest()[:8]
    while mark in text:
        digest.update(b"+")
        mark = digest.hexdigest()[:8]
    return mark


def _plain(value: str) -> str:
    return _UNSAFE.sub("_", value)[:_LONGEST_NAME]
