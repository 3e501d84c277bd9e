"""What schemathesis is told about our API: streams are listened to for a moment, models are those of the bench."""

from __future__ import annotations

import os
from typing import Any

import schemathesis

__all__ = ["prepare"]


@schemathesis.hook("before_call")
def prepare(_context: Any, case: Any, _kwargs: Any) -> None:
    """Let `/api/events` end by itself, and a source that is added be one that answers."""
    if case.operation.path == "/api/events":
        case.query = {**(case.query or {}), "seconds": 0.2}
    body = case.body
    if (
        case.operation.path == "/api/sources/{name}"
        and isinstance(body, dict)
        and isinstance(body.get("base_url"), str)
    ):
        case.body = {**body, "base_url": os.environ["BENCH_MODEL"]}
