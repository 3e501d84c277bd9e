"""A plugin reaches the hosts that its permissions name, by every usual library, and no other."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import logging
import socket
import socketserver
import threading
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import enforceable
from homeagent.plugins.forwarding import Forwarder
from homeagent_sdk.permissions import Permission
from tests.plugins.living import HEAD, Living, living
from tests.plugins.worlds import in_loop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif("net" not in enforceable(), reason="this machine allows no network namespaces")

CODE = '''
import socket, urllib.request, urllib.error


def fetched(url, method="GET", data=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=data, method=method), timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.reason}"
    except OSError as error:
        return f"{type(error).__name__}: {error}"


@tool
def fetch(url: str, method: str = "GET", body: str = "") -> str:
    """Fetch a page."""
    return fetched(url, method, body.encode() or None)


@tool
def raw(host: str, port: int, say: str) -> str:
    """Say something by TCP."""
    try:
        with socket.create_connection((host, port), 10) as stream:
            stream.sendall(say.encode())
            return stream.recv(1000).decode()
    except OSError as error:
        return f"{type(error).__name__}: {error}"


@tool
def tunnel(host: str, port: int, say: str) -> str:
    """Say something by CONNECT."""
    import http.client
    proxy = os.environ["HTTPS_PROXY"].rpartition("/")[2]
    connection = http.client.HTTPConnection(proxy, timeout=10)
    connection.set_tunnel(host, port)
    try:
        connection.connect()
    except OSError as error:
        return str(error)
    connection.sock.sendall(say.encode())
    return connection.sock.recv(1000).decode()


@tool
def around(host: str, port: int) -> str:
    """Try to go round the proxy."""
    try:
        with socket.socket() as stream:
            stream.settimeout(3)
            stream.connect((host, port))
        return "reached"
    except OSError as error:
        return type(error).__name__


@tool
def httpx_fetch(url: str) -> str:
    """Fetch a page with httpx."""
    sys.path.insert(0, SITE)
    import httpx
    try:
        return httpx.get(url, timeout=10).text
    except httpx.HTTPError as error:
        return str(error)


@tool
def own(text: str) -> str:
    """Talk to a server of its own."""
    import threading
    with socket.create_server(("127.0.0.1", 0)) as server:
        def answer():
            with server.accept()[0] as stream:
                stream.sendall(stream.recv(100).upper())
        threading.Thread(target=answer, daemon=True).start()
        with socket.create_connection(("127.0.0.1", server.getsockname()[1]), 5) as stream:
            stream.sendall(text.encode())
            return stream.recv(100).decode()


plugin = Plugin("probe", "1.0", tools=[fetch, raw, tunnel, around, httpx_fetch, own])
'''


class Pages(http.server.BaseHTTPRequestHandler):
    """Says what was asked, or leads to ``/to/URL``."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        length = int(self.headers.get("Content-Length", "0"))
        said = f"{self.command} {self.path} {self.headers['Host']} {self.rfile.read(length).decode()}".strip().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_POST = do_GET  # noqa: N815 - as http.server has it

    def log_message(self, *args: object) -> None:
        pass


class Echo(socketserver.BaseRequestHandler):
    """Says what it hears."""

    def handle(self) -> None:
        self.request.sendall(b"heard " + self.request.recv(1000))


@contextlib.contextmanager
def served(handler: type[socketserver.BaseRequestHandler]) -> Iterator[int]:
    """Serve at 127.0.0.1; the port."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join(5)


def permitted(*permissions: str) -> str:
    listed = ", ".join(f'"{each}"' for each in permissions)
    return HEAD.replace('permissions = ["exec"]', f"permissions = [{listed}]")


async def said(plugin: Living, tool: str, **arguments: object) -> str:
    return (await plugin.call(tool, **arguments)).text


@in_loop
async def test_an_allowed_host_is_reached_and_every_other_is_refused_by_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with served(Pages) as allowed, served(Pages) as other:
        async with living(tmp_path / "home", CODE, head=permitted(f"net:127.0.0.1:{allowed}")) as plugin:
            page = await said(plugin, "fetch", url=f"http://127.0.0.1:{allowed}/a?b=c")
            assert page == f"GET /a?b=c 127.0.0.1:{allowed}"
            posted = await said(plugin, "fetch", url=f"http://127.0.0.1:{allowed}/", method="POST", body="hello")
            assert posted == f"POST / 127.0.0.1:{allowed} hello"
            told = f"127.0.0.1:{other} is not among this plugin's permissions; ask for net:127.0.0.1:{other}"
            assert told in await said(plugin, "fetch", url=f"http://127.0.0.1:{other}/")
            assert told in await said(plugin, "tunnel", host="127.0.0.1", port=other, say="hi")
            assert told in await said(plugin, "raw", host="127.0.0.1", port=other, say="hi")
            far = await said(plugin, "fetch", url="https://example.org/")
            assert "example.org:443 is not among this plugin's permissions; ask for net:example.org:443" in far
    lines = [record.getMessage() for record in caplog.records]
    assert len([line for line in lines if "127.0.0.1" in line]) == 1  # said once, and no more
    assert any(line.startswith("plugin 'probe': example.org:443 is not among") for line in lines)


@in_loop
async def test_a_redirect_to_another_host_is_refused(tmp_path: Path) -> None:
    with served(Pages) as allowed, served(Pages) as other:
        async with living(tmp_path / "home", CODE, head=permitted(f"net:127.0.0.1:{allowed}")) as plugin:
            here = await said(plugin, "fetch", url=f"http://127.0.0.1:{allowed}/to/http://127.0.0.1:{allowed}/b")
            assert here.startswith("GET /b")
            there = await said(plugin, "fetch", url=f"http://127.0.0.1:{allowed}/to/http://127.0.0.1:{other}/b")
            assert there.startswith(f"403 127.0.0.1:{other} is not among")


@in_loop
async def test_raw_connections_go_the_same_way_and_there_is_no_way_around(tmp_path: Path) -> None:
    with served(Echo) as allowed, served(Echo) as other:
        async with living(tmp_path / "home", CODE, head=permitted(f"net:127.0.0.1:{allowed}")) as plugin:
            assert await said(plugin, "raw", host="127.0.0.1", port=allowed, say="hi") == "heard hi"
            assert await said(plugin, "tunnel", host="127.0.0.1", port=allowed, say="hi") == "heard hi"
            for port in (allowed, other):
                assert await said(plugin, "around", host="127.0.0.1", port=port) == "ConnectionRefusedError"
            assert await said(plugin, "around", host="192.0.2.1", port=80) == "OSError"
            assert await said(plugin, "own", text="mine") == "MINE"


@in_loop
async def test_a_plugin_without_a_permission_is_told_which_one_it_needs(tmp_path: Path) -> None:
    with served(Pages) as port:
        async with living(tmp_path / "home", CODE, head=permitted()) as plugin:
            told = await said(plugin, "fetch", url=f"http://127.0.0.1:{port}/")
            assert f"ask for net:127.0.0.1:{port} in its manifest" in told


@in_loop
async def test_the_whole_network_is_open_to_a_plugin_that_may_have_it(tmp_path: Path) -> None:
    with served(Echo) as port:
        async with living(tmp_path / "home", CODE, head=permitted("net:*")) as plugin:
            assert await said(plugin, "around", host="127.0.0.1", port=port) == "reached"


@in_loop
async def test_httpx_goes_through_it_without_being_told(tmp_path: Path) -> None:
    httpx = pytest.importorskip("httpx")
    site = httpx.__path__[0].removesuffix("/httpx")
    head = permitted("net:127.0.0.1", f"read:{site}") + f"\nSITE = {site!r}\n"
    with served(Pages) as port:
        async with living(tmp_path / "home", CODE, head=head) as plugin:
            assert (await said(plugin, "httpx_fetch", url=f"http://127.0.0.1:{port}/x")).startswith("GET /x")
            told = await said(plugin, "httpx_fetch", url="https://example.org/")
            assert "403" in told
            assert "ask for net:example.org:443" in told


@in_loop
async def test_many_connections_at_once_are_carried(tmp_path: Path) -> None:
    with served(Echo) as port:
        async with living(tmp_path / "home", CODE, head=permitted(f"net:127.0.0.1:{port}")) as plugin:
            calls = [said(plugin, "raw", host="127.0.0.1", port=port, say=f"n{number}") for number in range(40)]
            assert await asyncio.gather(*calls) == [f"heard n{number}" for number in range(40)]


class Silent(socketserver.StreamRequestHandler):
    """Answers as it is told by the path, and says nothing of the connection's end."""

    def handle(self) -> None:
        path = self.rfile.readline().split()[1]
        while self.rfile.readline().strip():
            pass
        answer = {
            b"/plain": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\nX-A: b\r\n\r\nhi",
            b"/waits": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            b"/bare": b"no head at all",
        }[path]
        self.wfile.write(answer)


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/plain", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\nConnection: close\r\n\r\nhi"),
        (
            "/waits",
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
        ),
        ("/bare", b"no head at all"),
    ],
)
@in_loop
async def test_a_client_is_told_that_its_connection_ends_with_the_answer(path: str, answer: bytes) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    with served(Silent) as there:
        forwarder = Forwarder("probe", [Permission("net", f"127.0.0.1:{there}")])
        await forwarder.serve(listener)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET http://127.0.0.1:{there}{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert await reader.read() == answer
        writer.close()
        await forwarder.close()
