"""What the server refuses without being told to: other names, other origins, too much, too often, pages without proof."""

from __future__ import annotations

import asyncio
import base64
import errno
import hashlib
import io
import socket
import zipfile
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING

import httpx2
import pytest
from fastapi import FastAPI
from starlette.datastructures import Headers

from homeagent.server.access import COOKIE, token_of
from homeagent.server.errors import answer_errors
from homeagent.server.guard import Guard, Rates
from homeagent.server.options import Limits, ServeOptions
from homeagent.server.sessions import Sessions
from homeagent.server.tokens import Tokens
from tests.server.openapi import operations
from tests.server.serving import Served, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from starlette.types import Message, Receive, Scope, Send


@contextmanager
def logged_in(served: Served) -> Iterator[tuple[httpx2.Client, str]]:
    with httpx2.Client(base_url=served.url, timeout=60) as client:
        answer = client.post("/api/session", json={"token": served.token})
        assert answer.status_code == 200
        yield client, str(answer.json()["csrf"])


def test_it_listens_on_this_machine_only(served: Served) -> None:
    port = int(served.url.rpartition(":")[2])
    hexed = f":{port:04X}"
    with open("/proc/net/tcp", encoding="ascii") as table:  # noqa: PTH123 - a file of the kernel's
        listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert [each for each in listening if each.endswith(hexed)] == [f"0100007F{hexed}"]


@pytest.mark.parametrize("path", ["/api/memory/turns", "/v1/models", "/api/events", "/mcp", "/api/memory/export"])
def test_nothing_of_the_home_is_told_without_a_token(served: Served, path: str) -> None:
    with served.client("") as client:
        answer = client.get(path)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"]["type"] == "authentication_error"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::2]:80", ""])
def test_a_name_that_is_not_the_servers_own_is_refused(served: Served, host: str) -> None:
    with served.client(host=host) as client:
        assert client.get("/health").status_code == 403


@pytest.mark.parametrize("name", ["host", "origin"])
def test_a_header_that_says_two_things_is_refused(served: Served, name: str) -> None:
    port = int(served.url.rpartition(":")[2])
    own = served.url if name == "origin" else "127.0.0.1"
    for said in ((own, "http://evil.example"), ("http://evil.example", own), (own, own)):
        lines = ["GET /v1/models HTTP/1.1", f"authorization: Bearer {served.token}"]
        lines += ["host: 127.0.0.1"] if name == "origin" else []
        with socket.create_connection(("127.0.0.1", port), timeout=60) as raw:
            raw.sendall("\r\n".join([*lines, *(f"{name}: {each}" for each in said), "", ""]).encode())
            assert raw.recv(100).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:8000", "LOCALHOST:99"])
def test_the_names_of_this_machine_are_the_servers_own(served: Served, host: str) -> None:
    with served.client(host=host) as client:
        assert client.get("/health").status_code == 200


def test_a_page_of_another_server_can_ask_nothing(served: Served) -> None:
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "http://["):
        with served.client(origin=origin) as client:
            answer = client.get("/v1/models")
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers
            assert client.options("/v1/models").status_code == 403
    with served.client(origin=served.url) as client:
        assert client.get("/v1/models").status_code == 200
    with served.client(**{"sec-fetch-site": "cross-site"}) as client:
        assert client.post("/api/chats").status_code == 403


def test_a_pages_cookie_is_kept_from_scripts_and_from_other_sites(served: Served) -> None:
    with logged_in(served) as (client, csrf):
        cookie = client.post("/api/session", json={"token": served.token}).headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert served.token not in cookie
        assert client.get("/api/session").json()["csrf"]
        assert csrf


def test_what_a_page_changes_needs_its_proof(served: Served) -> None:
    with logged_in(served) as (client, csrf):
        assert client.get("/api/chats").status_code == 200
        assert client.post("/api/chats").status_code == 403
        assert client.post("/api/chats", headers={"x-csrf-token": "0" * 64}).status_code == 403
        assert client.post("/api/chats", headers={"x-csrf-token": csrf}).status_code == 201
        client.delete("/api/session", headers={"x-csrf-token": csrf})
        assert client.get("/api/chats").status_code == 401


def test_every_operation_that_changes_needs_the_proof_of_its_own_session(served: Served) -> None:
    with logged_in(served) as (client, _), logged_in(served) as (_elsewhere, other):
        changing = [each for each in operations(client.get("/openapi.json").json(), {}) if each.method != "GET"]
        assert len(changing) > 30
        for operation in changing:
            if operation.name == "POST /api/session":
                continue  # it asks for the token itself
            for proof in ({}, {"x-csrf-token": other}, {"x-csrf-token": ""}, {b"x-csrf-token": "é".encode()}):
                answer = client.request(operation.method, operation.path, json=operation.body, headers=proof)
                assert answer.status_code == 403, operation.name
                assert answer.json()["error"]["where"] == "X-CSRF-Token"


def test_nothing_that_is_asked_for_with_get_changes_anything(home: Path) -> None:
    with Served(home) as served, logged_in(served) as (client, csrf):
        said = client.post("/api/chats/main/turns", json={"text": "My sister Ida"}, headers={"x-csrf-token": csrf})
        names = {"chat": "main", "turn": said.json()["turn"]}

        def kept() -> tuple[object, list[str]]:
            status = client.get("/api/memory/status").json()
            # What is in the databases the digest and the counts say: their files move when they are put in order.
            files = [path for path in home.rglob("*") if path.is_file() and ".db" not in path.name]
            return (status["raw_digest"], status["counts"]), sorted(
                f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files if path.name != "usage.json"
            )

        until(lambda: client.get("/api/memory/pending").json()["pending"] == {})
        before = kept()
        asked = [each for each in operations(client.get("/openapi.json").json(), names) if each.method == "GET"]
        assert len(asked) > 25
        for operation in asked:
            query = {**operation.query, "seconds": 0.1} if operation.name == "GET /api/events" else operation.query
            status = client.get(operation.path, params={name: str(each) for name, each in query.items()}).status_code
            assert status in (200, 404, 400), operation.name
        assert kept() == before


def test_a_cookie_that_was_changed_or_whose_token_is_revoked_does_not_hold(served: Served) -> None:
    with served.client() as owner:
        made = owner.post("/api/tokens", json={"person": "dora"}).json()
        with httpx2.Client(base_url=served.url) as page:
            page.post("/api/session", json={"token": made["value"]})
            cookie = page.cookies[COOKIE]
            assert page.get("/api/chats").status_code == 200
            for wrong in (cookie[:-1] + ("0" if cookie[-1] != "0" else "1"), "a.b.c.d", "", "é"):
                with httpx2.Client(base_url=served.url, headers={b"cookie": f"{COOKIE}={wrong}".encode()}) as other:
                    assert other.get("/api/chats").status_code == 401
            owner.delete(f"/api/tokens/{made['id']}")
            assert page.get("/api/chats").status_code == 401


def test_wrong_tokens_can_not_be_tried_many_times(home: Path) -> None:
    with Served(home) as served, served.client("ha_wrong-wrong-wrong") as guesser:
        statuses = [guesser.get("/v1/models").status_code for _ in range(30)]
        assert statuses[0] == 401
        assert statuses[-1] == 429
        assert guesser.post("/api/session", json={"token": "x"}).status_code == 429


def test_a_client_that_asks_too_often_has_to_wait() -> None:
    now = [0.0]
    rates = Rates(Limits(rate=10.0, burst=3), lambda: now[0])
    assert [rates.wait("a") for _ in range(3)] == [0.0, 0.0, 0.0]
    assert rates.wait("a") == pytest.approx(0.1)
    assert rates.wait("b") == 0.0
    now[0] = 0.11
    assert rates.wait("a") == 0.0
    assert rates.wait("a") > 0


ANSWERED, TOO_MANY = 204, 429


def asking(known: Mapping[str, str], burst: int = 3) -> Callable[[str, str], int]:
    """Return what asks a guard in front of a server that answers everything, by the header of who asks and from where.

    ``known`` are the headers that prove a token, with its id.
    """

    async def answers(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": ANSWERED, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    options = ServeOptions(limits=Limits(rate=0.001, burst=burst))
    guard = Guard(answers, options, lambda headers: known.get(headers.get("authorization", ""), ""))

    def ask(header: str, address: str) -> int:
        said: list[int] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            said.extend([message["status"]] if message["type"] == "http.response.start" else [])

        headers = [(b"host", b"127.0.0.1"), (b"authorization", header.encode())]
        scope = {"type": "http", "method": "GET", "path": "/", "headers": headers, "client": (address, 1)}
        asyncio.run(guard(scope, receive, send))
        return said[0]

    return ask


def test_a_header_that_proves_nothing_gives_no_new_bucket() -> None:
    ask = asking({})
    statuses = [ask(f"Bearer junk-{number}", "10.0.0.1") for number in range(5)]
    assert statuses == [ANSWERED] * 3 + [TOO_MANY] * 2
    assert ask("Bearer junk", "10.0.0.2") == ANSWERED
    assert [ask("", f"2001:db8::{number:x}") for number in range(5)] == [ANSWERED] * 3 + [TOO_MANY] * 2
    assert ask("", "2001:db8:0:1::1") == ANSWERED


def test_a_token_has_one_bucket_however_its_header_is_written_and_strangers_do_not_empty_or_refill_it() -> None:
    ask = asking({"Bearer one": "a", "bearer   one ": "a", "Bearer two": "b"})
    assert [ask(said, "10.0.0.1") for said in ("Bearer one", "bearer   one ") * 2] == [ANSWERED] * 3 + [TOO_MANY]
    assert ask("Bearer two", "10.0.0.1") == ANSWERED
    for number in range(10_100):
        ask("Bearer junk", f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert ask("Bearer one", "10.0.0.1") == TOO_MANY
    assert ask("Bearer two", "10.0.0.1") == ANSWERED


def test_requests_are_counted_by_the_token_that_a_header_or_a_cookie_proves(served: Served) -> None:
    tokens, sessions = Tokens(served.home), Sessions(served.home)
    made, value = tokens.new("dora")
    daemon = SimpleNamespace(tokens=tokens, sessions=sessions)

    def counted(**headers: str) -> str:
        return token_of(daemon, Headers(headers))  # type: ignore[arg-type]

    cookie = f"{COOKIE}={sessions.cookie(made.id)}"
    for proof in (f"Bearer {value}", f"bearer {value}"):
        assert counted(authorization=proof) == made.id
    for junk in (cookie, f"a=b; {cookie}; c=d"):
        assert counted(cookie=junk) == made.id
    for wrong in (f"Basic {value}", f"Bearer {value}x", "Bearer", "", f"Bearer {made.id}"):
        assert counted(authorization=wrong) == ""
    assert counted(authorization="Bearer junk", cookie=cookie) == ""
    assert counted(cookie=f"{COOKIE}=a.b.c.d") == ""
    tokens.revoke(made.id)
    assert counted(authorization=f"Bearer {value}") == counted(cookie=cookie) == ""


def test_a_body_that_is_too_large_is_refused_also_when_it_does_not_say_so(served: Served) -> None:
    large = b'{"text": "' + b"x" * (3 << 20) + b'"}'
    with served.client(**{"content-type": "application/json"}) as client:
        assert client.post("/api/memory/turns", content=large).status_code == 413
        pieces = iter([large[at : at + 65536] for at in range(0, len(large), 65536)])
        answer = client.post("/api/memory/turns", content=pieces)
        assert answer.status_code == 413
        assert answer.json()["error"]["type"] == "invalid_request_error"


def test_answers_forbid_what_no_page_of_ours_needs(served: Served) -> None:
    with served.client() as client:
        headers = client.get("/api/chats").headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "server" not in headers


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(8):
            file.writestr(f"{number}.txt", b"\0" * (20 << 20))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("data", "claimed"),
    [
        (b"\x7fELF\x02\x01\x01" + b"\0" * 40, ""),
        (b"MZ\x90\0" + b"\0" * 40, "image/png"),
        (b"<svg onload=alert(1)>", "image/png"),
        (b"PK\x03\x04 broken", "application/zip"),
        (b"", "text/plain"),
        (bomb(), "application/zip"),
    ],
    ids=["program", "program as picture", "page as picture", "broken zip", "empty", "bomb"],
)
def test_a_file_that_is_not_what_it_says_or_does_harm_is_refused(served: Served, data: bytes, claimed: str) -> None:
    file = {"name": "a", "media_type": claimed, "data_base64": base64.b64encode(data).decode()}
    with served.client() as client:
        answer = client.post("/api/chats/files/turns", json={"text": "see this", "attachments": [file]})
        assert answer.status_code == 400, answer.text
        assert client.get("/api/chats/files/turns").json()["turns"] == []


def test_a_file_is_given_back_byte_for_byte_and_never_as_a_page(served: Served) -> None:
    page = b"<html><script>alert(1)</script></html>"
    file = {"name": "a.html", "media_type": "text/html", "data_base64": base64.b64encode(page).decode()}
    with served.client() as client:
        turn = client.post("/api/chats/page/turns", json={"text": "keep it", "attachments": [file]}).json()["turn"]
        answer = client.get(f"/api/memory/turns/{turn}/attachments/0/0")
        assert answer.content == page
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"] == "attachment"
        assert client.get(f"/api/memory/turns/{turn}/attachments/0/7").status_code == 404


def test_an_import_that_would_fill_the_disk_is_refused(served: Served) -> None:
    with served.client() as client:
        assert client.post("/api/memory/import", content=bomb()).status_code == 400
        assert not list(served.home.glob(".import-*"))


def cookie_holds(served: Served, cookie: str) -> bool:
    with httpx2.Client(base_url=served.url, cookies={COOKIE: cookie}, timeout=60) as client:
        pages = client.get("/page/memory").status_code == 200
        asked = client.get("/api/chats").status_code == 200
    assert pages == asked
    return asked


@pytest.mark.parametrize("way", ["api", "page"])
def test_a_copied_cookie_lets_nobody_in_after_its_session_was_signed_out(home: Path, way: str) -> None:
    with Served(home) as served, logged_in(served) as (client, csrf), logged_in(served) as (elsewhere, _):
        cookie, other = client.cookies[COOKIE], elsewhere.cookies[COOKIE]
        assert cookie_holds(served, cookie)
        if way == "api":
            assert client.delete("/api/session", headers={"x-csrf-token": csrf}).status_code == 200
        else:
            assert client.post("/page/sign-out").status_code == 303
        assert not cookie_holds(served, cookie)
        assert cookie_holds(served, other)
        with served.client() as bearer:
            assert bearer.get("/api/chats").status_code == 200
    with Served(home) as served:
        assert not cookie_holds(served, cookie)
        assert cookie_holds(served, other)
    assert cookie not in (home / "signed-out").read_text()


def test_a_session_ends_by_itself_and_what_was_signed_out_is_not_kept_for_ever(tmp_path: Path) -> None:
    now = [1_000_000_000.0]
    sessions = Sessions(tmp_path, lambda: now[0])
    old = sessions.cookie("abc")
    sessions.end(old)
    sessions.end("no.cookie.of.ours")
    assert sessions.token(old) is None
    now[0] += 29 * 24 * 3600
    young = sessions.cookie("abc")
    again = Sessions(tmp_path, lambda: now[0])
    again.end(young)
    assert (again.token(old), again.token(young)) == (None, None)
    now[0] += 2 * 24 * 3600
    last = Sessions(tmp_path, lambda: now[0])
    assert (last.token(old), last.token(young)) == (None, None)
    assert len((tmp_path / "signed-out").read_text().splitlines()) == 1


def test_an_open_stream_of_events_ends_for_a_session_that_was_signed_out(served: Served) -> None:
    with (
        logged_in(served) as (client, csrf),
        served.client() as owner,
        client.stream("GET", "/api/events", params={"seconds": 60}) as answer,
    ):
        pieces = answer.iter_text()
        assert next(pieces).startswith(":")
        with httpx2.Client(base_url=served.url, cookies=dict(client.cookies)) as second:
            assert second.delete("/api/session", headers={"x-csrf-token": csrf}).status_code == 200
        owner.post("/api/chats/main/turns", json={"text": "said after that"})
        assert "event: turn" not in "".join(pieces)


def test_what_nobody_foresaw_is_an_error_of_the_same_form_that_tells_nothing() -> None:
    app = FastAPI()
    answer_errors(app)

    @app.get("/full")
    async def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/home/ida/log.db")

    @app.get("/gone")
    async def gone() -> None:
        raise ConnectionResetError(errno.ECONNRESET, "the secret is marzipan")

    @app.get("/broken")
    async def broken() -> None:
        raise ZeroDivisionError("the secret is marzipan")

    async def asked(path: str) -> httpx2.Response:
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.get(path)

    for path, status in (("/full", 507), ("/gone", 500), ("/broken", 500)):
        answer = asyncio.run(asked(path))
        assert answer.status_code == status
        assert answer.json()["error"]["type"] == "server_error"
        assert "log" in answer.json()["error"]["message"]
        assert "marzipan" not in answer.text
        assert "ida" not in answer.text
