"""Errors between the core and a plugin's own process: those of the SDK come back as themselves."""

from __future__ import annotations

import contextlib

from homeagent_sdk.channels import RefusedError
from homeagent_sdk.errors import ArgumentsError, DeclarationError, Problem, SdkError, SettingsError, ToolError
from homeagent_sdk.traces import trace_of

__all__ = ["RemoteError", "error_from_wire", "error_to_wire"]

_LONGEST_MESSAGE = 2_000
_LONGEST_TRACE = 20_000


class RemoteError(Exception):
    """Any other exception of the other process; its class is called like the one there, its notes are the traceback."""


def error_to_wire(error: BaseException) -> dict[str, object]:
    """Return an exception as plain values."""
    match error:
        case ToolError():
            return {"type": "ToolError", "parts": [error.field, error.reason, error.hint]}
        case RefusedError():
            return {"type": "RefusedError", "parts": [error.reason]}
        case ArgumentsError() | SettingsError():
            return {"type": type(error).__name__, "parts": [error.where], "problems": [list(p) for p in error.problems]}
        case SdkError():
            return {"type": "DeclarationError", "parts": [error.where, error.problem, error.next_step]}
    message = ""
    with contextlib.suppress(Exception):  # an exception of foreign code may fail to describe itself
        message = str(error)[:_LONGEST_MESSAGE]
    trace = trace_of(error)[-_LONGEST_TRACE:]
    return {"type": "", "parts": [type(error).__name__, message], "trace": trace}


def error_from_wire(value: object) -> Exception:
    """Return the exception that `error_to_wire` was given; for anything else one that says so."""
    match value:
        case {"type": "ToolError", "parts": [str(field), str(reason), str(hint)]}:
            return ToolError(field, reason, hint)
        case {"type": "RefusedError", "parts": [str(reason)]}:
            return RefusedError(reason)
        case {"type": "ArgumentsError", "parts": [str(where)], "problems": [*problems]}:
            return ArgumentsError(where, _problems(problems))
        case {"type": "SettingsError", "parts": [str(where)], "problems": [*problems]}:
            return SettingsError(where, _problems(problems))
        case {"type": "DeclarationError", "parts": [str(where), str(problem), str(step)]}:
            return DeclarationError(where, problem, step)
        case {"type": "", "parts": [str(name), str(message)], "trace": str(trace)}:
            kind = type(name, (RemoteError,), {}) if name.isidentifier() else RemoteError
            error: Exception = kind(message)
            error.add_note(trace)
            return error
    return RemoteError("the other process failed and did not say how")


def _problems(values: list[object]) -> list[Problem]:
    return [Problem(*map(str, each)) for each in values if isinstance(each, list) and len(each) == len(Problem._fields)]
