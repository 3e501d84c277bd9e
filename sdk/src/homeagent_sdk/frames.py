"""The byte format between the core and the process that runs cleaners.

A frame is ``length`` (4 bytes, big-endian, of all that follows), ``header length`` (4 bytes, big-endian), the header (a
JSON object), and the text (the rest). Both are UTF-8 with ``surrogatepass``, so that any ``str`` passes, NUL and half a
surrogate pair included. One request, one reply, in order. The text may be up to 100 million characters.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = [
    "MAX_FRAME_BYTES",
    "CleanReply",
    "CleanRequest",
    "FrameError",
    "decode_reply",
    "decode_request",
    "encode_reply",
    "encode_request",
    "read_frame",
]

MAX_FRAME_BYTES = 512 * 1024 * 1024
"""The longest frame that is written or read, without its first four bytes."""

_LENGTH = struct.Struct(">I")

ReplyStatus = Literal["ok", "error", "not_text", "too_long"]


class FrameError(SdkError):
    """The bytes aren't a frame, or a frame is too long or was cut off; the worker can't be used any further."""


class CleanRequest(NamedTuple):
    """Run ``cleaner`` (a spec, or ``module:qualname`` stages) on ``text``.

    ``path``: folders to add to the end of ``sys.path`` first. ``limit``: the longest result in UTF-8 bytes, or None.
    """

    cleaner: str
    text: str
    path: tuple[str, ...] = ()
    limit: int | None = None


class CleanReply(NamedTuple):
    """What became of a request.

    ``ok`` with ``text``; ``error`` with the exception's name as ``kind`` and its ``message``; ``not_text`` with the
    name of the type returned as ``kind``; ``too_long`` with the reason as ``message``.
    """

    status: ReplyStatus
    text: str = ""
    kind: str = ""
    message: str = ""


def encode_request(request: CleanRequest) -> bytes:
    """Return the frame of ``request``. Raises ``FrameError`` when it is longer than ``MAX_FRAME_BYTES``."""
    header: dict[str, object] = {"cleaner": request.cleaner, "path": list(request.path), "limit": request.limit}
    return _encode(header, request.text)


def decode_request(frame: bytes) -> CleanRequest:
    """Read what ``read_frame`` returned as a request. Raises ``FrameError``."""
    header, text = _decode(frame)
    match header:
        case {"cleaner": str(cleaner), "path": [*path], "limit": int() | None as limit}:
            return CleanRequest(cleaner, text, tuple(str(entry) for entry in path), limit)
    raise FrameError("request frame", "the header has other fields", "Use encode_request of the same SDK version")


def encode_reply(reply: CleanReply) -> bytes:
    """Return the frame of ``reply``. Raises ``FrameError`` when it is longer than ``MAX_FRAME_BYTES``."""
    return _encode({"status": reply.status, "kind": reply.kind, "message": reply.message}, reply.text)


def decode_reply(frame: bytes) -> CleanReply:
    """Read what ``read_frame`` returned as a reply. Raises ``FrameError``."""
    header, text = _decode(frame)
    match header:
        case {
            "status": "ok" | "error" | "not_text" | "too_long" as status,
            "kind": str(kind),
            "message": str(message),
        }:
            return CleanReply(cast("ReplyStatus", status), text, kind, message)
    raise FrameError("reply frame", "the header has other fields", "Use a worker of the same SDK version")


def read_frame(stream: BinaryIO) -> bytes | None:
    """Read one frame without its length; None when the stream ends before it. Raises ``FrameError`` on half a frame."""
    start = _read_exactly(stream, _LENGTH.size)
    if not start:
        return None
    if len(start) == _LENGTH.size:
        (length,) = _LENGTH.unpack(start)
        if length > MAX_FRAME_BYTES:
            raise FrameError("frame", f"{length} bytes is more than {MAX_FRAME_BYTES}", "Start the worker again")
        frame = _read_exactly(stream, length)
        if len(frame) == length:
            return frame
    raise FrameError("frame", "the stream ended inside a frame", "Start the worker again")


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    pieces = []
    while length:
        piece = stream.read(length)  # an unbuffered pipe may return less
        if not piece:
            break
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)


def _encode(header: dict[str, object], text: str) -> bytes:
    head = json.dumps(header, ensure_ascii=False).encode("utf-8", "surrogatepass")
    body = text.encode("utf-8", "surrogatepass")
    length = _LENGTH.size + len(head) + len(body)
    if length > MAX_FRAME_BYTES:
        raise FrameError("frame", f"{length} bytes is more than {MAX_FRAME_BYTES}", "Leave this text out")
    return b"".join((_LENGTH.pack(length), _LENGTH.pack(len(head)), head, body))


def _decode(frame: bytes) -> tuple[object, str]:
    try:
        (length,) = _LENGTH.unpack_from(frame)
        start = _LENGTH.size + length
        if start > len(frame):
            raise ValueError("header longer than the frame")
        header: object = json.loads(frame[_LENGTH.size : start].decode("utf-8", "surrogatepass"))
        return header, frame[start:].decode("utf-8", "surrogatepass")
    except (struct.error, ValueError) as problem:
        raise FrameError("frame", f"can't be read: {problem}", "Start the worker again") from None
