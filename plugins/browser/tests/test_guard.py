import asyncio

import pytest
from browser.guard import Guard, RefusedError, is_public


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_addresses_of_the_internet_are_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00::1",
        "ff02::1", "::ffff:127.0.0.1", "::ffff:192.168.1.1", "64:ff9b::7f00:1", "64:ff9b::c0a8:101",
        "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_addresses_of_this_house_are_not(address):
    assert not is_public(address)


def connecting(host, port, addresses, own=()):
    """Connect through a guard whose resolver gives these answers, one after the other; return what happened."""
    answers = iter(addresses)

    async def resolve(_host, _port):
        return next(answers)

    async def run():
        guard = Guard(own, resolve)
        try:
            _, writer = await asyncio.wait_for(guard.connect(host, port), 5)
            writer.close()
            return "connected"
        except RefusedError as error:
            return str(error)
        except OSError:
            return "unreachable"

    return asyncio.run(run())


def test_a_name_that_means_a_private_address_is_refused():
    assert "is 192.168.1.1" in connecting("evil.example", 80, [["192.168.1.1"]])


def test_one_private_address_among_public_ones_is_enough():
    assert "is ::1" in connecting("evil.example", 80, [["93.184.216.34", "::1"]])


def test_what_was_checked_is_what_is_connected_to(unused_server):
    port, seen = unused_server
    # A resolver that would give this machine's address when asked again: it is not asked again.
    assert connecting("rebind.example", port, [["203.0.113.9"], ["127.0.0.1"]]) != "connected"
    assert connecting("rebind.example", port, [["127.0.0.1"]]).startswith("rebind.example is 127.0.0.1")
    assert seen == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1", "0", "[::1]", "LOCALHOST."]
)
def test_every_spelling_of_this_machine_is_refused(host):
    async def run():
        with pytest.raises((RefusedError, OSError)):
            await Guard().connect(host.strip("[]"), 80)

    asyncio.run(run())


def test_a_host_of_ones_own_is_allowed_with_its_port_and_no_other(unused_server):
    port, _ = unused_server
    assert connecting("nas.lan", port, [["127.0.0.1"]], [f"nas.lan:{port}"]) == "connected"
    assert "no address of the public internet" in connecting("nas.lan", port + 1, [["127.0.0.1"]], [f"nas.lan:{port}"])


@pytest.fixture
def unused_server():
    """A server that notes each connection."""
    import socketserver
    import threading

    seen = []

    class Note(socketserver.BaseRequestHandler):
        def handle(self):
            seen.append(self.request.recv(100))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Note) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], seen
        server.shutdown()


def asked(*requests):
    """Say these bytes to a guard; return what it answers to each."""

    async def run():
        guard = Guard()
        await guard.open()
        answers = []
        for request in requests:
            reader, writer = await asyncio.open_connection("127.0.0.1", guard.port)
            writer.write(request)
            answers.append((await asyncio.wait_for(reader.read(), 10)).partition(b"\r\n")[0])
            writer.close()
        await guard.close()
        return answers

    return asyncio.run(run())


def test_what_is_no_request_of_the_web_is_refused():
    requests = (
        b"GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        b"GET ftp://example.org/ HTTP/1.1\r\n\r\n",
        b"GET /secret HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n",
        b"CONNECT [::1]:22 HTTP/1.1\r\n\r\n",
    )
    assert set(asked(*requests)) == {b"HTTP/1.1 403 Forbidden"}
    assert asked(b"CONNECT x:99999 HTTP/1.1\r\n\r\n", b"nonsense\r\n\r\n") == [b"HTTP/1.1 502 Bad Gateway"] * 2
