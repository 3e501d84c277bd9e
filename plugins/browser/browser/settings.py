"""The settings of the plugin."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

__all__ = ["BrowserSettings"]

_HOST = re.compile(r"(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}")


@dataclass(frozen=True)
class BrowserSettings:
    """How to search, and where Chromium is."""

    search: Annotated[str, "the address of the search engine, with {words} where the words go"] = (
        "https://html.duckduckgo.com/html/?q={words}"
    )
    chromium: Annotated[str, "the path of Chromium; it is looked for if empty"] = ""
    own_hosts: Annotated[tuple[str, ...], "hosts in your own network that may be visited, e.g. nas.lan:8080"] = ()
    seconds: Annotated[int, "how long a page may take to load"] = 30
    idle_minutes: Annotated[int, "an open browser that nobody uses is closed after this time"] = 10
    sandbox: Annotated[bool, "whether Chromium confines its own parts"] = True

    def __post_init__(self) -> None:
        """Refuse what can't work."""
        if not self.search.startswith(("http://", "https://")) or "{words}" not in self.search:
            raise ValueError("search: write an address with {words} in it, e.g. https://example.org/search?q={words}")
        for host in self.own_hosts:
            if not _HOST.fullmatch(host):
                raise ValueError(f"own_hosts: {host!r} is no host with a port, such as nas.lan:8080")
        if not 1 <= self.seconds <= 300:
            raise ValueError(f"seconds: {self.seconds} is not between 1 and 300")
