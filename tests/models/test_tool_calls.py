"""Tool calls from the pieces of a stream, as one server or another sends them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent.models import ToolCall, ToolSpec
from homeagent.models.tool_calls import CallCollector
from tests.models.server import FakeServer, asked, calls, events_of, in_loop

KNOWN = frozenset({"clock", "read", "get_weather"})


def collected(*pieces) -> list[tuple[str, str, str]]:
    numbers = iter(range(1, 100))
    collector = CallCollector(KNOWN, lambda: f"made_{next(numbers)}")
    for piece in pieces:
        collector.add(piece)
    return [(call.id, call.name, call.arguments) for call in collector.calls()]


def piece(index=None, id=None, name=None, arguments=None) -> dict:  # noqa: A002 - the protocol's word
    """Return a piece with only the fields that are given."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    given = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return given | ({"function": function} if function else {})


A = '{"path": "a.txt"}'
B = '{"path": "b.txt"}'
TWO = [("x", "read", A), ("y", "read", B)]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        # as the protocol says, one call after the other and in turns
        (
            [piece(0, "x", "read", ""), piece(0, arguments=A[:5]), piece(0, arguments=A[5:]), piece(1, "y", "read", B)],
            TWO,
        ),
        ([piece(0, "x", "read"), piece(1, "y", "read"), piece(0, arguments=A), piece(1, arguments=B)], TWO),
        # one index for all calls
        ([piece(0, "x", "read", A), piece(0, "y", "read", B)], TWO),
        ([piece(0, "x", "read"), piece(0, arguments=A), piece(0, "y", "read"), piece(0, arguments=B)], TWO),
        ([piece(0, "x", "clock", ""), piece(0, "y", "read", B)], [("x", "clock", "{}"), TWO[1]]),
        ([piece(0, None, "read", A), piece(0, None, "read", B)], [("made_1", "read", A), ("made_2", "read", B)]),
        # no index, or one that is no number
        ([piece(None, "x", "read", A), piece(None, "y", "read", B)], TWO),
        (
            [piece(None, "x", "read"), piece(None, "y", "read"), piece(None, "x", None, A), piece(None, "y", None, B)],
            TWO,
        ),
        ([piece("0", "x", "read", A[:3]), piece(None, None, None, A[3:])], TWO[:1]),
        (
            [piece(None, None, "clock"), piece(None, None, "read", A)],
            [("made_1", "clock", "{}"), ("made_2", "read", A)],
        ),
        # the id in every piece, new in every piece, or the same for all calls
        ([piece(0, "x", "read"), piece(0, "x", arguments=A[:4]), piece(0, "x", arguments=A[4:])], TWO[:1]),
        ([piece(0, "x", "read"), piece(0, "q", arguments=A[:4]), piece(0, "r", arguments=A[4:])], TWO[:1]),
        ([piece(0, "x", "read"), piece(0, "q", "read", A[:4]), piece(0, "r", "read", A[4:])], TWO[:1]),
        ([piece(0, "x", "read", A), piece(1, "x", "read", B)], [TWO[0], ("made_1", "read", B)]),
        ([piece(0, "x", "read", A), piece(0, "x", "read", B)], [TWO[0], ("made_1", "read", B)]),
        # the name in every piece, cut in two, or said once more at the end
        ([piece(0, "x", "read"), piece(0, None, "read", A[:4]), piece(0, None, "read", A[4:])], TWO[:1]),
        ([piece(0, "x", "get_"), piece(0, None, "weather"), piece(0, arguments="{}")], [("x", "get_weather", "{}")]),
        ([piece(0, None, "read", A), piece(0, None, "read", "")], [("made_1", "read", A)]),
        # the whole call said twice, arguments repeated, a placeholder before them
        ([piece(0, "x", "read", A), piece(0, "x", "read", A)], TWO[:1]),
        ([piece(0, "x", "read", A), piece(0, arguments=A)], TWO[:1]),
        ([piece(0, "x", "read", "{}"), piece(0, arguments=A)], TWO[:1]),
        # arguments that are an object, null, or no JSON; a half of a character in each of two pieces
        ([piece(0, "x", "read", {"path": "a.txt"})], TWO[:1]),
        ([{"index": 0, "id": "x", "function": {"name": "clock", "arguments": None}}], [("x", "clock", "{}")]),
        ([piece(0, "x", "read", "path=a")], [("x", "read", "path=a")]),
        ([piece(0, "x", "read", '{"a": "\ud83d'), piece(0, arguments='\ude00"}')], [("x", "read", '{"a": "😀"}')]),
        # an old call, a call without a name, pieces without anything
        (
            [{"function": {"name": "read", "arguments": A[:4]}}, {"function": {"arguments": A[4:]}}],
            [("made_1", "read", A)],
        ),
        ([piece(0, "x", None, A)], [("x", "", A)]),
        ([{}, {"index": 0}, {"function": None}, {"function": {"name": 3}}], []),
    ],
)
def test_calls_are_put_together(pieces, expected) -> None:
    assert collected(*pieces) == expected


@given(st.lists(st.lists(st.text(max_size=6), max_size=3), min_size=1, max_size=4), st.data())
def test_any_cut_of_well_formed_calls_gives_the_calls(values, data) -> None:
    wanted = [(f"id{number}", "read", json.dumps({"v": value})) for number, value in enumerate(values)]
    pieces = []
    for number, (own, name, arguments) in enumerate(wanted):
        cuts = sorted(data.draw(st.sets(st.integers(1, len(arguments) - 1), max_size=3)))
        ends = [*cuts, len(arguments)]
        parts = [arguments[start:end] for start, end in zip([0, *cuts], ends, strict=True)]
        pieces += [piece(number, own, name, ""), *(piece(number, arguments=part) for part in parts)]
    assert collected(*pieces) == wanted


@in_loop
async def test_several_calls_in_one_delta_are_announced_and_come_with_the_reply() -> None:
    tools = tuple(ToolSpec(name, "", {"type": "object"}) for name in KNOWN)
    answer = calls([piece(0, "x", "read", A), piece(0, "y", "clock", "")], [piece(2, None, "read", B)], finish="stop")
    async with FakeServer(answer) as server:
        *started, reply = await events_of(server.model(), asked(tools=tools))

    assert [event.name for event in started] == ["read", "clock", "read"]
    assert reply.message.tool_calls == (ToolCall("x", "read", A), ToolCall("y", "clock"), ToolCall("made_1", "read", B))
    assert reply.reason == "tool_calls"
