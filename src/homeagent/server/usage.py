"""What was used and what it cost, by day and source of models: a small file of the home."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from homeagent.agent.events import TurnEnded

__all__ = ["Usage", "Used"]

_FILE: Final = "usage.json"
_MOST_DAYS: Final = 800
_log = logging.getLogger("homeagent.server")


@dataclass(slots=True)
class Used:
    """What one source was used for on one day. ``cost`` is in ``currency``, 0 where no price is known."""

    turns: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0
    currency: str = ""


class Usage:
    """Counts turns. Counting never fails: what can't be written is said in the log."""

    def __init__(self, root: Path, clock: Callable[[], datetime]) -> None:
        self._path = root / _FILE
        self._clock = clock
        self._days = _read(self._path)
        self._changed = False

    def add(self, ended: TurnEnded) -> None:
        """Count a turn that has ended."""
        day = self._clock().date().isoformat()
        used = self._days.setdefault(day, {}).setdefault(ended.source or "none", Used())
        used.turns += 1
        if ended.usage is not None:
            used.prompt_tokens += ended.usage.prompt_tokens
            used.completion_tokens += ended.usage.completion_tokens
            used.cached_tokens += ended.usage.cached_tokens
        if ended.cost is not None:
            used.cost += ended.cost
            used.currency = ended.currency
        self._changed = True

    def days(self, most: int = 31) -> dict[str, dict[str, Used]]:
        """Return the newest days, the newest first, each with what every source was used for."""
        return {day: self._days[day] for day in sorted(self._days, reverse=True)[:most]}

    async def save(self) -> None:
        """Write what is new."""
        if self._changed:
            self._changed = False
            kept = self.days(_MOST_DAYS)
            text = json.dumps({day: {name: _object(each) for name, each in by.items()} for day, by in kept.items()})
            await asyncio.to_thread(_write, self._path, text)


def _object(used: Used) -> dict[str, object]:
    return {
        "turns": used.turns,
        "prompt_tokens": used.prompt_tokens,
        "completion_tokens": used.completion_tokens,
        "cached_tokens": used.cached_tokens,
        "cost": used.cost,
        "currency": used.currency,
    }


def _read(path: Path) -> dict[str, dict[str, Used]]:
    try:
        read = json.loads(path.read_text("utf-8"))
        return {day: {name: Used(**each) for name, each in by.items()} for day, by in read.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        _log.warning("%s can't be read and is begun anew: %s", path, error)
        return {}


def _write(path: Path, text: str) -> None:
    part = path.with_name(f".{_FILE}.{secrets.token_hex(4)}.part")
    try:
        with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(text)
        part.replace(path)
    except OSError as error:
        _log.warning("%s can't be written: %s", path, error)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
