from __future__ import annotations

import io
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from homeagent_sdk.frames import CleanReply, CleanRequest, decode_reply, encode_request, read_frame

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = """
import os, sys

print("import noise")

def noisy(text: str) -> str:
    print("print noise")
    os.write(1, b"raw noise")
    print("error noise", file=sys.stderr)
    return text + "!"

def reads(text: str) -> str:
    return repr(sys.stdin.read())

def number(text: str) -> str:
    return 5

def fails(text: str) -> str:
    raise ValueError("no " + "x" * 1000)

def leaves(text: str) -> str:
    sys.exit(3)

def doubles(text: str) -> str:
    return text * 2

def eats(text: str) -> str:
    return "x" * 10**10

class Shy(Exception):
    def __str__(self):
        raise RuntimeError

def shy(text: str) -> str:
    raise Shy

not_a_function = 5
"""


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "worker_plugin.py").write_text(PLUGIN)
    return str(tmp_path)


def run(*requests: CleanRequest, arguments: tuple[str, ...] = ()) -> list[CleanReply]:
    frames = b"".join(map(encode_request, requests))
    done = subprocess.run(
        [sys.executable, "-m", "homeagent_sdk.worker", *arguments],
        input=frames,
        capture_output=True,
        check=True,
        timeout=60,
    )
    stream, replies = io.BytesIO(done.stdout), []
    while (frame := read_frame(stream)) is not None:
        replies.append(decode_reply(frame))
    return replies


def test_requests_are_answered_in_order_with_any_character() -> None:
    text = "中\0\ud83d \udc00\r\n\x1b[1m😀"
    replies = run(CleanRequest("head(100)", text), CleanRequest("ansi() | head(1)", text), CleanRequest("head(0)", ""))
    assert replies == [CleanReply("ok", text), CleanReply("ok", "中"), CleanReply("ok", "")]


def test_no_request_is_no_reply() -> None:
    assert run() == []


def test_what_a_cleaner_prints_does_not_reach_the_frames(folder: str) -> None:
    request = CleanRequest("worker_plugin:noisy | head(3)", "abcdef", (folder,))
    assert run(request, request) == [CleanReply("ok", "abc")] * 2


def test_a_cleaner_finds_an_empty_stdin(folder: str) -> None:
    after = CleanRequest("head(1)", "x")
    assert run(CleanRequest("worker_plugin:reads", "", (folder,)), after) == [
        CleanReply("ok", "''"),
        CleanReply("ok", "x"),
    ]


@pytest.mark.parametrize(
    ("cleaner", "kind", "message"),
    [
        ("json(a)", "CleanerError", "json(a): the text isn't a JSON object or array. Remove json()"),
        ("nope()", "DeclarationError", "stage 1 of cleaner 'nope()': there is no cleaner 'nope'"),
        ("worker_plugin:fails@2", "ValueError", "no xxx"),
        ("worker_plugin:leaves", "SystemExit", "3"),
        ("worker_plugin:shy", "Shy", ""),
        ("worker_plugin:missing", "AttributeError", "module 'worker_plugin' has no attribute 'missing'"),
        ("worker_plugin:not_a_function", "TypeError", "worker_plugin:not_a_function isn't a function"),
        ("missing_plugin:f", "ModuleNotFoundError", "No module named 'missing_plugin'"),
    ],
)
def test_a_cleaner_that_fails_is_a_reply_and_the_next_one_runs(
    folder: str, cleaner: str, kind: str, message: str
) -> None:
    failed, after = run(CleanRequest(cleaner, "text", (folder,)), CleanRequest("head(1)", "xy"))
    assert (failed.status, failed.kind) == ("error", kind)
    assert failed.message.startswith(message)
    assert len(failed.message) <= 500
    assert after == CleanReply("ok", "x")


def test_a_result_that_is_no_text_is_told_apart(folder: str) -> None:
    (reply,) = run(CleanRequest("worker_plugin:number", "text", (folder,)))
    assert (reply.status, reply.kind) == ("not_text", "int")


def test_a_result_over_its_limit_in_bytes_is_not_sent(folder: str) -> None:
    fits = CleanRequest("worker_plugin:doubles", "中中", (folder,), limit=12)
    replies = run(fits, fits._replace(limit=11), fits._replace(limit=3), fits._replace(limit=100))
    assert [reply.status for reply in replies] == ["ok", "too_long", "too_long", "ok"]
    assert replies[1].message == "the result is longer than 11 bytes"


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is enforced on Linux")
def test_a_memory_limit_turns_a_greedy_cleaner_into_an_error(folder: str) -> None:
    greedy = CleanRequest("worker_plugin:eats", "x", (folder,))
    replies = run(greedy, CleanRequest("head(1)", "xy"), arguments=("--max-memory", str(512 * 1024 * 1024)))
    assert [(reply.status, reply.kind) for reply in replies] == [("error", "MemoryError"), ("ok", "")]


def test_a_text_far_over_a_mebibyte_passes() -> None:
    text = "中a" * 5_000_000
    assert run(CleanRequest("head(10000000)", text)) == [CleanReply("ok", text)]


def test_a_wrong_argument_shows_the_usage() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "homeagent_sdk.worker", "--max-memory", "lots"], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == b"usage: python -m homeagent_sdk.worker [--max-memory BYTES]\n"


def test_the_worker_imports_nothing_slow() -> None:
    code = "import sys, homeagent_sdk.worker; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert not {"inspect", "dataclasses", "typing_extensions", "asyncio", "html"} & set(done.stdout.split())
