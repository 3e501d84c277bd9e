"""What a tool gives back: a text, or a `ToolResult` with everything else that belongs to it."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent_sdk.errors import Problem

__all__ = ["Attachment", "ToolResult", "as_result", "error_result"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture, a sound or a file; ``data`` is kept byte for byte."""

    media_type: str
    data: bytes
    name: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The outcome of one call.

    ``text`` is kept word for word. The model reads it too, unless ``receipt`` is set: a short line it is told instead
    ("sent"). ``data`` is for programs and pages, any JSON value. ``error`` says that the tool did not do what it was
    asked. ``cites`` are the ids of the turns that a memory tool handed out.
    """

    text: str
    data: object = None
    attachments: tuple[Attachment, ...] = ()
    receipt: str = ""
    error: bool = False
    cites: tuple[str, ...] = ()


class _HasIsoformat(Protocol):
    def isoformat(self) -> str: ...


def as_result(value: object) -> ToolResult:
    """Return what a tool's function returned as a result.

    A text stays as it is; None is an empty text; bytes are text where they are UTF-8, else an attachment; anything else
    is written as JSON, or as ``str()`` shows it where it has no JSON form.
    """
    match value:
        case ToolResult():
            return value
        case str():
            return ToolResult(value)
        case None:
            return ToolResult("")
        case bytes() | bytearray() | memoryview():
            return _of_bytes(bytes(value))
    plain = dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else value
    try:
        text = json.dumps(plain, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError):
        return ToolResult(str(value))
    return ToolResult(text, data=json.loads(text))


def error_result(problems: Iterable[Problem]) -> ToolResult:
    """Return what the model reads when a call can't be made or a tool raises ``ToolError``: JSON, an entry for each."""
    return ToolResult(json.dumps({"error": [each._asdict() for each in problems]}, ensure_ascii=False), error=True)


def _of_bytes(data: bytes) -> ToolResult:
    try:
        return ToolResult(data.decode("utf-8"))
    except UnicodeDecodeError:
        attachment = Attachment("application/octet-stream", data)
        return ToolResult(f"[{len(data):,} bytes that are no text, kept as an attachment]", attachments=(attachment,))


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    if isinstance(value, PurePath):
        return str(value)
    if callable(getattr(value, "isoformat", None)):
        moment: _HasIsoformat = value  # type: ignore[assignment]  # checked on the line above
        return moment.isoformat()
    raise TypeError(type(value).__name__)
