"""One turn as one line of JSON: the form in which turns are exported, imported, shown, and written by hand.

``{"id", "at", "channel", "chat", "person", "segments": [{"role", "text", "tool", "call_id", "arguments", "error"}]}``
is enough. An export adds what would be lost: ``turn`` (its id in the home it comes from), ``source``, ``members``,
``status``, and of a segment ``plugin``, ``plugin_version``, ``no_memory``, ``cites``, ``attachments``.

JSON can't carry every text: it has no way to write two halves of a surrogate pair side by side, and many readers refuse
one. A text with such halves is written as ``text_base64``, UTF-8 with surrogates let through (``surrogatepass``); the
same goes for the other strings. Arguments are written as JSON when that gives the same text again, else, letter by
letter, as ``arguments_json``.
"""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Final, NoReturn

from homeagent.memory.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.memory.store.records import TurnRow
    from homeagent.memory.turn import Attachment, Segment

__all__ = ["dumped", "loaded", "turn_line", "turn_object", "turn_text"]

_HALF: Final = re.compile("[\ud800-\udfff]")

JsonObject = dict[str, object]


def loaded(text: str) -> object:
    """Return the value of a JSON text. Raises `ValueError` also for what JSON does not have: NaN, a key twice."""
    return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_finite)


def dumped(value: object) -> str:
    """Return a value as JSON, in the one way that `turn_object` compares arguments with."""
    return json.dumps(value, ensure_ascii=False)


def turn_object(row: TurnRow, segments: Sequence[Segment]) -> JsonObject:
    """Return a kept turn as a JSON object without loss; a turn that has no external id gives its own id as ``id``."""
    at = row.at.datetime() if row.at is not None else None
    turn = Turn(row.place, row.sender, tuple(segments), at, row.members, row.source, row.external_id, row.status)
    return _turn_object(turn, row.turn_id)


def turn_line(row: TurnRow, segments: Sequence[Segment]) -> bytes:
    """Return `turn_object` as one line of UTF-8 with its line end."""
    return dumped(turn_object(row, segments)).encode() + b"\n"


def turn_text(turn: Turn) -> bytes:
    """Return a turn that is not kept yet, and has an external id, in the same form, without line end."""
    return dumped(_turn_object(turn, "")).encode()


def _turn_object(turn: Turn, turn_id: str) -> JsonObject:
    found: JsonObject = {"id": turn.external_id or turn_id, "source": turn.source}
    if turn_id:
        found["turn"] = turn_id
    found["at"] = turn.at.isoformat() if turn.at is not None else None
    _put(found, "channel", turn.place.channel)
    _put(found, "chat", turn.place.chat)
    _put(found, "person", turn.sender)
    _put_all(found, "members", turn.members)
    if turn.status != "done":
        found["status"] = turn.status
    found["segments"] = [_segment_object(segment) for segment in turn.segments]
    return found


def _segment_object(segment: Segment) -> JsonObject:
    found: JsonObject = {"role": segment.role}
    _put(found, "text", segment.text)
    if segment.role == "tool" or segment.tool is not None:
        _put(found, "tool", segment.tool)
    if segment.role == "tool" or segment.call_id is not None:
        _put(found, "call_id", segment.call_id)
    if segment.role == "tool" or segment.arguments is not None:
        _put_arguments(found, segment.arguments)
    if segment.role == "tool" or segment.error:
        found["error"] = segment.error
    if segment.plugin:
        found["plugin"] = segment.plugin
    if segment.plugin_version:
        found["plugin_version"] = segment.plugin_version
    if segment.no_memory:
        found["no_memory"] = True
    _put_all(found, "cites", segment.cites)
    if segment.attachments:
        found["attachments"] = [_attachment_object(attachment) for attachment in segment.attachments]
    return found


def _attachment_object(attachment: Attachment) -> JsonObject:
    found: JsonObject = {"media_type": attachment.media_type}
    if attachment.name:
        _put(found, "name", attachment.name)
    found["data_base64"] = base64.b64encode(attachment.data).decode("ascii")
    return found


def _put(found: JsonObject, key: str, text: str | None) -> None:
    if text is not None and _HALF.search(text):
        found[f"{key}_base64"] = _packed(text)
    else:
        found[key] = text


def _put_all(found: JsonObject, key: str, texts: Sequence[str]) -> None:
    if any(_HALF.search(text) for text in texts):
        found[f"{key}_base64"] = [_packed(text) for text in texts]
    elif texts:
        found[key] = list(texts)


def _put_arguments(found: JsonObject, text: str | None) -> None:
    value: object = None
    same = False
    if text is not None and not _HALF.search(text):
        try:
            value = loaded(text)
            # A half written as an escape is no half yet, but it is one after reading, and then can't be written.
            same = value is not None and dumped(value) == text
        except (ValueError, RecursionError):
            same = False
    if text is None or same:
        found["arguments"] = value
    else:
        _put(found, "arguments_json", text)


def _packed(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is there twice")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")
