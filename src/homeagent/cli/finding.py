"""One line of an examination by ``doctor``."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["Finding"]


class Finding(NamedTuple):
    """What was looked at, how it is, and what to do where something is to be done."""

    name: str
    level: Literal["ok", "warn", "fail"]
    found: str
    next_step: str = ""
