"""Several sources as one model: the first that can answers, the others stand in."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from homeagent.errors import ConfigError
from homeagent.models.errors import (
    BrokenReplyError,
    BusyError,
    ContextTooLongError,
    CreditError,
    KeyMissingError,
    KeyRefusedError,
    ModelError,
    NoSourceError,
    RequestRefusedError,
)
from homeagent.models.messages import Reply
from homeagent.models.openai_compatible import OpenAICompatibleModel
from homeagent.models.sources import read_key

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable

    from homeagent.models.checks import SourceCheck
    from homeagent.models.messages import ModelEvent, ModelRequest
    from homeagent.models.sources import Source

__all__ = ["Router", "SourceState", "SourceStatus"]

_SHORTEST_REST: Final = 30.0
_LONGEST_REST: Final = 600.0
_WINDOW_WITHOUT_SOURCES: Final = 8192

SourceState = Literal["ready", "resting", "key refused", "key missing"]
"""How a source stands: asked in its turn; asked only when no other can; not asked until its key changes; likewise."""


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """How a source stands now, its last problem, and for how many more seconds it is passed over."""

    name: str
    model: str
    state: SourceState
    problem: ModelError | None = None
    rests_for: float = 0.0


@dataclass(slots=True)
class _Slot:
    """A source in use, and what is remembered of it."""

    model: OpenAICompatibleModel
    problem: ModelError | None = None
    refused_key: bytes | None = None
    failures: int = 0
    rests_until: float = 0.0
    streams: int = 0

    @property
    def source(self) -> Source:
        return self.model.source

    def state(self, now: float) -> SourceState:
        try:
            key = _fingerprint(read_key(self.source))
        except KeyMissingError as error:
            self.problem = error
            return "key missing"
        if self.refused_key == key:
            return "key refused"
        if self.refused_key is not None or isinstance(self.problem, KeyMissingError):
            self.is_well()
        return "resting" if self.rests_until > now else "ready"

    def is_well(self) -> None:
        self.problem, self.refused_key, self.failures, self.rests_until = None, None, 0, 0.0

    def failed(self, error: ModelError, now: float) -> None:
        """Remember a failure: how long to pass the source over, and whether its key is to blame."""
        self.problem = error
        rest = min(_SHORTEST_REST * 2.0**self.failures, _LONGEST_REST)
        match error:
            case KeyRefusedError():
                with contextlib.suppress(KeyMissingError):
                    self.refused_key = _fingerprint(read_key(self.source))
                return
            case KeyMissingError() | ContextTooLongError():
                return
            case RequestRefusedError(status=status) if status != 404:
                return  # the request is to blame, not the source
            case CreditError():
                rest = _LONGEST_REST
            case BusyError(retry_after=float(asked)):
                rest = min(asked, _LONGEST_REST)
            case _:
                pass
        self.failures += 1
        self.rests_until = now + rest


class Router:
    """A `Model` made of sources in order of priority.

    A source that fails before its first token is passed over for a while (30 s, doubled each time, at most 10 minutes,
    or as long as it asked for) and the next one is asked; one whose key was refused is not asked again until its key
    changes or `check` finds it good. When all others fail too, a resting source is asked all the same: with one source,
    every request goes to it. After the first token nothing is asked twice.
    """

    def __init__(
        self,
        sources: Iterable[Source],
        *,
        clock: Callable[[], float] = time.monotonic,
        make: Callable[[Source], OpenAICompatibleModel] = OpenAICompatibleModel,
    ) -> None:
        self._clock = clock
        self._make = make
        self._slots: list[_Slot] = []
        self._retired: list[_Slot] = []
        self.replace(sources)

    @property
    def name(self) -> str:
        """Of the source that would be asked first now."""
        first = self._first()
        return first.source.name if first else "no source"

    @property
    def window_tokens(self) -> int:
        """Of the source that would be asked first now."""
        first = self._first()
        return first.source.window_tokens if first else _WINDOW_WITHOUT_SOURCES

    @property
    def takes(self) -> frozenset[str]:
        """Of the source that would be asked first now; another one that stands in names in text what it can't take."""
        first = self._first()
        return first.source.takes if first else frozenset()

    def replace(self, sources: Iterable[Source]) -> None:
        """Use these sources from the next request on; running streams go on, unchanged sources keep their standing.

        Raises `ConfigError` when two have the same name; then nothing changes.
        """
        wanted = tuple(sources)
        names = [source.name for source in wanted]
        for name in names:
            if names.count(name) > 1:
                raise ConfigError("model sources", f"two are called {name!r}", "Give each a name of its own")
        known = {slot.source: slot for slot in self._slots}
        self._slots = [known.pop(source) if source in known else _Slot(self._make(source)) for source in wanted]
        self._retired += known.values()

    def status(self) -> tuple[SourceStatus, ...]:
        """Return how each source stands, in order of priority. Asks nobody."""
        now = self._clock()
        found = []
        for slot in self._slots:
            state = slot.state(now)
            rest = slot.rests_until - now if state == "resting" else 0.0
            found.append(SourceStatus(slot.source.name, slot.source.model, state, slot.problem, rest))
        return tuple(found)

    async def check(self) -> tuple[SourceCheck, ...]:
        """Ask every server, without a paid call, whether it would answer; one that is found good rests no longer."""
        slots = list(self._slots)
        checks = await asyncio.gather(*(slot.model.check() for slot in slots))
        for slot, found in zip(slots, checks, strict=True):
            if found.problem is None:
                slot.is_well()
            else:
                slot.failed(found.problem, self._clock())
        return tuple(checks)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the reply of the first source that gives one; its `Reply` notes who was passed over, and why.

        Raises what the source said when only one was asked, `ContextTooLongError` when no window is large enough, else
        `NoSourceError`.
        """
        problems: list[tuple[_Slot, ModelError]] = []
        for slot in self._in_order(problems):
            if _is_too_small(slot, problems):
                continue
            begun = False
            slot.streams += 1
            try:
                async with aclosing(slot.model.stream(request)) as events:
                    async for event in events:
                        begun = True
                        if isinstance(event, Reply):  # here, not after the loop: who has the reply may stop reading
                            slot.is_well()
                            event = _noted(event, problems)
                        yield event
                return
            except ModelError as error:
                slot.failed(error, self._clock())
                if begun or isinstance(error, BrokenReplyError):
                    raise
                problems.append((slot, error))
            finally:
                slot.streams -= 1
                await self._close_retired()
        raise _nobody(problems)

    async def close(self) -> None:
        """Close all connections."""
        await self._close_retired()
        for slot in self._slots:
            await slot.model.close()

    def _first(self) -> _Slot | None:
        return next(iter(self._in_order([])), None)

    def _in_order(self, problems: list[tuple[_Slot, ModelError]]) -> list[_Slot]:
        """Return the slots to ask: ready ones first. The problems of those with a bad key are put into ``problems``."""
        now = self._clock()
        states = [(slot, slot.state(now)) for slot in self._slots]
        problems += [(slot, slot.problem) for slot, state in states if state.startswith("key") and slot.problem]
        ready = [slot for slot, state in states if state == "ready"]
        return ready + [slot for slot, state in states if state == "resting"]

    async def _close_retired(self) -> None:
        idle = [slot for slot in self._retired if not slot.streams]
        self._retired = [slot for slot in self._retired if slot.streams]
        for slot in idle:
            await slot.model.close()


def _is_too_small(slot: _Slot, problems: list[tuple[_Slot, ModelError]]) -> bool:
    """Whether a source with at least this window has refused the request as too long."""
    tried = [each.source.window_tokens for each, error in problems if isinstance(error, ContextTooLongError)]
    return any(slot.source.window_tokens <= window for window in tried)


def _noted(reply: Reply, problems: list[tuple[_Slot, ModelError]]) -> Reply:
    passed = tuple(f"{slot.source.name} was passed over: {error.problem}" for slot, error in problems)
    return replace(reply, notes=passed + reply.notes)


def _nobody(problems: list[tuple[_Slot, ModelError]]) -> ModelError:
    errors = tuple(error for _, error in problems)
    too_long = [error for error in errors if isinstance(error, ContextTooLongError)]
    if too_long:
        return max(too_long, key=lambda error: error.window_tokens or 0)
    if len(errors) == 1:
        return errors[0]
    if not errors:
        step = "Add one to config.toml, or use the offline mode"
        return NoSourceError("models", "there is no source of a model", step)
    each = "; ".join(f"{slot.source.name}: {error.problem}" for slot, error in problems)
    return NoSourceError("models", f"no source answered ({each})", errors[0].next_step, problems=errors)


def _fingerprint(key: str | None) -> bytes:
    return hashlib.blake2b((key or "").encode()).digest()
