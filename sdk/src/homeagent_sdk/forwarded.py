"""The way out of an empty network namespace: a listener on its loopback that the core answers as a proxy.

The listening socket is made in here and handed to the core, which accepts the connections; so nothing of this process
is between the plugin and the core. The usual variables name it, and ``socket.create_connection`` goes through it.
"""

from __future__ import annotations

import os
import socket
import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SOCKS_VARIABLE", "connect", "hand_over", "raise_loopback"]

SOCKS_VARIABLE: Final = "HOMEAGENT_SOCKS"
"""The variable that names the way out for programs that speak SOCKS5: ``socks5h://127.0.0.1:PORT``."""

_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_BACKLOG: Final = 64
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1
_REFUSED: Final = 2
_MOST_NAME: Final = 255
_connect_directly: Final = socket.create_connection


def raise_loopback() -> None:
    """Bring up the loopback of a namespace that is new; where that is not allowed it stays down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            import fcntl

            found = fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sh14x", b"lo", 0))
            (flags,) = struct.unpack("16xh14x", found)
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))
        except OSError:
            return


def hand_over(number: int) -> bool:
    """Listen, hand the socket to the core through the descriptor ``number``, and let this process go that way."""
    try:
        with socket.socket(fileno=number) as core, socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG) as listener:
            port: int = listener.getsockname()[1]
            socket.send_fds(core, [b"l"], [listener.fileno()])
    except OSError:
        return False
    for name in _PROXIES:
        os.environ[name] = os.environ[name.lower()] = f"http://127.0.0.1:{port}"
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = ""
    os.environ[SOCKS_VARIABLE] = f"socks5h://127.0.0.1:{port}"
    socket.create_connection = _connect_by(port)  # what smtplib, imaplib, ftplib and many others use
    return True


def _connect_by(port: int) -> Callable[..., socket.socket]:
    def create_connection(
        address: tuple[str, int],
        timeout: object = socket._GLOBAL_DEFAULT_TIMEOUT,  # type: ignore[attr-defined]
        source_address: object = None,  # noqa: ARG001 - there is one way out only
        *,
        all_errors: bool = False,  # noqa: ARG001
    ) -> socket.socket:
        host, wanted = address[0], int(address[1])
        if host in ("127.0.0.1", "localhost", "::1"):  # its own first, and the proxy itself
            try:
                return _connect_directly(("127.0.0.1", wanted), timeout)  # type: ignore[arg-type]
            except ConnectionRefusedError:
                pass
        return connect(host, wanted, timeout, port)

    return create_connection


def connect(host: str, port: int, timeout: object, proxy: int) -> socket.socket:
    """Return a socket to a host by the proxy at port ``proxy``. Raises ``PermissionError`` when it is not permitted."""
    name = host.encode("idna" if not host.isascii() else "ascii")
    if len(name) > _MOST_NAME:
        raise OSError(f"{host[:40]}...: the name is too long")
    found = _connect_directly(("127.0.0.1", proxy), timeout)  # type: ignore[arg-type]
    try:
        found.sendall(b"\x05\x01\x00")
        _exactly(found, 2)
        found.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + struct.pack(">H", port))
        answer = _exactly(found, 10)[1]
        if answer == _REFUSED:
            told = f"{host}:{port} is not among this plugin's permissions; ask for net:{host}:{port} in its manifest"
            raise PermissionError(told)
        if answer:
            raise ConnectionRefusedError(f"{host}:{port} can't be reached")
    except BaseException:
        found.close()
        raise
    return found


def _exactly(stream: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        piece = stream.recv(length - len(data))
        if not piece:
            raise ConnectionResetError("the way out of this process was closed")
        data += piece
    return data
