"""``python -m homeagent_sdk.worker [--max-memory BYTES]``: run cleaners in a process that the core can kill.

Reads request frames on stdin and writes reply frames on stdout (see ``frames``) until stdin ends. What a cleaner prints
goes to stderr. The core owns the time limit. Use one worker per plugin: modules stay imported.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from homeagent_sdk.cleaner_language import parse_cleaner
from homeagent_sdk.errors import NotTextError
from homeagent_sdk.frames import (
    CleanReply,
    CleanRequest,
    FrameError,
    decode_request,
    encode_reply,
    read_frame,
)
from homeagent_sdk.pipeline import Cleaner, Stage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

__all__ = ["answer", "main", "serve"]

_LONGEST_MESSAGE = 500
_USAGE_EXIT = 2


def answer(request: CleanRequest) -> CleanReply:
    """Run one request; every way in which a cleaner can fail short of ending the process becomes a reply."""
    for entry in request.path:
        if entry not in sys.path:
            sys.path.append(entry)  # at the end: a plugin must not shadow the standard library
    try:
        result = parse_cleaner(request.cleaner, load_function=_load)(request.text)
    except NotTextError as error:
        return CleanReply("not_text", kind=error.problem.split(",")[0].removeprefix("returned "), message=str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the plugin boundary: cleaners are foreign code
        return CleanReply("error", kind=type(error).__name__, message=_message(error))
    if request.limit is not None and _is_longer(result, request.limit):
        return CleanReply("too_long", message=f"the result is longer than {request.limit} bytes")
    return CleanReply("ok", text=result)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer every frame of ``requests`` until it ends. Raises ``FrameError`` when the stream can't be read."""
    while (frame := read_frame(requests)) is not None:
        reply = answer(decode_request(frame))
        try:
            encoded = encode_reply(reply)
        except (FrameError, MemoryError) as error:
            encoded = encode_reply(CleanReply("too_long", message=_message(error)))
        replies.write(encoded)
        replies.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    match arguments:
        case []:
            pass
        case ["--max-memory", limit] if limit.isascii() and limit.isdigit():
            _limit_memory(int(limit))
        case _:
            print("usage: python -m homeagent_sdk.worker [--max-memory BYTES]", file=sys.stderr)  # noqa: T201
            return _USAGE_EXIT
    # Foreign code prints and reads: it gets stderr and an empty stdin, the frames get private descriptors.
    requests = os.dup(0)
    replies = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    with open(requests, "rb") as reader, open(replies, "wb") as writer:  # noqa: PTH123 - descriptors, not paths
        serve(reader, writer)
    return 0


def _load(reference: str) -> Cleaner:
    # Unlike function_cleaner this reads no source: the core has checked and identified the function.
    name = reference.partition("@")[0]
    module_name, _, qualname = name.partition(":")
    __import__(module_name)
    found: object = sys.modules[module_name]
    for part in qualname.split("."):
        found = getattr(found, part)
    if isinstance(found, Cleaner):
        return found
    if not callable(found):
        raise TypeError(f"{name} isn't a function")
    return Cleaner((Stage(reference, reference, False, found),))


def _is_longer(text: str, limit: int) -> bool:
    # Between one and four bytes a character: the exact size is needed only in between.
    if len(text) * 4 <= limit:
        return False
    return len(text) > limit or len(text.encode("utf-8", "surrogatepass")) > limit


def _message(error: BaseException) -> str:
    try:
        return str(error)[:_LONGEST_MESSAGE]
    except Exception:  # noqa: BLE001 - an exception of foreign code may fail to describe itself
        return ""


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # no such limits on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    sys.exit(main())
