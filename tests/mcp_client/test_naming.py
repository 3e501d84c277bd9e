"""Names: what the model calls a tool is what every model server takes, and no two tools have the same."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from homeagent.mcp_client.naming import policy_name, wire_names

WIRE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def test_an_ordinary_name_is_server_and_tool() -> None:
    assert wire_names("time", ["get_current_time", "b-2"]) == {
        "get_current_time": "time__get_current_time",
        "b-2": "time__b-2",
    }
    assert policy_name("time", "a.b") == "mcp.time.a.b"


def test_an_odd_name_is_made_to_fit_and_stays_the_same_beside_others() -> None:
    alone = wire_names("w", ["查询天气"])["查询天气"]
    assert WIRE.fullmatch(alone)
    assert wire_names("w", ["a.b", "查询天气", "a_b", "x" * 128])["查询天气"] == alone


@given(st.sets(st.text(min_size=1, max_size=128), max_size=30))
def test_names_always_fit_and_are_never_shared(tools: set[str]) -> None:
    wires = wire_names("a-server_of-32-letters-or-so-abcd", sorted(tools))
    assert wires.keys() == tools
    assert all(WIRE.fullmatch(wire) for wire in wires.values())
    assert len(set(wires.values())) == len(tools)


def test_a_name_that_looks_like_one_made_to_fit_is_no_collision() -> None:
    made = wire_names("w", ["a.b"])["a.b"].removeprefix("w__")
    wires = wire_names("w", ["a.b", made])
    assert wires[made] == f"w__{made}"
    assert len(set(wires.values())) == 2
