"""An export as a file of lines: the zip that the service sent, or the ``conversations.json`` in it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Self

from homeagent.errors import InputError
from homeagent.memory.transfer.chat_exports import chatgpt, claude
from homeagent.memory.transfer.chat_exports.values import Value
from homeagent.memory.transfer.lines import turn_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.turn import Turn

__all__ = ["ChatExport", "is_chat_export"]

_ZIP: Final = b"PK\x03\x04"
_HEAD_BYTES: Final = 65_536
_MARKS: Final = (b'"mapping"', b'"chat_messages"')
_WANTED: Final = "Name the zip that ChatGPT or Claude sent, or the conversations.json in it"


def is_chat_export(path: str | Path) -> bool:
    """Whether a file looks like an export: any zip, or a JSON array of conversations. False when it can't be read."""
    file = Path(path).expanduser()
    try:
        if not file.is_file():  # what comes through a pipe can be read once only
            return False
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES)
    except OSError:
        return False
    if head.startswith(_ZIP):
        return True
    return head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"[") and any(mark in head for mark in _MARKS)


class ChatExport:
    """The turns of an export as lines, like `homeagent.memory.transfer.files.LineFile`; read whole into memory.

    A conversation of a form that is not known is left out and named in `skipped`: nobody can mend an export. Raises
    `InputError` for a zip without conversations, a damaged one, and what is no list of conversations at all.
    """

    def __init__(self, path: str | Path) -> None:
        self.name = str(path)
        self._path = Path(path).expanduser()
        self._zip: zipfile.ZipFile | None = None
        self._members: dict[str, str] = {}
        self.position = 0
        self.skipped: dict[str, InputError] = {}
        try:
            if zipfile.is_zipfile(self._path):
                self._zip = zipfile.ZipFile(self._path)
                self._members = {PurePosixPath(name).name: name for name in self._zip.namelist()}
            self._conversations = list(self._read())
        except BaseException:
            self.__exit__()
            raise
        self.bytes = len(self._conversations)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._zip is not None:
            self._zip.close()

    def where(self, number: int) -> str:
        """Return how errors name a turn."""
        return f"{self.name} turn {number}"

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield number and line of every turn; `position` is how many of its `bytes`, conversations here, are read."""
        number = 0
        for place, conversation in enumerate(self._conversations, 1):
            self.position = place
            try:
                turns = list(self._turns(conversation))
            except InputError as error:
                self.skipped[conversation.where] = error
                continue
            for turn in turns:
                number += 1
                yield number, turn_text(turn)

    def _turns(self, conversation: Value) -> Iterator[Turn]:
        if not any(conversation[key].value is not None for key in ("mapping", "chat_messages")):
            raise conversation.error("expected a conversation with mapping or chat_messages")
        if conversation["mapping"].value is not None:
            yield from chatgpt.turns_of(conversation, self._file)
        else:
            yield from claude.turns_of(conversation)

    def _read(self) -> Iterator[Value]:
        try:
            texts = list(self._texts())
        except (OSError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise InputError(self.name, f"can't be unpacked ({error})", "Get it again; nothing was kept") from error
        if not texts:
            raise InputError(self.name, "is a zip without conversations.json", _WANTED)
        for name, text in texts:
            try:
                found: object = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{self.name} {name}".strip(), f"is not JSON ({error})", _WANTED) from error
            yield from Value(found, f"{self.name}: {name}".strip(" :"))

    def _texts(self) -> Iterator[tuple[str, bytes]]:
        if self._zip is None:
            yield "", self._path.read_bytes()
            return
        for short, name in sorted(self._members.items()):
            if short.startswith("conversations") and short.endswith(".json"):
                yield short, self._zip.read(name)

    def _file(self, name: str) -> bytes | None:
        """Return the file of the export whose name begins with ``name``, the id by which a message speaks of it."""
        if self._zip is None:
            return None
        found = next((member for short, member in self._members.items() if short.startswith(name)), None)
        return self._zip.read(found) if found is not None else None
