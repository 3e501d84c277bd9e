"""Calls of the OneBot v11 HTTP server: an action and its parameters go out, ``data`` of its answer comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import httpx

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qq.settings import QqSettings

__all__ = ["OneBot", "RefusalError"]

_SECONDS: Final = 60.0
_START: Final = "Say that QQ can't be reached; see that the OneBot implementation (e.g. NapCat) runs"


class RefusalError(ToolError):
    """The server answered that it did not do what it was asked; ``reason`` is what it said."""


class OneBot:
    """One server. Methods raise `RefusalError` when it refuses, ``ToolError`` when it can't be reached."""

    def __init__(self, settings: QqSettings) -> None:
        token = settings.token.reveal()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.AsyncClient(base_url=settings.http_url, headers=headers, timeout=_SECONDS)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def call(self, action: str, /, **parameters: object) -> object:
        """Call an action and return its ``data``."""
        given = {name: value for name, value in parameters.items() if value is not None}
        try:
            answer = await self._client.post(f"/{action}", json=given)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ToolError("", f"QQ can't be reached ({error or type(error).__name__})", _START) from None
        try:
            found: object = answer.json()
        except ValueError:
            found = None
        if not isinstance(found, dict) or "retcode" not in found:
            hint = (
                "Say that the token in the plugin's settings is not right"
                if answer.status_code in (401, 403)
                else _START
            )
            raise ToolError("", f"the OneBot server answers {answer.status_code}", hint)
        if found.get("status") not in ("ok", "async") or found.get("retcode") not in (0, 1):
            said = found.get("wording") or found.get("message") or f"code {found.get('retcode')}"
            raise RefusalError("", f"QQ refused {action}: {said}", "Say so; try again only with other values")
        return found.get("data")

    async def table(self, action: str, /, **parameters: object) -> Mapping[str, object]:
        """Call an action whose data is one object."""
        found = await self.call(action, **parameters)
        return found if isinstance(found, dict) else {}

    async def rows(self, action: str, /, **parameters: object) -> list[Mapping[str, object]]:
        """Call an action whose data is a list of objects."""
        found = await self.call(action, **parameters)
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
