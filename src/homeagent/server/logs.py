"""The program's log as lines of JSON on standard error: one object a line, no secrets, nothing of what was said."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from homeagent.masking import MaskingFilter, masked

__all__ = ["JsonLines", "log_as_json"]


class JsonLines(logging.Formatter):
    """Writes a record as one JSON object; ``extra={"fields": {...}}`` of a call are further members."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields = getattr(record, "fields", None)
        if isinstance(fields, dict):
            line |= fields
        if record.exc_info:
            line["trace"] = masked(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


def log_as_json(level: int = logging.INFO) -> None:
    """Let the whole program log to standard error in this form."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(MaskingFilter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in ("homeagent", "uvicorn.error"):
        logging.getLogger(name).setLevel(level)
    logging.getLogger("nicegui").addFilter(_tells_no_address)


def _tells_no_address(record: logging.LogRecord) -> bool:
    """Let nothing pass that names a whole address nobody serves, with what was asked for: our log has its path."""
    return not record.getMessage().endswith(" not found")
