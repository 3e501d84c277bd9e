"""Sessions of pages: a signed cookie stands for a token, until it is too old or was signed out."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from typing import TYPE_CHECKING, Final

from homeagent.errors import HomeError
from homeagent.paths import make_private

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["Sessions"]

_KEY: Final = "server.key"
_ENDED: Final = "signed-out"
_SECONDS: Final = 30 * 24 * 3600
_KEY_BYTES: Final = 32


class Sessions:
    """Cookies of pages: signed, for one token, for 30 days at most, and no longer than the token holds.

    Nothing is kept of those that hold. Of those that were signed out a hash is, as long as they would hold, so that a
    copy of such a cookie lets nobody in. Methods raise `HomeError` when the files of that can't be used.
    """

    def __init__(self, root: Path, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._ended_path = root / _ENDED
        path = root / _KEY
        try:
            make_private(path)
            self._key = path.read_bytes()
            if len(self._key) < _KEY_BYTES:
                self._key = secrets.token_bytes(_KEY_BYTES)
                path.write_bytes(self._key)
            self._ended = self._read_ended()
        except OSError as error:
            step = "Mend its permissions, or delete it: pages then have to log in again"
            raise HomeError(str(path), f"can't be used ({error.strerror or error})", step) from error

    def cookie(self, token: str) -> str:
        """Return the cookie of a new session of a token, by its id."""
        said = f"{token}.{int(self._clock())}.{secrets.token_hex(8)}"
        return f"{said}.{self._sign('session', said)}"

    def token(self, cookie: str) -> str | None:
        """Return the id of the token that a cookie was made for; None when it is not ours, too old or signed out."""
        said, _, sign = cookie.rpartition(".")
        if not hmac.compare_digest(sign.encode(), self._sign("session", said).encode()):
            return None
        token, made, _ = said.split(".")
        if self._clock() - int(made) >= _SECONDS or self._mark(cookie) in self._ended:
            return None
        return token

    def end(self, cookie: str) -> None:
        """Let the session of a cookie hold no longer, nor any copy of it; harmless for what is no cookie of ours."""
        if self.token(cookie) is None:
            return
        mark = self._mark(cookie)
        self._ended.add(mark)
        try:
            make_private(self._ended_path)
            with self._ended_path.open("a", encoding="ascii") as file:
                file.write(f"{int(self._clock())} {mark}\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            step = "Free some space or mend the permissions; until the server stops the session does not hold"
            raise HomeError(str(self._ended_path), f"can't be written ({error.strerror or error})", step) from error

    def csrf(self, cookie: str) -> str:
        """Return what a page of this session has to send along with whatever changes something."""
        return self._sign("csrf", cookie)

    def _read_ended(self) -> set[str]:
        """Return the marks of what was signed out; what would hold no longer anyway is dropped from the file."""
        try:
            lines = self._ended_path.read_text("ascii", "replace").splitlines()
        except FileNotFoundError:
            return set()
        oldest = self._clock() - _SECONDS
        kept = [line for line in lines if line.partition(" ")[0].isdecimal() and int(line.partition(" ")[0]) > oldest]
        if len(kept) < len(lines):
            part = self._ended_path.with_name(f".{_ENDED}.{secrets.token_hex(4)}.part")
            make_private(part)
            part.write_text("".join(f"{line}\n" for line in kept), "ascii", "replace")
            part.replace(self._ended_path)
        return {line.partition(" ")[2] for line in kept}

    def _mark(self, cookie: str) -> str:
        return self._sign("ended", cookie)

    def _sign(self, use: str, text: str) -> str:
        return hmac.new(self._key, f"{use}:{text}".encode(), hashlib.sha256).hexdigest()
