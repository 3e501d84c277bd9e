"""Values between the core and a plugin's own process, as JSON: what the SDK's contexts and stages are made of.

Dataclasses of the SDK go by their name and come back as themselves, each field checked against its type: nothing else
can be made by what the other side sends.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Union, get_args, get_origin

from homeagent_sdk.channels import Arrival, Outgoing
from homeagent_sdk.context import Injection
from homeagent_sdk.errors import SdkError
from homeagent_sdk.recollection import ExplainedSegment, Recollected, Recollection
from homeagent_sdk.remembering import Evidence, KnownDocument, KnownFact, OpenedDocument
from homeagent_sdk.results import Attachment, ToolResult
from homeagent_sdk.stage_data import Message, No, Output, Prompt, Reply, ToolCall, ToolOutcome, TurnInfo

__all__ = ["WireError", "from_wire", "to_wire"]

_KINDS: Final = {
    kind.__name__: kind
    for kind in (
        *(Arrival, Outgoing),
        *(Attachment, Evidence, ExplainedSegment, Injection, KnownDocument, KnownFact, Message, No, OpenedDocument),
        *(Output, Prompt, Recollected, Recollection, Reply, ToolCall, ToolOutcome, ToolResult, TurnInfo),
    )
}
_NAMES: Final[dict[str, object]] = {**_KINDS, "Mapping": Mapping, "Sequence": Sequence, "datetime": datetime}


class WireError(SdkError):
    """A value can't be sent, or what was received is none that may be."""


def to_wire(value: object) -> object:
    """Return a value as JSON has it. Raises `WireError` for one that is not of the SDK and no plain value."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return {"@bytes": base64.b64encode(value).decode("ascii")}
        case datetime():
            return {"@time": value.isoformat()}
        case list():
            return [to_wire(each) for each in value]
        case tuple():
            return {"@tuple": [to_wire(each) for each in value]}
        case Mapping():
            return {"@dict": [[to_wire(key), to_wire(each)] for key, each in value.items()]}
    name = type(value).__name__
    if _KINDS.get(name) is type(value) and dataclasses.is_dataclass(value):
        return {f"@{name}": {each.name: to_wire(getattr(value, each.name)) for each in dataclasses.fields(value)}}
    raise WireError("value", f"a {name} can't be sent to another process", "Use JSON values and the SDK's own classes")


def from_wire(value: object) -> object:
    """Return what `to_wire` was given. Raises `WireError` for anything it does not make."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list():
            return [from_wire(each) for each in value]
        case {"@bytes": str(data)}:
            return base64.b64decode(data)
        case {"@time": str(moment)}:
            return datetime.fromisoformat(moment)
        case {"@tuple": [*items]}:
            return tuple(from_wire(each) for each in items)
        case {"@dict": [*pairs]}:
            return dict(_pair(each) for each in pairs)
        case dict() if len(value) == 1:
            ((name, fields),) = value.items()
            if isinstance(fields, dict) and (kind := _KINDS.get(str(name).removeprefix("@"))):
                return _made(kind, {str(key): from_wire(each) for key, each in fields.items()})
    raise WireError("value", "it is none that can be received", "Use an SDK of the same version")


def _pair(value: object) -> tuple[object, object]:
    match value:
        case [key, each]:
            return from_wire(key), from_wire(each)
    raise WireError("value", "it is no pair", "Use an SDK of the same version")


def _made(kind: type, fields: dict[str, object]) -> object:
    hints = _hints(kind)
    for name, value in fields.items():
        if name not in hints or not _fits(value, hints[name]):
            raise WireError(kind.__name__, f"{name!r} is a {type(value).__name__}", "Return what the SDK declares")
    try:
        return kind(**fields)
    except TypeError as error:
        raise WireError(kind.__name__, str(error), "Return what the SDK declares") from error


@functools.cache
def _hints(kind: type) -> dict[str, object]:
    return typing.get_type_hints(kind, localns=_NAMES)


def _fits(value: object, hint: object) -> bool:
    if hint is object:
        return True
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, each) for each in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(each, arguments[0]) for each in value)
    if origin is Mapping:
        return isinstance(value, dict) and all(isinstance(key, str) for key in value)
    if hint in (None, type(None)):
        return value is None
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(hint, type) and isinstance(value, hint)
