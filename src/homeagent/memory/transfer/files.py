"""The files of import and export: read twice line by line, written whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import os
import secrets
import shutil
import sys
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Self

from homeagent.errors import HomeError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LineFile", "written_whole"]

_HEAD_BYTES: Final = 4096
_BOM: Final = b"\xef\xbb\xbf"
_LINES: Final = "Name a file with one JSON object, one turn, a line"


class LineFile:
    """A file of lines that can be read several times: a path, a gzip file, a pipe, or ``-`` for standard input.

    What can't be read twice is copied to an unnamed temporary file first. Raises `InputError` for what is plainly
    something else: a folder, a database, a JSON array, UTF-16, any other binary.
    """

    def __init__(self, path: str | Path) -> None:
        self.name = "standard input" if str(path) == "-" else str(path)
        self._raw = self._opened(str(path))
        try:
            self.bytes = os.fstat(self._raw.fileno()).st_size
            self._packed = self._raw.read(2) == b"\x1f\x8b"
            self._refuse_others()
        except BaseException:
            self._raw.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    @property
    def position(self) -> int:
        """How many of its `bytes` have been read; of a gzip file, the packed ones."""
        return self._raw.tell()

    def where(self, number: int) -> str:
        """Return how errors name a line."""
        return f"{self.name} line {number}"

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield number and content of every line that is not empty, from the beginning, without its line end."""
        with self._unpacked() as file:
            for number, line in enumerate(file, 1):
                content = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
                if content:
                    yield number, content

    @contextmanager
    def _unpacked(self) -> Iterator[IO[bytes] | gzip.GzipFile]:
        self._raw.seek(0)
        if not self._packed:
            yield self._raw
            return
        try:
            with gzip.GzipFile(fileobj=self._raw, mode="rb") as file:
                yield file
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            problem = f"the gzip file is damaged ({error})"
            raise InputError(self.name, problem, "Get it again; nothing was kept") from error

    def _opened(self, path: str) -> IO[bytes]:
        if path == "-":
            return _copied(sys.stdin.buffer)
        try:
            file = Path(path).expanduser().open("rb")
        except OSError as error:
            raise InputError(path, f"can't be read ({error.strerror})", "Check the name") from error
        if file.seekable():
            return file
        with file:
            return _copied(file)

    def _refuse_others(self) -> None:
        with self._unpacked() as file:
            head = file.read(_HEAD_BYTES)
        if head.startswith(b"SQLite format 3\0"):
            step = "A backup is put back by copying it to log.db in an empty home"
            raise InputError(self.name, "is a SQLite database, not lines of JSON", step)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(self.name, "is UTF-16 text", "Save it as UTF-8")
        if b"\0" in head:
            raise InputError(self.name, "is a binary file, not lines of JSON", _LINES)
        start = head.removeprefix(_BOM).lstrip()
        if start.startswith(b"["):
            step = f"Write its elements one a line, e.g. with: jq -c '.[]' {self.name}"
            raise InputError(self.name, "is a JSON array, not lines of JSON", step)
        if start.split(b"\n", 1)[0].strip() == b"{":
            step = f"Write each turn on one line, e.g. with: jq -c . {self.name}"
            raise InputError(self.name, "is JSON spread over several lines", step)


def _copied(file: IO[bytes]) -> IO[bytes]:
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed by LineFile
    try:
        shutil.copyfileobj(file, copy)
    except BaseException:
        copy.close()
        raise
    copy.seek(0)
    return copy


@contextmanager
def written_whole(target: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Give a file to write; it takes the place of ``target``, private to its owner, when the block ends well.

    A name that ends in ``.gz`` is written as gzip. Raises `HomeError` when the disk is full or can't be written; then
    ``target`` is as it was.
    """
    part = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "is a folder", str(target))
        with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as raw:  # noqa: PTH123 - mode 600
            if target.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=raw, mode="wb") as packed:
                    yield packed
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        step = "Free some space, or name another file; what was there is unchanged"
        raise HomeError(str(target), f"can't be written ({error.strerror or error})", step) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
