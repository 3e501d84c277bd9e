"""Which text some bytes are, or which kind of file when they are none."""

from __future__ import annotations

import codecs
import mimetypes
import re
from typing import NamedTuple

__all__ = ["DecodedText", "decode", "encode", "media_type"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"SQLite format 3", "application/vnd.sqlite3"),
    (b"\x7fELF", "application/x-executable"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
)
_ZIPPED = ("application/vnd.", "application/epub", "application/java")
_SAMPLE = 20_000
_MUCH_MORE = 10


class DecodedText(NamedTuple):
    r"""A text and what it was written in; ``damaged`` counts bytes that don't belong there, shown as ``\xff``."""

    text: str
    encoding: str
    damaged: int = 0


def decode(data: bytes) -> DecodedText | None:
    """Return bytes as text, or None when they are no text.

    Tried in this order: what a byte order mark says, UTF-8, UTF-8 with a few bad bytes, GB18030 when most of it are
    common Chinese characters, Windows-1252.
    """
    for mark, name, codec in _BOMS:
        if data.startswith(mark):
            text = _strictly(data[len(mark) :], codec)
            return DecodedText(text, name) if text is not None else None
    if b"\0" in data:
        return None
    text = _strictly(data, "utf-8")
    if text is not None:
        return DecodedText(text, "utf-8")
    if _CONTROLS.search(data):
        return None
    return _nearly_utf8(data) or _chinese(data) or _western(data)


def encode(text: str, encoding: str) -> bytes:
    """Return ``text`` in an encoding that `decode` named, with its byte order mark. Raises ``UnicodeEncodeError``."""
    for mark, name, codec in _BOMS:
        if encoding == name:
            return mark + text.encode(codec)
    return text.encode(encoding)


def media_type(data: bytes, name: str) -> str:
    """Return what kind of file this is, by its first bytes, else by its name."""
    by_name = mimetypes.guess_type(name)[0] or "application/octet-stream"
    by_content = next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)
    if by_content == "application/zip" and by_name.startswith(_ZIPPED):
        return by_name  # a document that is a zip archive inside
    return by_content or by_name


def _strictly(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _nearly_utf8(data: bytes) -> DecodedText | None:
    """Read as UTF-8 what has far more whole characters of it than bytes that are not."""
    text = data.decode("utf-8", "surrogateescape")
    damaged = sum("\udc80" <= each <= "\udcff" for each in text)
    whole = sum(each > "\x7f" for each in text) - damaged
    if whole < _MUCH_MORE * damaged:
        return None
    return DecodedText(data.decode("utf-8", "backslashreplace"), "utf-8", damaged)


def _chinese(data: bytes) -> DecodedText | None:
    # Western text can be read as GB18030 too, but gives characters that hardly anyone uses.
    text = _strictly(data, "gb18030")
    if text is None:
        return None
    sample = "".join(each for each in text if each > "\x7f")[:_SAMPLE]
    common = len(sample.encode("gb2312", "ignore")) // 2
    return DecodedText(text, "gb18030") if common * 2 >= len(sample) else None


def _western(data: bytes) -> DecodedText | None:
    text = _strictly(data, "windows-1252")
    return DecodedText(text, "windows-1252") if text is not None else None
