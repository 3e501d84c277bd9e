"""The documents of one folder: found, read, checked, put back all at once, with a copy of what they were before."""

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from homeagent_sdk import ToolContext, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Document", "EditSettings", "checked"]

_LARGEST: Final = 32 * 1024 * 1024
_LARGEST_INSIDE: Final = 256 * 1024 * 1024
_MOST_PARTS: Final = 10_000
_MOST_TIMES: Final = 200
_KINDS: Final = (".docx", ".xlsx")
_HARM: Final = "Don't open it: it is made to do harm"
_DECLARES: Final = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_ACTIVE: Final = re.compile(r"(?:^|/)(?:vba\w*\.bin|vbaProject\w*|activeX/|macrosheets/|ctrlProps/)", re.IGNORECASE)


@dataclass(frozen=True)
class EditSettings:
    """Which documents may be changed."""

    folder: Annotated[str, "the folder whose documents may be changed"] = "~/Documents"
    copies: Annotated[int, "how many copies of documents as they were before are kept"] = 50

    def __post_init__(self) -> None:
        """Refuse what can't work."""
        if not Path(self.folder).expanduser().is_absolute():
            raise ValueError(f"folder: {self.folder!r} is relative; write it from / or ~ on")
        if self.copies < 1:
            raise ValueError("copies: at least 1 is kept")


@dataclass(frozen=True, slots=True)
class Document:
    """A document on disk: its real path and the bytes that were read."""

    path: Path
    data: bytes

    @property
    def kind(self) -> str:
        """``.docx`` or ``.xlsx``."""
        return self.path.suffix.lower()

    @classmethod
    def read(cls, context: ToolContext, path: str) -> Document:
        """Return a document of the folder. Raises ``ToolError`` for what is outside, missing, or no document."""
        root = Path(context.settings(EditSettings).folder).expanduser().resolve()
        try:
            real = (root / Path(path).expanduser()).resolve()
        except (OSError, ValueError, RuntimeError):
            raise ToolError("path", f"{path!r} can't be a path", "Write it again") from None
        if not real.is_relative_to(root):
            raise ToolError("path", f"{path} lies outside of {root}", "Only documents of that folder may be changed")
        if real.suffix.lower() not in _KINDS:
            raise ToolError("path", f"{path} is neither .docx nor .xlsx", "Save it as one of these first")
        try:
            with _opened(real) as file:
                data = file.read(_LARGEST + 1)
        except PermissionError:
            hint = f'Name the folder in the plugin\'s manifest: permissions = ["write:{root}"], and install it again'
            raise ToolError("path", f"{path} may not be read", hint) from None
        except OSError as error:
            raise ToolError("path", f"{path} can't be read ({error.strerror})", f"Put it into {root}") from None
        if len(data) > _LARGEST:
            raise ToolError("path", f"{path} is larger than {_LARGEST:,} bytes", "Use a smaller document")
        return cls(real, data)

    def put_back(self, data: bytes, copies: Path, most: int) -> Path:
        """Write new bytes in the place of the old ones, which are kept in ``copies``; return the copy's path.

        Raises ``ToolError``; then the document is as it was.
        """
        stamp = datetime.now(UTC).astimezone().strftime("%Y-%m-%d_%H-%M-%S")
        copy = copies / f"{self.path.stem}_{stamp}_{secrets.token_hex(2)}{self.path.suffix}"
        part = self.path.with_name(f".{secrets.token_hex(8)}.part")
        try:
            copies.mkdir(mode=0o700, exist_ok=True)
            copy.write_bytes(self.data)
            with _opened(self.path) as now:
                if now.read() != self.data:
                    copy.unlink()
                    raise ToolError(
                        "path", f"{self.path.name} was changed by someone else just now", "Look at it again"
                    )
            part.write_bytes(data)
            part.chmod(self.path.stat().st_mode & 0o777)
            part.replace(self.path)
        except OSError as error:
            raise ToolError("path", f"{self.path.name} can't be written ({error.strerror})", "Ask the person") from None
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        for old in sorted(copies.iterdir(), key=lambda each: each.stat().st_mtime_ns)[:-most]:
            old.unlink(missing_ok=True)
        return copy


def checked(document: Document) -> io.BytesIO:
    """Return a document's bytes as a file, when opening it can do no harm.

    Raises ``ToolError`` for what unpacks to far more than it is, declares entities, or holds programs.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(document.data)) as archive:
            parts = archive.infolist()
            # What an archive says of its sizes binds the reader too: no more than that is unpacked.
            inside = sum(part.file_size for part in parts)
            if len(parts) > _MOST_PARTS or inside > min(_LARGEST_INSIDE, _MOST_TIMES * len(document.data)):
                raise ToolError(
                    "path", f"unpacked it would be {inside:,} bytes", "Don't open it: it is made to do harm"
                )
            for part in parts:
                _check_part(archive, part)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        reason = f"{document.path.name} is damaged or locked with a password ({error})"
        raise ToolError("path", reason, "Open and save it in its own program") from None
    return io.BytesIO(document.data)


def _check_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    if _ACTIVE.search(part.filename):
        raise ToolError("path", f"it holds a program ({part.filename})", "Save it without macros and controls first")
    if part.filename.endswith((".xml", ".rels", ".vml")):
        text = archive.read(part)
        # Office never declares anything; whoever does wants something multiplied or fetched. The zeros are of UTF-16.
        if _DECLARES.search(text.replace(b"\0", b"")):
            raise ToolError("path", f"{part.filename} declares entities", _HARM)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[io.BufferedReader]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        yield file
