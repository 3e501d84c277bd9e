"""The webhook as an ASGI application, for any server: ``Route("/webhook", Mounted(webhook))``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING

from homeagent.channels.webhook import MAX_BODY_BYTES, Response

if TYPE_CHECKING:
    from homeagent.channels.webhook import Webhook

__all__ = ["Mounted"]

Event = MutableMapping[str, object]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]


class Mounted:
    """An ASGI application that hands every POST to the webhook; of a body no more than allowed is read."""

    def __init__(self, webhook: Webhook) -> None:
        self._webhook = webhook

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope.get("type") != "http":
            return
        if scope.get("method") != "POST":
            await _answer(send, Response(405, b'{"error": "POST only"}', {"Allow": "POST"}))
            return
        body = await _body(receive)
        if body is not None:
            await _answer(send, await self._webhook.handle(body, _headers(scope)))


async def _body(receive: Receive) -> bytes | None:
    """Return the body, one byte too long where it is longer than allowed; None when the other side is gone."""
    body = bytearray()
    while True:
        event = await receive()
        if event.get("type") == "http.disconnect":
            return None
        piece = event.get("body", b"")
        body += piece if isinstance(piece, bytes) else b""
        if len(body) > MAX_BODY_BYTES or not event.get("more_body"):
            return bytes(body[: MAX_BODY_BYTES + 1])


def _headers(scope: Event) -> dict[str, str]:
    given = scope.get("headers")
    pairs = given if isinstance(given, list | tuple) else ()
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}


async def _answer(send: Send, response: Response) -> None:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()]
    headers.append((b"content-length", str(len(response.body)).encode("ascii")))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})
