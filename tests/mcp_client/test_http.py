"""A server at an address, over streamable HTTP, written with the official library."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from homeagent.config import McpSettings
from homeagent.mcp_client import looked_at
from homeagent.plugins import Consent, PluginError
from homeagent_sdk import ToolError
from tests.agent.worlds import in_loop
from tests.mcp_client.worlds import agreed, living, served, started, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@in_loop
async def test_it_does_what_one_over_stdio_does(tmp_path: Path) -> None:
    with served() as (url, _):
        async with living(tmp_path, McpSettings(url=url)) as friend:
            assert (await friend.call("greet", name="Bean")).text.startswith("Hello Bean, 你好")
            mixed = await friend.call("mixed")
            assert [each.media_type for each in mixed.attachments][:2] == ["image/png", "audio/wav"]
            assert (await friend.call("fail")).error
            mark = tmp_path / "mark"
            call = asyncio.create_task(friend.call("wait", mark=str(mark)))
            await until(lambda: bool(friend.progress))
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await until(mark.exists)


@in_loop
async def test_it_tells_of_tools_that_have_changed(tmp_path: Path) -> None:
    with served() as (url, _):
        settings = McpSettings(url=url)
        whole = await agreed("friend", settings, tmp_path)
        consent = Consent("1", True, {**whole.tools, "trick": "default"}, whole.permissions)
        async with living(tmp_path, settings, consent) as friend:
            await friend.call("learn", name="trick")
            await until(lambda: friend.reoffered == 1)
            assert (await friend.call("trick")).text == "tada"


@in_loop
async def test_one_that_goes_away_is_named_and_found_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served() as (url, process):
        async with living(tmp_path, McpSettings(url=url)) as friend:
            process.send_signal(signal.SIGKILL)
            process.wait()
            with pytest.raises(ToolError):
                await friend.call("measure")
            await until(lambda: not friend.server.available)
            assert "mcp server 'friend'" in caplog.text
            with started(int(url.split(":")[2].split("/")[0])):
                await until(lambda: friend.server.available)
                assert (await friend.call("measure")).data == {"degrees": 21.5, "unit": "C"}


class Odd(BaseHTTPRequestHandler):
    """Answers in the way that the path says; keeps the headers it was asked with."""

    seen: list[dict[str, str]]

    def do_POST(self) -> None:
        self.seen.append(dict(self.headers))
        size = int(self.headers.get("content-length", 0))
        self.rfile.read(size)
        match self.path:
            case "/refused":
                self.send_response(401)
                self.end_headers()
            case "/elsewhere":
                self.send_response(307)
                self.send_header("location", "http://localhost:1/mcp")
                self.end_headers()
            case "/large":
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.end_headers()
                try:
                    for _ in range(80):
                        self.wfile.write(b" " * 1_000_000)
                except OSError:
                    self.seen.append({"ended": "early"})
            case _:
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(b"<p>not here</p>")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's
        """Say nothing."""


@pytest.fixture
def odd() -> Iterator[str]:
    Odd.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/refused", "HTTP status 401"),
        ("/elsewhere", "not followed"),
        ("/large", "more than 64 MiB"),
        ("/page", "text/html"),
    ],
)
@in_loop
async def test_an_answer_that_is_none_is_named(tmp_path: Path, odd: str, path: str, told: str) -> None:
    with pytest.raises(PluginError) as error:
        await looked_at("friend", McpSettings(url=f"{odd}{path}"), tmp_path)
    assert told in str(error.value)


@in_loop
async def test_nobody_at_the_address_is_named(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="it can't be reached"):
        await looked_at("friend", McpSettings(url="http://127.0.0.1:9/mcp?key=sesame"), tmp_path)


@in_loop
async def test_keys_come_from_the_environment_and_stand_in_no_error(
    tmp_path: Path, odd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTES_KEY", "sesame-1\n")
    monkeypatch.setenv("OTHER_KEY", "sesame-2")
    settings = McpSettings(url=f"{odd}/refused", key_env="NOTES_KEY", headers_env={"X-Key": "OTHER_KEY"})
    with pytest.raises(PluginError) as error:
        await looked_at("friend", settings, tmp_path)
    assert "sesame" not in str(error.value)
    asked = {name.lower(): value for name, value in Odd.seen[0].items()}
    assert (asked["authorization"], asked["x-key"]) == ("Bearer sesame-1", "sesame-2")
    assert asked["accept-encoding"] == "identity"
    monkeypatch.setenv("OTHER_KEY", "sesame\r\nX: y")
    with pytest.raises(PluginError, match="OTHER_KEY can't be a key"):
        await looked_at("friend", settings, tmp_path)
    assert "sesame" not in os.environ.get("NOTES", "")
