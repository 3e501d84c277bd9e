"""What came in and is not answered yet, and what is to be sent and has not gone out: a file for each, until it is done.

A file is written whole before anybody is told that a message was taken, and deleted when it is done with, so that no
words stay here. Of what is done only ids are remembered, so that what comes twice is answered once.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from homeagent.errors import HomeError
from homeagent_sdk import Arrival, Outgoing
from homeagent_sdk.wire_values import WireError, from_wire, to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["Received", "Spool", "ToSend"]

_log = logging.getLogger("homeagent.channels")
_REMEMBERED: Final = 5_000
_PRIVATE: Final = 0o700


@dataclass(frozen=True, slots=True)
class Received:
    """Messages of one sender that are answered in one turn, oldest first; ``key`` names their file."""

    key: str
    channel: str
    arrivals: tuple[Arrival, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The names of the messages within their channel."""
        return tuple(name_of(each) for each in self.arrivals)


@dataclass(frozen=True, slots=True)
class ToSend:
    """One message to send, since when (seconds since 1970), and how often that failed; ``key`` names its file."""

    key: str
    channel: str
    message: Outgoing
    since: float
    tries: int = 0


def name_of(arrival: Arrival) -> str:
    """Return the name of a message within its channel, as the log can hold it."""
    name = f"{arrival.chat}/{arrival.id}"
    return name.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0").replace("\n", "\\n")


class Spool:
    """The files of one home's channels, in one folder. Every method blocks, and raises `HomeError` for a full disk."""

    def __init__(self, folder: Path) -> None:
        self._in, self._out, self._failed = folder / "in", folder / "out", folder / "failed"
        self._done = folder / "done.txt"
        self._numbers = itertools.count()
        for each in (self._in, self._out, self._failed):
            try:
                each.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
            except OSError as error:
                raise _unwritable(each, error) from error
        self._known = _read_known(self._done)

    # -- what came in ------------------------------------------------------------------------------------------------

    def take(self, channel: str, arrival: Arrival) -> Received:
        """Keep a message until it is `done`; it is on the disk when this returns."""
        received = Received(self._key(), channel, (arrival,))
        self._write(self._in, received.key, {"channel": channel, "arrivals": (arrival,)})
        return received

    def join(self, parts: Iterable[Received]) -> Received:
        """Make one of several messages that are answered together."""
        first, *rest = parts
        if not rest:
            return first
        arrivals = tuple(arrival for each in (first, *rest) for arrival in each.arrivals)
        self._write(self._in, first.key, {"channel": first.channel, "arrivals": arrivals})
        for each in rest:
            self._delete(self._in, each.key)
        return replace(first, arrivals=arrivals)

    def done(self, received: Received) -> None:
        """Let go of messages that were answered; they are known from now on."""
        self._remember([f"{received.channel}\t{name}" for name in received.ids])
        self._delete(self._in, received.key)

    def waiting(self) -> list[Received]:
        """Return what came in and is not done, oldest first."""
        found: list[Received] = []
        seen: set[tuple[str, str]] = set()
        for key, values in self._read_all(self._in):
            match values:
                case {"channel": str(channel), "arrivals": tuple(arrivals)}:
                    kept = tuple(each for each in arrivals if isinstance(each, Arrival))
                    received = Received(key, channel, kept)
                    if received.ids and not {(channel, name) for name in received.ids} <= seen:
                        found.append(received)
                        seen |= {(channel, name) for name in received.ids}
                    else:  # it was joined to an earlier one just when the process died
                        self._delete(self._in, key)
        return found

    def knows(self, channel: str, name: str) -> bool:
        """Whether a message was answered, as far as is remembered here: the log knows of more."""
        return f"{channel}\t{name}" in self._known

    # -- what goes out -----------------------------------------------------------------------------------------------

    def queue(self, channel: str, message: Outgoing) -> ToSend | None:
        """Keep a message until it is `sent`; None when one of its key was sent before or waits."""
        if f">\t{message.key}" in self._known or any((self._out).glob(f"*-{message.key}.json")):
            return None
        waiting = ToSend(f"{self._key()}-{message.key}", channel, message, time.time())
        self._keep(waiting)
        return waiting

    def tried(self, waiting: ToSend) -> ToSend:
        """Count one more failure."""
        again = replace(waiting, tries=waiting.tries + 1)
        self._keep(again)
        return again

    def sent(self, waiting: ToSend) -> None:
        """Let go of a message that went out."""
        self._remember([f">\t{waiting.message.key}"])
        self._delete(self._out, waiting.key)

    def given_up(self, waiting: ToSend, reason: str) -> None:
        """Put a message aside that will not be sent; only where it was to go and why stays, no words of it."""
        self._remember([f">\t{waiting.message.key}"])
        told = {"channel": waiting.channel, "chat": waiting.message.chat, "reason": reason, "at": time.time()}
        self._write(self._failed, waiting.key, told)
        self._delete(self._out, waiting.key)

    def to_send(self) -> list[ToSend]:
        """Return what waits to be sent, oldest first."""
        found: list[ToSend] = []
        for key, values in self._read_all(self._out):
            match values:
                case {"channel": str(channel), "message": Outgoing() as message, "since": float(since), "tries": tries}:
                    found.append(ToSend(key, channel, message, since, tries if isinstance(tries, int) else 0))
        return found

    def counts(self) -> tuple[int, int, int]:
        """Return how many messages wait to be answered, wait to be sent, and were given up."""
        unanswered, unsent, given_up = (len(list(each.glob("*.json"))) for each in (self._in, self._out, self._failed))
        return unanswered, unsent, given_up

    # -- files -------------------------------------------------------------------------------------------------------

    def _keep(self, waiting: ToSend) -> None:
        values = {"message": waiting.message, "since": waiting.since, "tries": waiting.tries}
        self._write(self._out, waiting.key, {"channel": waiting.channel, **values})

    def _key(self) -> str:
        return f"{time.time_ns():020d}.{next(self._numbers):06d}"

    def _write(self, folder: Path, key: str, values: Mapping[str, object]) -> None:
        path, part = folder / f"{key}.json", folder / f".{key}.part"
        data = json.dumps(to_wire(values), ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            with open(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:  # noqa: PTH123
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
            _sync(folder)
        except OSError as error:
            raise _unwritable(path, error) from error

    def _read_all(self, folder: Path) -> list[tuple[str, object]]:
        found: list[tuple[str, object]] = []
        for path in sorted(folder.glob("*.json")):
            try:
                values = from_wire(json.loads(path.read_bytes().decode("utf-8", "surrogatepass")))
            except (OSError, ValueError, WireError) as error:  # the others are worth more than this one
                aside = self._failed / f"{path.name}.unreadable"
                _log.error("%s can't be read (%s); it is moved to %s", path, error, aside)
                path.replace(aside)
                continue
            found.append((path.stem, values))
        return found

    def _delete(self, folder: Path, key: str) -> None:
        (folder / f"{key}.json").unlink(missing_ok=True)

    def _remember(self, names: list[str]) -> None:
        self._known.update(dict.fromkeys(names))
        try:
            with self._done.open("a", encoding="utf-8") as file:
                file.writelines(f"{name}\n" for name in names)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unwritable(self._done, error) from error


def _read_known(path: Path) -> dict[str, None]:
    """Return the names that are remembered, oldest first, and let go of the oldest when they are many."""
    try:
        names = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise HomeError(str(path), f"can't be read ({error})", "Move the file away") from error
    if len(names) > 2 * _REMEMBERED:
        names = names[-_REMEMBERED:]
        part = path.with_suffix(".part")
        part.write_text("".join(f"{name}\n" for name in names), "utf-8")
        part.replace(path)
    return dict.fromkeys(names)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unwritable(path: Path, error: OSError) -> HomeError:
    return HomeError(str(path), f"can't be written ({error.strerror or error})", "Free some space, mend its mode")
