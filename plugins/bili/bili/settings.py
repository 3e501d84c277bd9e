"""The settings of the plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from homeagent_sdk import Secret

__all__ = ["BiliSettings"]


@dataclass(frozen=True)
class BiliSettings:
    """Whom to ask, and for how much."""

    gateway: Annotated[str, "a server that passes requests on, as http://HOST/www.bilibili.com/..."] = ""
    cookies: Annotated[Secret, "the cookie SESSDATA of your account"] = Secret()  # noqa: RUF009 - it can't be changed
    longest_subtitles: Annotated[int, "characters of subtitles that are handed out at most"] = 30_000

    def __post_init__(self) -> None:
        """Refuse a gateway that is no address."""
        if self.gateway and not self.gateway.startswith(("http://", "https://")):
            raise ValueError(f"gateway: {self.gateway!r} begins with neither http:// nor https://")
