"""Files that are sent along: what they are is looked for in their bytes, not in what they are called."""

from __future__ import annotations

import base64
import binascii
import re
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Final

from homeagent.errors import InputError
from homeagent.memory import Attachment

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["AT_ONCE", "attachment_of", "check_zip", "from_base64", "from_data_url", "sniffed"]

AT_ONCE: Final = 1 << 18
"""Files of up to so many characters of base64 are looked into at once; larger ones beside the event loop."""

_LARGEST: Final = 20 << 20
_MOST_MEMBERS: Final = 50_000
_MOST_UNPACKED: Final = 500 << 20
_MOST_RATIO: Final = 200
_DATA_URL: Final = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+)?(?:;[\w=.+-]+)*?;base64,(?P<data>.*)", re.DOTALL)

_BEGINNINGS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-executable"),
)
_IN_ZIP: Final = (
    ("word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
)


def sniffed(data: bytes) -> str:
    """Return the media type that the bytes are of; text and what is not known are told apart."""
    if data[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12], "application/octet-stream")
    if data[4:8] == b"ftyp":
        return "image/heic" if data[8:12] in (b"heic", b"heix", b"mif1") else "video/mp4"
    for beginning, media_type in _BEGINNINGS:
        if data.startswith(beginning):
            return _zipped(data) if media_type == "application/zip" else media_type
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "application/octet-stream" if "\0" in text else "text/plain"


def attachment_of(data: bytes, name: str = "", claimed: str = "") -> Attachment:
    """Return a file as an attachment of the type that it is. Raises `InputError` for what is no file to keep.

    A text may be of any kind of text that it says it is; a picture is what its bytes say.
    """
    where = f"attachment {name!r}"
    if not data:
        raise InputError(where, "is empty", "Send its bytes")
    if len(data) > _LARGEST:
        raise InputError(where, f"is larger than {_LARGEST >> 20} MB", "Keep it elsewhere and say where")
    found = sniffed(data)
    if found == "application/x-executable":
        raise InputError(where, "is a program", "Send what it is about instead")
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        check_zip(BytesIO(data), len(data), where)
    claimed = claimed.partition(";")[0].strip().lower()
    kind = claimed.partition("/")[0]
    if kind in ("image", "audio", "video") and found.partition("/")[0] != kind:
        raise InputError(where, f"says that it is {claimed} and is {found}", "Send it as what it is")
    # A text is of the kind it says, but nothing that a browser would run.
    plain = found == "text/plain" and (kind == "text" or claimed.endswith(("json", "toml", "yaml")))
    keeps = plain and claimed not in ("text/html", "text/javascript") and claimed.isascii()
    return Attachment(claimed if keeps else found, data, name)


def from_base64(text: str, name: str = "", claimed: str = "") -> Attachment:
    """Return the attachment that base64 text holds. Raises `InputError`."""
    try:
        data = base64.b64decode(text.encode("ascii", "replace"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(f"attachment {name!r}", "is no base64", "Encode its bytes as RFC 4648 says") from error
    return attachment_of(data, name, claimed)


def from_data_url(url: str, name: str = "") -> Attachment:
    """Return the attachment that a ``data:`` URL holds. Raises `InputError` for any other: nothing is fetched."""
    found = _DATA_URL.fullmatch(url)
    if found is None:
        raise InputError(
            f"attachment {name!r}", "is no data: URL", "Send it as data:TYPE;base64,...; nothing is fetched"
        )
    return from_base64(found["data"], name, found["type"] or "")


def _zipped(data: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as packed:
            names = packed.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return "application/zip"
    return next((kind for start, kind in _IN_ZIP if any(each.startswith(start) for each in names)), "application/zip")


def check_zip(file: Path | BytesIO, length: int, where: str) -> None:
    """Raise `InputError` for a packed file that would fill the disk of whoever opens it; it is not unpacked here.

    ``length`` is what it has in bytes.
    """
    try:
        with zipfile.ZipFile(file) as packed:
            members = packed.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(where, "is a broken zip file", "Pack it again") from error
    size = sum(each.file_size for each in members)
    if len(members) > _MOST_MEMBERS or size > max(_MOST_UNPACKED, 20 * length) or size > length * _MOST_RATIO:
        raise InputError(where, f"would unpack to {size:,} bytes in {len(members)} files", "Send less at once")
