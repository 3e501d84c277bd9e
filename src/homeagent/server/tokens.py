"""Tokens: who may speak to the server, each for one person. Only hashes of them are on the disk.

A token holds 256 bits of chance, so a plain SHA-256 of it can't be guessed back; what is compared are hashes, so that
the time it takes tells nothing of the token.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from homeagent.errors import HomeError, InputError, NotFoundError
from homeagent.memory import OWNER
from homeagent.memory.checks import check_name
from homeagent.memory.lease import Lease

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["Token", "Tokens", "new_value"]

_FILE: Final = "tokens.json"
_PRIVATE: Final = 0o600
_BEGINNING: Final = "ha_"
_LONGEST_PERSON: Final = 64


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token: its id (no secret), whose it is, what for, when it was made, and its hash."""

    id: str
    person: str
    name: str
    made: str
    hash: str

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner's."""
        return self.person == OWNER


def new_value() -> str:
    """Return a new token: letters, digits, ``_`` and ``-``."""
    return _BEGINNING + secrets.token_urlsafe(32)


def _now() -> datetime:
    return datetime.now(UTC)


class Tokens:
    """The tokens of the home in ``root``. What other processes change is seen at once.

    Methods raise `HomeError` when the file can't be read or written.
    """

    def __init__(self, root: Path, clock: Callable[[], datetime] = _now) -> None:
        self._path = root / _FILE
        self._lease = Lease(root / "tokens.lock")
        self._clock = clock
        self._stamp: tuple[int, int, int] | None = None
        self._known: dict[str, Token] = {}
        self._passing: dict[str, Token] = {}

    def new(self, person: str = OWNER, name: str = "") -> tuple[Token, str]:
        """Make a token for a person; return it with its value, which is nowhere afterwards. Raises `InputError`."""
        token, value = self._made(person, name)
        self._change(lambda tokens: [*tokens, token])
        return token, value

    def passing(self, person: str = OWNER, name: str = "this run") -> tuple[Token, str]:
        """Make a token that holds as long as this process lives and is not on the disk."""
        token, value = self._made(person, name)
        self._passing[token.hash] = token
        return token, value

    def listed(self) -> list[Token]:
        """Return the tokens on the disk, oldest first."""
        self._look()
        return list(self._known.values())

    def revoke(self, token: str) -> Token:
        """Let a token, by its id, hold no longer. Raises `NotFoundError`."""
        found = next((each for each in (*self.listed(), *self._passing.values()) if each.id == token), None)
        if found is None:
            raise NotFoundError(f"token {token!r}", "is not in this home", "List them with 'homeagent token list'")
        self._passing.pop(found.hash, None)
        self._change(lambda tokens: [each for each in tokens if each.id != token])
        return found

    def holder(self, value: str) -> Token | None:
        """Return the token with this value, None when there is none."""
        hashed = _hash(value)
        self._look()
        return self._known.get(hashed) or self._passing.get(hashed)

    def holds(self, token: str) -> Token | None:
        """Return the token with this id as long as it holds."""
        self._look()
        return next((each for each in (*self._known.values(), *self._passing.values()) if each.id == token), None)

    # -- inside --------------------------------------------------------------------------------------------------

    def _made(self, person: str, name: str) -> tuple[Token, str]:
        check_name("person", person)
        check_name("name", name)
        if not person.strip() or len(person) > _LONGEST_PERSON or not person.isprintable() or "/" in person:
            problem = f"is no name for a person: 1 to {_LONGEST_PERSON} letters without '/'"
            raise InputError(repr(person), problem, "Write e.g. --person anna")
        value = new_value()
        made = self._clock().isoformat(timespec="seconds")
        return Token(secrets.token_hex(4), person, name, made, _hash(value)), value

    def _change(self, change: Callable[[list[Token]], Sequence[Token]]) -> None:
        with self._lease.held() as mine:
            if not mine:
                raise HomeError(str(self._path), "another process does not let go of it", "End that process")
            self._stamp = None
            self._look()
            self._write(change(list(self._known.values())))
            self._stamp = None

    def _look(self) -> None:
        try:
            seen = self._path.stat()
        except FileNotFoundError:
            self._known, self._stamp = {}, None
            return
        stamp = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
        if stamp == self._stamp:
            return
        try:
            listed = json.loads(self._path.read_text("utf-8"))["tokens"]
            self._known = {each["hash"]: Token(**each) for each in listed}
        except (OSError, ValueError, KeyError, TypeError) as error:
            step = "Move the file away and make new tokens"
            raise HomeError(str(self._path), f"the tokens can't be read ({error})", step) from error
        self._stamp = stamp

    def _write(self, tokens: Sequence[Token]) -> None:
        part = self._path.with_name(f".{_FILE}.{secrets.token_hex(4)}.part")
        try:
            with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE), "w", encoding="utf-8") as file:  # noqa: PTH123
                json.dump({"tokens": [asdict(each) for each in tokens]}, file, ensure_ascii=False, indent=1)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._path)
        except OSError as error:
            step = "Free some space or mend the permissions; nothing was changed"
            raise HomeError(str(self._path), f"can't be written ({error.strerror or error})", step) from error
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
