"""The traceback of a plugin's exception, as its author wants to read it."""

from __future__ import annotations

import contextlib
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["trace_of"]

_OWN: Final = str(Path(__file__).parent)


def trace_of(error: BaseException) -> str:
    """Return a traceback that begins in the plugin: without the frames of the SDK and of Python's import before it."""
    at = error.__traceback__
    while at is not None and _is_ours(at):
        at = at.tb_next
    with contextlib.suppress(Exception):  # an exception of foreign code may fail to describe itself
        return "".join(traceback.format_exception(type(error), error, at or error.__traceback__))
    return ""


def _is_ours(at: TracebackType) -> bool:
    file = at.tb_frame.f_code.co_filename
    return file.startswith(_OWN) or "importlib" in file
