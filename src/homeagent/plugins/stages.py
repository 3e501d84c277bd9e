"""The call engine of the stages. How a handler fails is in the name of its verb.

decide      the first no ends it; an error or a time-out is a no
transform   each gets what the one before it made; an error, a time-out or another type keeps the old value
observe     all at once; an error or a time-out is logged
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, TypeVar

from homeagent.plugins.boundary import Failure, guarded
from homeagent_sdk import No, TurnInfo

if TYPE_CHECKING:
    from homeagent.plugins.declaration import HandlerDeclaration
    from homeagent.plugins.registry import Registry
    from homeagent_sdk.stages import Verb

__all__ = ["STAGE_SECONDS", "StageEngine"]

T = TypeVar("T")

STAGE_SECONDS = 5.0
"""How long one handler may take."""

_log = logging.getLogger("homeagent.plugins")


class StageEngine:
    """Calls the handlers of a registry, in the order in which their plugins were registered."""

    def __init__(self, registry: Registry, *, seconds: float = STAGE_SECONDS) -> None:
        self._registry = registry
        self._seconds = seconds

    def has(self, stage: str, *verbs: Verb) -> bool:
        """Whether any plugin takes part in a stage with one of these verbs."""
        return any(self._registry.handlers(stage, verb) for verb in verbs)

    async def decide(self, stage: str, **values: object) -> No | None:
        """Return the first no, or None when every handler lets it go on."""
        for handler in self._registry.handlers(stage, "decide"):
            answer = await self._call(handler, values)
            if isinstance(answer, Failure):
                return No(f"{handler.plugin} could not decide ({answer.message})")
            if isinstance(answer, No):
                return answer
            if answer is not True:
                return No(f"{handler.plugin} says no")
        return None

    async def transform(self, stage: str, name: str, value: T, **values: object) -> T:
        """Return what the handlers make of ``value``, which they know by ``name``."""
        for handler in self._registry.handlers(stage, "transform"):
            made = await self._call(handler, {**values, name: value})
            if isinstance(made, type(value)):
                value = made
            elif not isinstance(made, Failure):
                kind, wanted = type(made).__name__, type(value).__name__
                _log.warning("%s: returned %s, not %s; the old value is kept", _named(handler), kind, wanted)
        return value

    async def observe(self, stage: str, **values: object) -> None:
        """Tell every handler, all at once."""
        handlers = self._registry.handlers(stage, "observe")
        await asyncio.gather(*(self._call(handler, values) for handler in handlers))

    async def _call(self, handler: HandlerDeclaration, values: dict[str, object]) -> object:
        runner = self._registry.runner(handler.plugin)
        result = await guarded(runner.handle(handler, values), self._seconds)
        if isinstance(result, Failure):
            turn = values.get("turn")
            private = isinstance(turn, TurnInfo) and turn.private  # then nobody's words may end up in a log
            details = ("failed", "") if private else (result.message, result.trace)
            _log.warning("%s: %s\n%s", _named(handler), *details)
        return result


def _named(handler: HandlerDeclaration) -> str:
    return f"plugin {handler.plugin!r}, {handler.stage}.{handler.verb} {handler.name}"
