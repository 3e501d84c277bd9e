"""Reading one line of an import file as a turn, or saying where it is wrong, how, and what to do."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast, get_args

from homeagent.errors import InputError
from homeagent.memory.store.records import Moment
from homeagent.memory.transfer.lines import dumped, loaded
from homeagent.memory.turn import Attachment, Place, Role, Segment, Status, Turn, TurnId

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DEFAULT_SOURCE", "ParsedLine", "parse_line", "parse_turn", "parse_value"]

DEFAULT_SOURCE: Final = "import"
"""The source of turns whose file names none."""


def _packable(*names: str) -> set[str]:
    """Return the keys that a string of any code points may stand under: its name, or packed."""
    return {*names, *(f"{name}_base64" for name in names)}


_TURN_KEYS: Final = frozenset(
    {"id", "at", "segments", "source", "turn", "status"} | _packable("channel", "chat", "person", "members")
)
_SEGMENT_KEYS: Final = frozenset(
    {"role", "arguments", "error", "plugin", "plugin_version", "no_memory", "attachments"}
    | _packable("text", "tool", "call_id", "arguments_json", "cites")
)
_ATTACHMENT_KEYS: Final = frozenset({"media_type", "data_base64"} | _packable("name"))
_FORM: Final = 'One turn a line: {"id", "at", "channel", "chat", "person", "segments": [{"role", "text"}]}'
_HALF: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """A line as a turn; ``turn_id`` is the id it had in the home it was exported from, or empty."""

    turn: Turn
    turn_id: str


def parse_turn(line: str | bytes, where: str, source: str | None = None) -> Turn:
    """Return the turn of one line. ``where`` names the file and line for errors; see `parse_line`."""
    return parse_line(line, where, source).turn


def parse_line(line: str | bytes, where: str, source: str | None = None) -> ParsedLine:
    """Return one line of an import file as a turn.

    ``source`` is the turn's source whatever the line says; with None it is the line's own, else `DEFAULT_SOURCE`. A
    time without zone is UTC. A turn exported while it was open is interrupted: nobody goes on with it elsewhere.
    Raises `InputError` for everything that is not exactly this form, naming the key.
    """
    return parse_value(_json_value(line, where), where, source)


def parse_value(value: object, where: str, source: str | None = None) -> ParsedLine:
    """Return a line's JSON value as a turn; see `parse_line`."""
    fields = _Fields(value, where, "", _TURN_KEYS)
    name = fields.plain("id")
    if not name:
        raise fields.error("id", "it is empty", "Give the turn a name that no other turn of its source has")
    status = cast("Status", fields.one_of("status", get_args(Status), "done"))
    turn = Turn(
        place=Place(fields.text("channel"), fields.text("chat")),
        sender=fields.text("person"),
        segments=tuple(
            _segment(_Fields(value, where, f"segments[{place}].", _SEGMENT_KEYS))
            for place, value in enumerate(fields.array("segments"))
        ),
        at=_time(fields),
        members=fields.texts("members"),
        source=source if source is not None else fields.plain("source", DEFAULT_SOURCE),
        external_id=name,
        status="interrupted" if status == "open" else status,
    )
    return ParsedLine(turn, fields.plain("turn", ""))


def _json_value(line: str | bytes, where: str) -> object:
    try:
        return loaded(line.decode("utf-8") if isinstance(line, bytes) else line)
    except UnicodeDecodeError as error:
        raise InputError(where, f"is not UTF-8 text (at byte {error.start})", "Save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise InputError(where, f"is not JSON ({error.msg}, at character {error.pos})", _FORM) from error
    except RecursionError as error:
        raise InputError(where, "is nested too deeply", _FORM) from error
    except ValueError as error:
        raise InputError(where, f"is not JSON that can be kept ({error})", _FORM) from error


def _segment(fields: _Fields) -> Segment:
    role = cast("Role", fields.one_of("role", get_args(Role)))
    tool = fields.optional("tool")
    if role == "tool" and not tool:
        raise fields.error("tool", "it is missing", "Give the tool's name: it decides what of the output is computed")
    return Segment(
        role=role,
        text=fields.text("text"),
        tool=tool,
        call_id=fields.optional("call_id"),
        arguments=_arguments(fields),
        error=fields.flag("error"),
        plugin=fields.plain("plugin", ""),
        plugin_version=fields.plain("plugin_version", ""),
        attachments=tuple(
            _attachment(fields.inside(value, f"attachments[{place}].", _ATTACHMENT_KEYS))
            for place, value in enumerate(fields.array("attachments", required=False))
        ),
        cites=tuple(TurnId(cite) for cite in fields.texts("cites")),
        no_memory=fields.flag("no_memory"),
    )


def _attachment(fields: _Fields) -> Attachment:
    name = fields.optional("name")
    return Attachment(fields.plain("media_type"), fields.data("data_base64"), name or "")


def _arguments(fields: _Fields) -> str | None:
    exact = fields.optional("arguments_json")
    if exact is not None:
        return exact
    value = fields.value("arguments")
    return None if value is None else dumped(value)


def _time(fields: _Fields) -> datetime | None:
    text = fields.optional("at")
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        Moment.of(at).datetime()
    except (ValueError, OverflowError) as error:
        step = "Write e.g. 2026-05-03T09:30:00+08:00, or null"
        raise fields.error("at", f"{text[:60]!r} is no time", step) from error
    return at


class _Fields:
    """The keys of one JSON object, each read as what it must be."""

    def __init__(self, value: object, where: str, prefix: str, known: frozenset[str]) -> None:
        self._where = where
        self._prefix = prefix
        if not isinstance(value, dict):
            place = f"{where}, key {prefix.rstrip('.')}" if prefix else where
            raise InputError(place, f"expected an object, got {_kind(value)}", _FORM)
        self._values: Mapping[str, object] = value
        for key in value:
            if key not in known:
                raise self.error(key, "there is no such key", f"Keys here are {', '.join(sorted(known))}")

    def error(self, key: str, problem: str, next_step: str) -> InputError:
        return InputError(f"{self._where}, key {self._prefix}{key}", problem, next_step)

    def inside(self, value: object, prefix: str, known: frozenset[str]) -> _Fields:
        return _Fields(value, self._where, self._prefix + prefix, known)

    def value(self, key: str) -> object:
        return self._values.get(key)

    def text(self, key: str) -> str:
        found = self.optional(key)
        if found is None:
            raise self.error(key, "it is missing", _FORM)
        return found

    def optional(self, key: str) -> str | None:
        """Return a string, or None for null or a missing key; any code point, as itself or packed."""
        packed = self._values.get(f"{key}_base64")
        if packed is not None:
            if self._values.get(key) is not None:
                raise self.error(key, f"it is there as itself and as {key}_base64", "Leave one of the two")
            return self._unpacked(f"{key}_base64", packed)
        value = self._values.get(key)
        return None if value is None else self._string(key, value)

    def plain(self, key: str, default: str | None = None) -> str:
        """Return a string that is a name: without half surrogates."""
        value = self._values.get(key)
        if value is None:
            if default is None:
                raise self.error(key, "it is missing", _FORM)
            return default
        text = self._string(key, value)
        if _HALF.search(text):
            raise self.error(key, "it holds half a surrogate pair", "Give it a plain name")
        return text

    def texts(self, key: str) -> tuple[str, ...]:
        packed = self._values.get(f"{key}_base64")
        if packed is not None:
            values = self.array(f"{key}_base64")
            return tuple(self._unpacked(f"{key}_base64", value) for value in values)
        return tuple(self._string(key, value) for value in self.array(key, required=False))

    def array(self, key: str, *, required: bool = True) -> list[object]:
        value = self._values.get(key)
        if value is None and not required:
            return []
        if not isinstance(value, list):
            problem = "it is missing" if value is None else f"expected a list, got {_kind(value)}"
            raise self.error(key, problem, _FORM)
        return value

    def flag(self, key: str) -> bool:
        value = self._values.get(key)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self.error(key, f"expected true or false, got {_kind(value)}", "Write true or false")
        return value

    def one_of(self, key: str, names: tuple[str, ...], default: str | None = None) -> str:
        text = self.plain(key, default)
        if text not in names:
            raise self.error(key, f"there is no {key} {text[:40]!r}", f"Write one of {', '.join(names)}")
        return text

    def data(self, key: str) -> bytes:
        value = self._values.get(key)
        if value is None:
            raise self.error(key, "it is missing", "Write the bytes as base64")
        try:
            return base64.b64decode(self._string(key, value), validate=True)
        except (binascii.Error, ValueError) as error:
            raise self.error(key, "it is not base64", "Write the bytes as base64") from error

    def _unpacked(self, key: str, value: object) -> str:
        try:
            return base64.b64decode(self._string(key, value), validate=True).decode("utf-8", "surrogatepass")
        except (binascii.Error, ValueError) as error:
            step = "Write the text itself, or its UTF-8 bytes as base64"
            raise self.error(key, "it is not base64 of UTF-8 text", step) from error

    def _string(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.error(key, f"expected text, got {_kind(value)}", "Write it in double quotes")
        return value


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"
