"""Where a model is, what it can do, and how its key is read: from the environment or from a private file."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from homeagent.errors import ConfigError
from homeagent.models.errors import KeyMissingError

if TYPE_CHECKING:
    from homeagent.models.cost import Price

__all__ = ["Source", "Timeouts", "read_key"]

_LONGEST_KEY: Final = 8192


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds: for the connection, for the first token, and from one token to the next.

    A model on a slow machine reads a long prompt for minutes before its first token.
    """

    connect: float = 10.0
    first_token: float = 300.0
    next_token: float = 120.0

    def __post_init__(self) -> None:
        if min(self.connect, self.first_token, self.next_token) <= 0:
            raise ValueError("time-outs must be positive")


@dataclass(frozen=True, slots=True)
class Source:
    """One model on one OpenAI-compatible server.

    ``base_url`` ends in ``/v1`` with most servers. The key is in the environment variable ``key_env`` or in the file
    ``key_file``; neither is for a server without keys. ``takes`` are media types it may be given, patterns allowed
    (``image/*``). ``retries`` counts further attempts before the first token, after a lost connection or a status 408,
    409, 429 or 5xx; a server that asks for more patience than ``longest_wait`` seconds is not waited for.
    ``max_tokens`` is how long an answer may be, None leaves that to the server.
    """

    name: str
    base_url: str
    model: str
    key_env: str = ""
    key_file: Path | None = None
    window_tokens: int = 32_768
    price: Price | None = None
    takes: frozenset[str] = frozenset()
    timeouts: Timeouts = field(default=Timeouts(), kw_only=True)
    retries: int = field(default=2, kw_only=True)
    longest_wait: float = field(default=30.0, kw_only=True)
    max_tokens: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        where = f"model source {self.name or '(without a name)'}"
        if not self.name or not self.model:
            raise ConfigError(where, "needs a name and a model", 'Write e.g. name = "home" and model = "qwen3:8b"')
        address = urlsplit(self.base_url)
        if address.scheme not in {"http", "https"} or not address.hostname:
            # The address itself is not shown: it may hold a key.
            step = 'Write e.g. base_url = "http://127.0.0.1:11434/v1"'
            raise ConfigError(f"{where} base_url", "expected an http or https address", step)
        if address.username or address.password or address.query or address.fragment:
            step = "Write the address alone; put the key into an environment variable and name it in key_env"
            raise ConfigError(f"{where} base_url", "holds a user name, password or parameters", step)
        if self.key_env and self.key_file:
            raise ConfigError(where, "names both key_env and key_file", "Keep one of them")
        if self.window_tokens < 1 or self.retries < 0 or self.longest_wait < 0:
            step = "Write e.g. window_tokens = 32768 and retries = 2"
            raise ConfigError(where, "window_tokens must be positive, retries and waits not negative", step)

    @property
    def where(self) -> str:
        """The source in words for errors: name, model, host and port; nothing secret."""
        return f"model source {self.name} ({self.model} at {urlsplit(self.base_url).netloc})"

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine; it is then never asked through a proxy."""
        host = urlsplit(self.base_url).hostname or ""
        return host in {"localhost", "::1"} or host.startswith("127.") or host.endswith(".localhost")


def read_key(source: Source) -> str | None:
    """Return the key of a source as it is now, None for one without. Raises `KeyMissingError`.

    It is read anew for each request, so that a changed key needs no restart. A file that others can read is refused.
    """
    if source.key_env:
        key = os.environ.get(source.key_env, "").strip()
        if not key:
            step = f"Set {source.key_env} in the environment of homeagent, or name another variable in key_env"
            raise KeyMissingError(source.where, f"its key is missing: {source.key_env} is not set", step)
    elif source.key_file:
        key = _from_file(source, Path(source.key_file).expanduser())
    else:
        return None
    if not (key.isascii() and key.isprintable()) or " " in key:
        step = "Write the key alone, on one line, without quotes or blanks"
        raise KeyMissingError(source.where, "its key holds characters that no key has", step)
    return key


def _from_file(source: Source, path: Path) -> str:
    step = f"Put the key into it and run  chmod 600 {path}"
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if os.name == "posix" and mode & 0o077:
                problem = f"others can use its key file {path} (mode {mode:o})"
                raise KeyMissingError(source.where, problem, f"Run  chmod 600 {path}  and consider a new key")
            content = file.read(_LONGEST_KEY + 1)
    except OSError as error:
        problem = f"its key file {path} can't be read ({error.strerror or error})"
        raise KeyMissingError(source.where, problem, step) from error
    if len(content) > _LONGEST_KEY or not content.strip():
        problem = f"its key file {path} {'is empty' if not content.strip() else 'is too long for a key'}"
        raise KeyMissingError(source.where, problem, step)
    return content.decode("utf-8", "replace").strip()
