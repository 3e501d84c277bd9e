"""Puts the tool calls of a streamed reply together from their pieces, as many servers send them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.models.messages import ToolCall
from homeagent.models.thinking import paired

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["CallCollector"]


@dataclass(slots=True)
class _Call:
    index: int | None
    id: str
    name: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class _Piece:
    index: int | None
    id: str
    name: str
    arguments: str


class CallCollector:
    """Collects pieces until the reply ends.

    By the protocol a piece belongs to the call with its index. Servers differ: no index, one index for all calls, an id
    missing, new in every piece or the same for all calls, the name in every piece or cut in two, arguments as text in
    pieces, at once, or as a JSON object. What tells calls apart is listed in `_begins_another`. ``known`` are the names
    of the tools the model was offered; ``new_id`` makes an id for a call that has none of its own.
    """

    def __init__(self, known: frozenset[str], new_id: Callable[[], str]) -> None:
        self._known = known
        self._new_id = new_id
        self._calls: list[_Call] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, raw: Mapping[str, object]) -> str | None:
        """Take one piece (an item of ``tool_calls``); return the tool's name when a call begins with it."""
        piece = _read(raw)
        call = self._call_of(piece)
        if call is not None and not self._begins_another(call, piece):
            self._continue(call, piece)
            return None
        if not (piece.id or piece.name or piece.arguments):
            return None
        self._calls.append(_Call(piece.index, piece.id, piece.name, piece.arguments))
        return piece.name or None

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls in the order they began, each with an id of its own; no arguments are ``{}``."""
        taken: set[str] = set()
        found = []
        for call in self._calls:
            own = call.id if call.id and call.id not in taken else self._new_id()
            taken.add(own)
            found.append(ToolCall(own, call.name, paired(call.arguments).strip() or "{}"))
        return tuple(found)

    def _call_of(self, piece: _Piece) -> _Call | None:
        """Return the call a piece belongs to if it begins none: by index, else by id, else the latest."""
        latest_first = self._calls[::-1]
        if piece.index is not None:
            return next((call for call in latest_first if call.index == piece.index), None)
        with_id = [call for call in latest_first if piece.id and call.id == piece.id]
        return next(iter(with_id or latest_first), None)

    def _begins_another(self, call: _Call, piece: _Piece) -> bool:
        if not piece.name:
            return False  # an id that is new in every piece comes without a name
        if piece.id and piece.id == call.id:
            # The same id for all calls, unless the whole call is only said twice.
            again = (piece.name, piece.arguments) == (call.name, call.arguments)
            return _is_object(call.arguments) and _is_object(piece.arguments) and not again
        other_name, other_id = piece.name != call.name, bool(piece.id and call.id)
        if _is_object(call.arguments):
            return other_name or other_id or bool(piece.arguments)  # else only the name is said once more
        if call.arguments:
            return False
        if other_id:
            return other_name or not piece.arguments or _is_object(piece.arguments)
        return other_name and call.name in self._known

    def _continue(self, call: _Call, piece: _Piece) -> None:
        call.id = call.id or piece.id
        if piece.name and piece.name != call.name and not call.arguments:
            call.name += piece.name  # cut in two; the same name again is only repeated
        if call.arguments == "{}" and piece.arguments.startswith("{"):
            call.arguments = ""  # it stood for arguments that were still to come
        if piece.arguments != call.arguments or not _is_object(call.arguments):
            call.arguments += piece.arguments


def _read(raw: Mapping[str, object]) -> _Piece:
    function = raw.get("function")
    inner = function if isinstance(function, dict) else raw
    index, arguments = raw.get("index"), inner.get("arguments")
    if not isinstance(arguments, str):
        arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
    return _Piece(
        index if type(index) is int else None,
        _text(raw.get("id")),
        _text(inner.get("name")),
        arguments,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_object(text: str) -> bool:
    if not text.rstrip().endswith("}"):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
