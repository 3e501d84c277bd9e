from __future__ import annotations

import asyncio
import contextlib
import http.server
import json
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from homeagent.app import App, AppParts
from homeagent.channels import Mounted, Pauses, Response, Webhook
from homeagent.channels.signing import SIGNATURE, TIMESTAMP, signature, signed, verify
from homeagent.channels.webhook import MAX_BODY_BYTES
from homeagent.config import ChannelOptions
from homeagent.memory.embed import NoEmbedder
from homeagent.models import Say, ScriptedModel
from homeagent_sdk import Injection
from tests.channels.worlds import in_loop, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

KEY = "correct horse battery staple"


@contextlib.asynccontextmanager
async def running(home: Path, script: list[object], **options: object) -> AsyncIterator[App]:
    home.mkdir(exist_ok=True)
    (home / "key").write_text(f"{KEY}\n")
    given = {"owners": ("me",), "merge_seconds": 0.0, "key_file": str(home / "key"), **options}
    channels = {"webhook": ChannelOptions(**given)}  # type: ignore[arg-type]
    parts = AppParts(
        ScriptedModel(script),
        [],
        embedder=NoEmbedder(),
        channels=channels,
        pauses=Pauses(0.05, 0.2, 60.0),  # type: ignore[arg-type]
    )
    async with App.open(home, parts) as app:
        task = asyncio.create_task(app.hub.run())
        yield app
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def body_of(text: str, **more: object) -> bytes:
    return json.dumps({"chat": "desk", "sender": "me", "text": text, "id": "m1", **more}).encode()


async def post(app: App, body: bytes, headers: dict[str, str] | None = None) -> tuple[int, dict[str, object]]:
    response = await app.webhook.handle(body, signed(KEY.encode(), body, time.time()) if headers is None else headers)
    if SIGNATURE in response.headers:
        verify(KEY.encode(), response.body, response.headers, time.time())
    else:
        assert response.status >= 400, "only a refusal is not signed"
    return response.status, json.loads(response.body)


@in_loop
async def test_a_signed_message_is_answered_in_the_response(tmp_path: Path) -> None:
    async with running(tmp_path, ["hello you"]) as app:
        status, told = await post(app, body_of("hi"))
        assert (status, told["reply"], told["status"]) == (200, "hello you", "done")
        (turn,) = app.memory.turns()
        assert (told["turn"], turn.place.channel, turn.sender) == (turn.turn_id, "webhook", "me")


@in_loop
async def test_the_same_message_is_answered_once_and_told_again(tmp_path: Path) -> None:
    async with running(tmp_path, ["hello you"]) as app:
        first, again = await asyncio.gather(post(app, body_of("hi")), post(app, body_of("hi")))
        assert first == again
        assert await post(app, body_of("hi")) == first
    async with running(tmp_path, []) as app:
        assert await post(app, body_of("hi")) == first, "after a restart too"
        assert len(list(app.memory.turns())) == 1


@in_loop
async def test_what_is_not_signed_right_is_refused_and_not_looked_at(tmp_path: Path) -> None:
    async with running(tmp_path, []) as app:
        body, now = body_of("hi"), time.time()
        good = signed(KEY.encode(), body, now)
        refused: list[tuple[bytes, dict[str, str]]] = [
            (body, {}),
            (body, {**good, SIGNATURE: "sha256=" + "0" * 64}),
            (body, {**good, SIGNATURE: "é"}),
            (body + b" ", good),
            (body, {**good, TIMESTAMP: str(int(now) + 1)}),
            (body, signed(b"another key, as long", body, now)),
            (body, signed(KEY.encode(), body, now - 400)),
            (body, signed(KEY.encode(), body, now + 400)),
            (body, {TIMESTAMP: "soon", SIGNATURE: signature(KEY.encode(), "soon", body)}),
            (b"{", {}),
        ]
        for each, headers in refused:
            assert (await post(app, each, headers))[0] == 401, headers
        assert (await post(app, b"x" * (MAX_BODY_BYTES + 1)))[0] == 413
        assert list(app.memory.turns()) == []


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"{", "no JSON"),
        (b"[]", "'chat' is missing"),
        (b'{"chat": "a", "sender": 5, "text": ""}', "'sender'"),
        (b'{"chat": "a", "sender": "b", "text": "c", "members": "b"}', "'members'"),
        (b'{"chat": "a", "sender": "b", "text": "c", "at": "noon"}', "'at'"),
        (b'{"chat": "a", "sender": "b", "text": "c", "attachments": [{"media_type": "x", "data": "%"}]}', "base64"),
    ],
)
@in_loop
async def test_a_body_that_can_not_be_read_is_named(tmp_path: Path, body: bytes, problem: str) -> None:
    async with running(tmp_path, []) as app:
        status, told = await post(app, body)
        assert status == 400
        assert problem in str(told["error"])


@in_loop
async def test_strangers_are_refused_and_a_webhook_without_a_key_is_off(tmp_path: Path) -> None:
    async with running(tmp_path, []) as app:
        assert (await post(app, body_of("hi", sender="somebody")))[0] == 403
        await app.hub.use({"webhook": ChannelOptions(owners=("me",))})
        assert (await post(app, body_of("hi")))[0] == 404
        (tmp_path / "short").write_text("abc")
        await app.hub.use({"webhook": ChannelOptions(owners=("me",), key_file=str(tmp_path / "short"))})
        status, told = await post(app, body_of("hi"))
        assert status == 503
        assert "abc" not in str(told)


@in_loop
async def test_an_answer_that_takes_longer_is_fetched_by_the_same_id(tmp_path: Path) -> None:
    async with running(tmp_path, [Say("slowly", pause=0.3)]) as app:
        app.webhook = Webhook(app.hub, lambda: app.hub.options("webhook"), wait_seconds=0.01)
        assert (await post(app, body_of("hi")))[0] == 202
        await until(lambda: app.hub.state().unanswered == 0)
        assert (await post(app, body_of("hi")))[1]["reply"] == "slowly"


class Callback:
    """A local server that takes what is posted; the first answers are ``statuses``."""

    def __init__(self, *statuses: int) -> None:
        self.posted: list[tuple[bytes, dict[str, str]]] = []
        waiting = list(statuses)
        posted = self.posted

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                posted.append((body, dict(self.headers)))
                self.send_response(waiting.pop(0) if waiting else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @contextlib.contextmanager
    def up(self) -> Iterator[str]:
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{self.server.server_address[1]}/answers"
        finally:
            self.server.shutdown()
            thread.join()
            self.server.server_close()


@in_loop
async def test_with_a_callback_the_answer_is_posted_signed_and_tried_again(tmp_path: Path) -> None:
    callback = Callback(503)
    with callback.up() as url:
        async with running(tmp_path, ["hello you", "Tea!"], callback=url) as app:
            assert await post(app, body_of("hi")) == (202, {"accepted": True})
            await until(lambda: len(callback.posted) == 2)
            (first, _), (body, headers) = callback.posted
            assert first == body
            verify(KEY.encode(), body, headers, time.time())
            assert {"chat": "desk", "text": "hello you"}.items() <= json.loads(body).items()
            await app.inbox.add(Injection("i1", "time for tea", "webhook", "desk", False, None), "test")
            await until(lambda: len(callback.posted) == 3)
            assert json.loads(callback.posted[2][0])["text"] == "Tea!"


@in_loop
async def test_it_can_be_mounted_into_any_server(tmp_path: Path) -> None:
    async with running(tmp_path, ["hello you"]) as app:
        application = Mounted(app.webhook)
        body = body_of("hi")

        async def ask(scope: dict[str, object], *pieces: bytes) -> Response:
            events = [{"type": "http.request", "body": each, "more_body": True} for each in pieces]
            events.append({"type": "http.request", "body": b"", "more_body": False})
            answers: list[dict[str, object]] = []

            async def receive() -> dict[str, object]:
                return events.pop(0)

            async def send(event: dict[str, object]) -> None:
                answers.append(event)

            await application({"type": "http", "method": "POST", **scope}, receive, send)  # type: ignore[arg-type]
            start, end = answers
            return Response(start["status"], end["body"], dict(start["headers"]))  # type: ignore[arg-type]

        headers = [(k.lower().encode(), v.encode()) for k, v in signed(KEY.encode(), body, time.time()).items()]
        answer = await ask({"headers": headers}, body[:5], body[5:])
        assert (answer.status, json.loads(answer.body)["reply"]) == (200, "hello you")
        assert (await ask({"method": "GET"})).status == 405
        assert (await ask({"headers": headers}, *[b"x" * 1_000_000] * 9)).status == 413


def test_a_signature_is_as_the_documents_say() -> None:
    assert signature(b"key", "1700000000", b"{}") == (
        "sha256=" + __import__("hmac").new(b"key", b"1700000000.{}", "sha256").hexdigest()
    )
    assert replace(ChannelOptions(), key_env="X").key_env == "X"
