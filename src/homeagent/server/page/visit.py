"""Who looks at the page: the person and the token, the language and the theme, and what they may."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from homeagent.server.access import COOKIE, Asker
from homeagent.server.errors import AccessError
from homeagent.server.page.words import words

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from homeagent.server.daemon import Daemon

__all__ = ["DAEMON", "LANGUAGE", "THEME", "Visit", "language_of", "visit_of"]

DAEMON: Final = "homeagent.daemon"
"""Under which key a request's scope holds the running daemon."""

LANGUAGE: Final = "homeagent_language"
"""The cookie of the language that was chosen on the page."""

THEME: Final = "homeagent_theme"
"""The cookie of the theme that was chosen on the page: ``light`` or ``dark``; without one the browser's holds."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One look at one page, in the session of ``cookie``. ``language`` is ``en`` or ``zh``."""

    daemon: Daemon
    person: str
    token: str
    language: str
    theme: str
    cookie: str

    @property
    def holds(self) -> bool:
        """Whether the session holds still: it was not signed out, and its token was not revoked."""
        return self.daemon.holds(Asker(self.person, self.token, self.cookie))

    @property
    def asker(self) -> Asker:
        """Who asks. Raises `AccessError` when the session holds no longer, so that a page left open ends too."""
        if not self.holds:
            raise AccessError("token", "does not hold (any more)", "Make one with 'homeagent token new'", status=401)
        return Asker(self.person, self.token, self.cookie)

    @property
    def owner(self) -> Asker:
        """Who asks, if it is the owner. Raises `AccessError` for anybody else."""
        asker = self.asker
        if not asker.is_owner:
            raise AccessError("this request", "is for the owner of the home only", "Ask them")
        return asker

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner, to know what to show; what is done goes by `owner`."""
        return Asker(self.person, self.token).is_owner

    def say(self, key: str, /, **values: object) -> str:
        """Return a text of the page in the language of the visit."""
        if self.language == "en" and next(iter(values.values()), "") in (1, "1") and self.has(f"{key}_one"):
            key = f"{key}_one"
        return words(key, self.language).format(**values)

    def has(self, key: str) -> bool:
        """Whether there is a text of this name."""
        return words(key, self.language) != key

    def told(self, text: str) -> str:
        """Return what an error or a reason says, in the language of the visit."""
        if self.has(f"reason: {text}"):
            return words(f"reason: {text}", self.language)
        kind, _, whose = text.partition(": ")
        if whose and self.has(f"reason: {kind}: …"):
            return words(f"reason: {kind}: …", self.language).format(whose=self.told(whose))
        return self.daemon.options.in_chinese(text) if self.language == "zh" and text else text

    def when(self, moment: str | datetime | None, *, day: bool = False) -> str:
        """Return a moment as the clocks said where it was lived, to the minute or to the ``day``; empty for None."""
        if moment is None:
            return ""
        at = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        return f"{at:%Y-%m-%d}" if day else f"{at:%Y-%m-%d %H:%M}"

    def waiting(self, key: str, count: int) -> str:
        """Return that so much waits to be computed; a member is told only that something does."""
        return self.say(key, count=self.number(count)) if self.is_owner else self.say("pending_some")

    def number(self, amount: float) -> str:
        """Return a number with its thousands apart."""
        return f"{amount:,}"


def visit_of(request: HTTPConnection) -> Visit | None:
    """Return who looks, by the cookie of the session; None when nobody is signed in."""
    daemon: Daemon = request.scope[DAEMON]
    cookie = request.cookies.get(COOKIE, "")
    named = daemon.sessions.token(cookie)
    token = daemon.tokens.holds(named) if named is not None else None
    if token is None:
        return None
    theme = request.cookies.get(THEME, "")
    theme = theme if theme in ("light", "dark") else "auto"
    return Visit(daemon, token.person, token.id, language_of(request), theme, cookie)


def language_of(request: HTTPConnection) -> str:
    """Return the language to speak: the one that was chosen on the page, else the first that the browser asks for."""
    chosen = request.cookies.get(LANGUAGE)
    if chosen in ("en", "zh"):
        return chosen
    for wanted in request.headers.get("accept-language", "").lower().split(","):
        if wanted.strip().startswith(("zh", "en")):
            return wanted.strip()[:2]
    return "en"
