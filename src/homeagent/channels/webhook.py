"""The webhook: a signed JSON message comes in, the answer is in the response, or is posted to a callback, signed too.

It knows no server: `Webhook.handle` takes a body and headers and gives a `Response`; `homeagent.channels.mounting`
makes it an ASGI application.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import os
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent.channels.signing import SignatureError, signed, verify
from homeagent.errors import ConfigError, HomeAgentError, InputError
from homeagent_sdk import Arrival, Attachment, Capabilities, Outgoing, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from homeagent.channels.hub import Hub
    from homeagent.channels.intake import Taken
    from homeagent.config import ChannelOptions

__all__ = ["MAX_BODY_BYTES", "WEBHOOK", "Response", "Webhook", "WebhookLine", "key_of"]

WEBHOOK: Final = "webhook"
"""The name of the channel."""

MAX_BODY_BYTES: Final = 8 * 1024 * 1024
"""The longest body; attachments are in it."""

_WAIT_SECONDS: Final = 110.0
_POST_SECONDS: Final = 30.0
_LONGEST: Final = 1_000_000
_SHORTEST_KEY: Final = 16
_REFUSED: Final = range(400, 500)
_log = logging.getLogger("homeagent.channels")


@dataclass(frozen=True, slots=True)
class Response:
    """What to answer a request with."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def key_of(options: ChannelOptions) -> bytes | None:
    """Return the key of the webhook, None where none is named. Raises `ConfigError` for one that can't be used."""
    where = "config.toml [channels.webhook]"
    if options.key_env:
        key, name = os.environ.get(options.key_env, ""), options.key_env
    elif options.key_file:
        name = options.key_file
        try:
            key = Path(options.key_file).expanduser().read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"{where} key_file", f"can't be read ({error})", "Write the key into that file"
            ) from error
    else:
        return None
    if len(key.strip()) < _SHORTEST_KEY:
        step = "Make one: python -c 'import secrets; print(secrets.token_hex(32))'"
        raise ConfigError(where, f"the key in {name} has less than {_SHORTEST_KEY} characters", step)
    return key.strip().encode()


class WebhookLine:
    """The webhook as a line of the hub: sends to the callback, where there is one. ``options`` gives the settings."""

    can = Capabilities(length=_LONGEST)

    def __init__(self, options: Callable[[], ChannelOptions], clock: Callable[[], float] = time.time) -> None:
        self._options = options
        self._clock = clock

    @property
    def pushes(self) -> bool:
        """Whether there is a callback."""
        return bool(self._options().callback)

    async def send(self, message: Outgoing) -> str:
        """Post a message to the callback. Raises ``RefusedError`` for what it will not take, else `InputError`."""
        import httpx2

        options = self._options()
        key = key_of(options)
        if not options.callback or key is None:
            raise RefusedError("the webhook has no callback to send to")
        told = {"chat": message.chat, "text": message.text, "reply_to": message.reply_to, "key": message.key}
        body = json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace")
        headers = {"Content-Type": "application/json", **signed(key, body, self._clock())}
        async with httpx2.AsyncClient(timeout=_POST_SECONDS) as client:
            response = await client.post(options.callback, content=body, headers=headers)
        if response.status_code in _REFUSED:
            raise RefusedError(f"the callback answered {response.status_code}")
        if not response.is_success:
            raise InputError("webhook callback", f"the callback answered {response.status_code}", "It is tried again")
        return message.key

    async def typing(self, chat: str) -> None:
        """Show nothing."""


class Webhook:
    """Answers requests. ``hub`` takes the messages, ``options`` gives the settings as they are now."""

    def __init__(
        self,
        hub: Hub,
        options: Callable[[], ChannelOptions],
        clock: Callable[[], float] = time.time,
        wait_seconds: float = _WAIT_SECONDS,
    ) -> None:
        self._hub = hub
        self._options = options
        self._clock = clock
        self._wait = wait_seconds

    async def handle(self, body: bytes, headers: Mapping[str, str]) -> Response:
        """Return what to answer. Nothing of a request is looked at before its signature is found right."""
        try:
            key = key_of(self._options()) if self._options().on else None
        except ConfigError as error:
            _log.warning("%s", error)
            return _plain(503, {"error": "the webhook can't be used; the log of the server says why"})
        if key is None:
            return _plain(404, {"error": "the webhook is off"})
        if len(body) > MAX_BODY_BYTES:
            return _plain(413, {"error": f"the body has more than {MAX_BODY_BYTES} bytes"})
        try:
            verify(key, body, headers, self._clock())
        except SignatureError as error:
            return _plain(401, {"error": error.problem, "hint": error.next_step})
        status, told = await self._answered(body)
        response = _plain(status, told)
        return Response(status, response.body, {**response.headers, **signed(key, response.body, self._clock())})

    async def _answered(self, body: bytes) -> tuple[int, dict[str, object]]:
        try:
            arrival = _arrival(body)
            taken = await self._hub.take(WEBHOOK, arrival)
        except InputError as error:
            return 400, {"error": error.problem, "hint": error.next_step}
        except HomeAgentError as error:
            return 503, {"error": error.problem}
        if not taken.accepted and taken.why != "known":
            return 403, {"error": f"not answered: {taken.why}"}
        if self._options().callback:
            return 202, {"accepted": True}
        return await self._reply(taken)

    async def _reply(self, taken: Taken) -> tuple[int, dict[str, object]]:
        exchange = taken.exchange
        if exchange is None:
            known = await self._hub.outcome(WEBHOOK, taken.name)
            if known is None or known.status == "open":
                return 202, {"accepted": True}
            return 200, {"turn": known.turn, "status": known.status, "reply": "\n\n".join(known.replies)}
        try:
            async with asyncio.timeout(self._wait):
                await exchange.ended.wait()
        except TimeoutError:
            return 202, {"accepted": True, "hint": "It takes longer; ask again with the same id"}
        return 200, {"turn": exchange.turn, "status": exchange.status, "reply": "\n\n".join(exchange.replies)}


def _plain(status: int, told: Mapping[str, object]) -> Response:
    body = json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(status, body, {"Content-Type": "application/json; charset=utf-8"})


def _arrival(body: bytes) -> Arrival:
    """Return the message that a body holds; one without an id is known by its own words and time."""
    try:
        said: object = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(
            "webhook", "the body is no JSON", 'Send {"chat": "...", "sender": "...", "text": "..."}'
        ) from error
    values = said if isinstance(said, dict) else {}
    for name in ("chat", "sender", "text"):
        if not isinstance(values.get(name), str) or (name != "text" and not values[name]):
            raise InputError("webhook", f"{name!r} is missing or no text", 'Send "chat", "sender" and "text"')
    return Arrival(
        values["chat"],
        values["sender"],
        values["text"],
        id=_text(values, "id") or hashlib.sha256(body).hexdigest(),
        members=_members(values.get("members", [])),
        sender_name=_text(values, "name"),
        group=values.get("group") is True,
        addressed=values.get("addressed") is True,
        attachments=_attachments(values.get("attachments", [])),
        reply_to=_text(values, "reply_to"),
        at=_moment(_text(values, "at")),
    )


def _text(values: Mapping[str, object], name: str) -> str:
    value = values.get(name, "")
    if not isinstance(value, str):
        raise InputError("webhook", f"{name!r} is no text", f'Send "{name}" as text, or leave it out')
    return value


def _members(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError("webhook", "'members' is no list of texts", "Send the ids of everybody in the chat")
    return tuple(map(str, value))


def _attachments(value: object) -> tuple[Attachment, ...]:
    items: Sequence[object] = value if isinstance(value, list) else [None]
    return tuple(_attachment(each) for each in items)


def _attachment(value: object) -> Attachment:
    match value:
        case {"media_type": str(media_type), "data": str(data), **more}:
            try:
                return Attachment(media_type, base64.b64decode(data, validate=True), str(more.get("name", "")))
            except ValueError as error:
                raise InputError("webhook", "an attachment's data is no base64", "Encode its bytes") from error
    step = 'Send {"media_type": "image/png", "name": "cat.png", "data": "BASE64"}'
    raise InputError("webhook", "an attachment can't be read", step)


def _moment(value: str) -> datetime | None:
    if not value:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise InputError("webhook", "'at' is no time", "Send e.g. 2026-05-01T10:00:00+08:00") from error
    return moment if moment.tzinfo is not None else moment.astimezone()
