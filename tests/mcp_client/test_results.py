"""What is kept of a result: words as they are, bytes as they are, structure where the words don't say it."""

from __future__ import annotations

import base64
import json

import pytest
from mcp.types import CallToolResult, EmbeddedResource, ImageContent, TextContent, TextResourceContents

from homeagent.mcp_client.results import result_of


def text(words: str) -> TextContent:
    return TextContent(type="text", text=words)


def test_text_is_kept_word_for_word() -> None:
    words = " \x1b[31m{not json}\r\n\ttail \u200b你好 "
    assert result_of(CallToolResult(content=[text(words)])).text == words
    assert result_of(CallToolResult(content=[text("a"), text("b\n")])).text == "a\nb\n"
    resource = EmbeddedResource(type="resource", resource=TextResourceContents(uri="n://1", text="note"))
    assert result_of(CallToolResult(content=[resource])).text == "note"


@pytest.mark.parametrize(
    ("words", "data", "kept"),
    [
        (None, {"a": [1, "你"]}, None),
        ('{"a": [1, "你"]}', {"a": [1, "你"]}, None),
        ("21.5", {"result": 21.5}, None),
        ("plain words", {"result": "plain words"}, None),
        ("It is warm.", {"degrees": 21.5}, {"degrees": 21.5}),
    ],
)
def test_structured_content_is_kept_once(words: str | None, data: object, kept: object) -> None:
    result = result_of(CallToolResult(content=[text(words)] if words else [], structured_content=data))
    assert result.data == data
    assert result.text == (words if words is not None else json.dumps(data, ensure_ascii=False))
    assert [json.loads(each.data) for each in result.attachments] == ([kept] if kept else [])
    assert {each.media_type for each in result.attachments} <= {"application/json"}


def test_bytes_are_attachments_and_broken_ones_are_said() -> None:
    picture = ImageContent(type="image", data=base64.b64encode(b"\x00\xff").decode(), mime_type="image/png")
    broken = ImageContent(type="image", data="no base64!", mime_type="image/png")
    result = result_of(CallToolResult(content=[picture, broken], is_error=True))
    ((media_type, data, name),) = [(each.media_type, each.data, each.name) for each in result.attachments]
    assert (media_type, data, name) == ("image/png", b"\x00\xff", "file.png")
    assert result.text == "[a file of type image/png that can't be read]"
    assert result.error
