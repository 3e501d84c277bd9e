"""The HTTP interface of NetEase Cloud Music: one request, its JSON answer, and what its refusals mean."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MusicSettings", "ask"]

_SECONDS = 20
_LARGEST = 4 * 1024 * 1024
_HEADERS = {
    # It answers browsers that come from its own pages and "cheating" (-460) to everybody else.
    "User-Agent": "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36",
    "Referer": "https://music.163.com/",
}
_TOO_OFTEN = (-460, 405, 503)


@dataclass(frozen=True)
class MusicSettings:
    """Where to ask, and for how much."""

    address: Annotated[str, "where the service is"] = "https://music.163.com"
    results: Annotated[int, "how many songs a search gives, 1 to 30"] = 10

    def __post_init__(self) -> None:
        """Refuse what can't work."""
        if not self.address.startswith(("https://", "http://")):
            raise ValueError(f"address: {self.address!r} begins with neither https:// nor http://")
        if not 1 <= self.results <= 30:
            raise ValueError(f"results: {self.results} is not between 1 and 30")


def ask(address: str, path: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return the answer to one request. Raises ``ToolError`` for whatever is no good answer."""
    url = f"{address.rstrip('/')}{path}?{urllib.parse.urlencode(values)}"
    try:
        request = urllib.request.Request(url, headers=_HEADERS)  # noqa: S310 - the address is http or https
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
            data = answer.read(_LARGEST + 1)
    except urllib.error.HTTPError as error:
        raise ToolError("", f"the music service answered {error.code}", "Try again later") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise ToolError("", f"the music service can't be reached ({reason})", "Try again later") from None
    try:
        found = json.loads(data)
    except ValueError:
        found = None
    if len(data) > _LARGEST or not isinstance(found, dict):
        raise ToolError("", "the music service sent no JSON", "Try again later; see the setting address")
    code = found.get("code", 200)
    if code != 200:
        told = found.get("message") or found.get("msg") or ""
        hint = "It takes this for too many requests: wait some minutes" if code in _TOO_OFTEN else "Try something else"
        raise ToolError("", f"the music service refused: {code} {told}".rstrip(), hint)
    return found
