"""yt-dlp, held to Bilibili: asks for what is known of a video and downloads nothing of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from yt_dlp import YoutubeDL
from yt_dlp.networking import Request
from yt_dlp.utils import YoutubeDLError

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    import logging

    from yt_dlp.networking import Response

    from bili.settings import BiliSettings

__all__ = ["Extractor", "address_of"]

_NAME = re.compile(r"(BV[0-9A-Za-z]{10}|av[0-9]{1,16})", re.IGNORECASE)
_HOSTS = ("www.bilibili.com", "bilibili.com", "m.bilibili.com")
_SECONDS = 15
_PREFIX = re.compile(r"^(?:ERROR: )?(?:\[[\w:]+\] )?(?:BV\w+: |av\w+: |\d\w*: )?")
_ADVICE = re.compile(
    r"[;.,]? *(?:please report this issue on|Use --|You might want to|\(caused by)[\s\S]*", re.IGNORECASE
)


def address_of(video: str) -> str:
    """Return the address of a video's page, or a short link as it is. Raises ``ToolError`` for what is neither."""
    text = video.strip()
    if _NAME.fullmatch(text):
        return f"https://www.bilibili.com/video/{text}"
    parts = urlsplit(text if "://" in text else f"https://{text}")
    if parts.scheme in ("http", "https") and parts.hostname == "b23.tv" and re.fullmatch(r"/\w+/?", parts.path):
        return f"https://b23.tv{parts.path}"
    name = _NAME.search(parts.path)
    if parts.hostname in _HOSTS and name and parts.path.startswith("/video/"):
        page = re.search(r"(?:^|&)p=([0-9]{1,4})(?:&|$)", parts.query)
        return f"https://www.bilibili.com/video/{name[0]}" + (f"?p={page[1]}" if page else "")
    raise ToolError(
        "video", f"{video!r} is no video on Bilibili", 'Give e.g. "BV1vL411G7N7" or the address of its page'
    )


class Extractor(YoutubeDL):  # type: ignore[misc]  # it has no types
    """A `YoutubeDL` that knows no site but Bilibili and can ask through a gateway."""

    def __init__(self, settings: BiliSettings, log: logging.Logger) -> None:
        self._gateway = settings.gateway.rstrip("/")
        super().__init__(
            {
                "allowed_extractors": [r"BiliBili(Bangumi)?"],
                "skip_download": True,
                "writesubtitles": True,  # without it they are not even looked for
                "noplaylist": True,
                "cachedir": False,
                "socket_timeout": _SECONDS,
                "extractor_retries": 1,
                "quiet": True,
                "noprogress": True,
                "logger": log,
            },
            auto_init="no_verbose_header",
        )
        if settings.cookies:
            cookie = f"SESSDATA={settings.cookies.reveal()}; Domain=.bilibili.com; Path=/; Secure"
            self._apply_header_cookies("https://api.bilibili.com/", cookie)

    def facts(self, video: str) -> dict[str, object]:
        """Return what yt-dlp found out about a video. Raises ``ToolError``."""
        try:
            address = address_of(video)
            if "b23.tv" in address:
                address = address_of(self.urlopen(address).url)
            found = self.extract_info(address, download=False, process=False)
        except YoutubeDLError as error:
            reason = _ADVICE.sub("", _PREFIX.sub("", str(error)), count=1).strip(" .:") or type(error).__name__
            raise ToolError("video", reason, "Look whether it can be seen in a browser, or try again later") from None
        if not isinstance(found, dict) or not found.get("title"):
            raise ToolError("video", "nothing is known about it", "Look whether it can be seen in a browser")
        return found

    def urlopen(self, req: Request | str) -> Response:
        """Ask, through the gateway where there is one."""
        request = Request(req) if isinstance(req, str) else req
        if not self._gateway:
            return super().urlopen(request)
        request = request.copy()
        request.update(url=f"{self._gateway}/{re.sub(r'^[a-z]+://', '', request.url)}")
        response = super().urlopen(request)
        response.url = response.url.replace(f"{self._gateway}/", "https://", 1)
        return response
