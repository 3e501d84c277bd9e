"""The byte format between the core and a plugin's own process: messages in frames of at most 1 MiB.

A frame is ``length`` (4 bytes, big-endian, of the rest), one byte that is 1 when the message goes on in the next frame
and 0 when it ends, and a piece of the message: a JSON object, UTF-8 with ``surrogatepass``, of at most 64 MiB.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Final

from homeagent_sdk.wire_values import WireError

if TYPE_CHECKING:
    import asyncio

__all__ = ["MAX_FRAME_BYTES", "MAX_MESSAGE_BYTES", "encode_message", "read_message"]

MAX_FRAME_BYTES: Final = 1024 * 1024
"""The longest frame, without its first four bytes."""

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""The longest message, all its pieces together."""

_LENGTH: Final = struct.Struct(">I")
_PIECE: Final = MAX_FRAME_BYTES - 1


def encode_message(message: dict[str, object]) -> bytes:
    """Return the frames of a message. Raises `WireError` when it is too long or no JSON."""
    try:
        data = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError("message", f"it can't be written ({error})", "Send plain values") from error
    if len(data) > MAX_MESSAGE_BYTES:
        problem = f"it has {len(data):,} bytes, allowed are {MAX_MESSAGE_BYTES:,}"
        raise WireError("message", problem, "Return less, or write a file and return its name")
    pieces = [data[start : start + _PIECE] for start in range(0, len(data), _PIECE)]
    more = [1] * (len(pieces) - 1) + [0]
    return b"".join(
        part
        for flag, piece in zip(more, pieces, strict=True)
        for part in (_LENGTH.pack(len(piece) + 1), bytes([flag]), piece)
    )


async def read_message(stream: asyncio.StreamReader) -> dict[str, object] | None:
    """Read one message; None when the stream ends before it. Raises `WireError` for anything that is none."""
    data = bytearray()
    while True:
        start = await stream.read(_LENGTH.size)
        if not start and not data:
            return None
        while 0 < len(start) < _LENGTH.size and (rest := await stream.read(_LENGTH.size - len(start))):
            start += rest
        if len(start) < _LENGTH.size:
            raise WireError("frame", "the stream ended inside a message", "Start the process again")
        (length,) = _LENGTH.unpack(start)
        if not 1 <= length <= MAX_FRAME_BYTES or len(data) + length > MAX_MESSAGE_BYTES + 1:
            raise WireError("frame", f"{length} bytes are not allowed", "Start the process again")
        frame = await _exactly(stream, length)
        data += frame[1:]
        if not frame[0]:
            return _parsed(bytes(data))


async def _exactly(stream: asyncio.StreamReader, length: int) -> bytes:
    try:
        return await stream.readexactly(length)
    except EOFError as error:  # IncompleteReadError is one
        raise WireError("frame", "the stream ended inside a message", "Start the process again") from error


def _parsed(data: bytes) -> dict[str, object]:
    try:
        found: object = json.loads(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise WireError("message", f"it can't be read ({error})", "Start the process again") from error
    if not isinstance(found, dict):
        raise WireError("message", "it is no object", "Start the process again")
    return found
