"""What happens in the home, told to those who listen and may know: a ring of notices, each with an id to go on from."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.memory import OWNER

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Collection, Iterator, Mapping

__all__ = ["Hub", "Notice"]

_KEPT: Final = 2_000
_WAITING: Final = 2_000


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that happened: what kind, the rest as plain values, and the persons who may know it.

    For each of them ``numbers`` has its place among all that they may know: nobody learns how much others hear of.
    """

    kind: str
    data: Mapping[str, object]
    numbers: Mapping[str, int]


class Hub:
    """Passes notices on. All methods belong to the event loop's thread."""

    def __init__(self) -> None:
        self._run = secrets.token_hex(4)
        self._kept: deque[Notice] = deque(maxlen=_KEPT)
        self._numbers = Counter[str]()
        self._listeners: dict[asyncio.Queue[Notice | None], str] = {}
        self._closed = False

    def publish(self, kind: str, data: Mapping[str, object], audience: Collection[str] = (OWNER,)) -> None:
        """Tell everybody in ``audience`` (persons as tokens name them; the owner by default)."""
        self._numbers.update(set(audience))
        notice = Notice(kind, data, {person: self._numbers[person] for person in audience})
        self._kept.append(notice)
        for queue, person in self._listeners.items():
            if person not in notice.numbers:
                continue
            if queue.qsize() < _WAITING:
                queue.put_nowait(notice)
                continue
            while not queue.empty():  # he does not read: when he does he has to look at everything anew
                queue.get_nowait()
            queue.put_nowait(self._reset(person))

    def has_listener(self, person: str) -> bool:
        """Whether a person listens at present."""
        return person in self._listeners.values()

    def id_of(self, notice: Notice, person: str) -> str:
        """Return the id by which somebody who heard a notice goes on after it."""
        return f"{self._run}-{notice.numbers[person]}"

    async def follow(self, person: str, last: str = "") -> AsyncGenerator[Notice, None]:
        """Yield what a person may know, from after the id ``last`` on, until the hub is closed.

        When that is too long ago, or from another run, a notice of kind ``reset`` comes first: look at everything anew.
        """
        with self._listening(person) as queue:
            missed, whole = self._after(last, person)
            if not whole:
                yield self._reset(person)
            for notice in missed:
                yield notice
            seen = missed[-1].numbers[person] if missed else 0
            while (new := await queue.get()) is not None:
                if new.numbers[person] > seen:
                    yield new

    def close(self) -> None:
        """End every `follow`."""
        self._closed = True
        for queue in self._listeners:
            queue.put_nowait(None)

    @contextmanager
    def _listening(self, person: str) -> Iterator[asyncio.Queue[Notice | None]]:
        queue: asyncio.Queue[Notice | None] = asyncio.Queue()
        self._listeners[queue] = person
        if self._closed:
            queue.put_nowait(None)
        try:
            yield queue
        finally:
            del self._listeners[queue]

    def _reset(self, person: str) -> Notice:
        return Notice("reset", {}, {person: self._numbers[person]})

    def _after(self, last: str, person: str) -> tuple[list[Notice], bool]:
        """Return what somebody may know of what came after an id, and whether that is all of it."""
        if not last:
            return [], True
        run, _, number = last.partition("-")
        if run != self._run or not number.isdecimal() or len(number) > 18:
            return [], False
        after = int(number)
        theirs = [each for each in self._kept if person in each.numbers]
        oldest = theirs[0].numbers[person] if theirs else self._numbers[person] + 1
        return [each for each in theirs if each.numbers[person] > after], after >= oldest - 1
