from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent_sdk.frames import (
    CleanReply,
    CleanRequest,
    FrameError,
    decode_reply,
    decode_request,
    encode_reply,
    encode_request,
    read_frame,
)

any_text = st.text(st.characters(exclude_categories=()))


@given(any_text, any_text, st.lists(any_text, max_size=2), st.none() | st.integers(0, 2**40))
def test_a_request_comes_back_as_it_was(cleaner: str, text: str, path: list[str], limit: int | None) -> None:
    request = CleanRequest(cleaner, text, tuple(path), limit)
    frame = read_frame(io.BytesIO(encode_request(request)))
    assert frame is not None
    assert decode_request(frame) == request


@given(any_text, any_text)
def test_a_reply_comes_back_as_it_was(text: str, message: str) -> None:
    for reply in (CleanReply("ok", text), CleanReply("error", kind="ValueError", message=message)):
        frame = read_frame(io.BytesIO(encode_reply(reply)))
        assert frame is not None
        assert decode_reply(frame) == reply


def test_the_bytes_of_a_frame_are_fixed() -> None:
    header = b'{"status": "ok", "kind": "", "message": ""}'
    assert encode_reply(CleanReply("ok", "中\0\ud800")) == (
        b"\x00\x00\x00\x36\x00\x00\x00\x2b" + header + b"\xe4\xb8\xad\x00\xed\xa0\x80"
    )


def test_frames_follow_each_other_until_the_stream_ends() -> None:
    stream = io.BytesIO(encode_reply(CleanReply("ok", "a")) + encode_reply(CleanReply("ok", "b")))
    frames = [read_frame(stream), read_frame(stream)]
    assert [decode_reply(frame).text for frame in frames if frame is not None] == ["a", "b"]
    assert read_frame(stream) is None


def test_half_a_frame_is_an_error() -> None:
    whole = encode_reply(CleanReply("ok", "a"))
    for cut in range(1, len(whole)):
        with pytest.raises(FrameError, match="ended inside a frame"):
            read_frame(io.BytesIO(whole[:cut]))


def test_noise_is_not_taken_for_a_frame() -> None:
    with pytest.raises(FrameError, match="is more than"):
        read_frame(io.BytesIO(b"Traceback (most recent call last)"))
    for frame in (b"", b"\0\0\0\xff{}", b"\0\0\0\x01{", b"\0\0\0\x02{}"):
        with pytest.raises(FrameError):
            decode_reply(frame)
        with pytest.raises(FrameError):
            decode_request(frame)
