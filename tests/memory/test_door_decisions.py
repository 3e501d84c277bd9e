"""What the door decides about each segment, why it says so, and what of the segment it lets through."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.memory.door.door import argument_texts
from homeagent.memory.turn import Segment
from tests.memory.worlds import (
    HIDDEN,
    PLAIN,
    cleaned,
    computed_texts,
    decisions,
    opened,
    reply,
    temporary_memory,
    tool,
    turn,
    user,
)

JSON = '{"content": "the apples are red", "id": 7}'
FAILED = "left out, its cleaner failed: json(content)"


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """One tool for each kind of policy, and one channel for each."""
    with opened(tmp_path_factory.mktemp("door") / "home") as memory:
        memory.declare_policies(
            {"hide": HIDDEN, "plain": PLAIN, "clean": cleaned("json(content)"), "remember": PLAIN},
            returns_memory=["remember"],
        )
        memory.declare_policies(
            {
                "cut": cleaned("json(content) | head(3)"),
                "empty": cleaned('regex("(?s).*","")'),
                "ansi": cleaned("ansi()"),
            }
        )
        memory.set_policies({"owned": HIDDEN, "own*": cleaned("head(1)")})
        memory.set_policies({"secret": HIDDEN, "boiler": cleaned('regex("^FORWARDED ","")')}, kind="channel")
        memory.set_policies({"broken": cleaned("json(text)")}, kind="channel")
        yield memory


HIDDEN_WHY = "no_memory: declared by its plugin"
DECISIONS = [
    (user("hello"), "whole", "no policy", "hello"),
    (Segment("system", "be kind"), "whole", "no policy", "be kind"),
    (reply("hello"), "whole", "the assistant's own words", "hello"),
    (user(""), "whole", "no policy", ""),
    (tool("seen", "hide"), "hidden", HIDDEN_WHY, ""),
    (tool("seen", "hide", error=True, arguments='{"a": 1}'), "hidden", HIDDEN_WHY, ""),
    (tool(JSON, "plain"), "whole", "no cleaner: declared by its plugin", f"plain\n{JSON}"),
    (tool("seen", "remember"), "hidden", "what it returns is memory", ""),
    (tool("seen", "memory_recall"), "hidden", "what it returns is memory", ""),
    (tool("seen", "doc_query"), "hidden", "what it returns is memory", ""),
    (tool("seen", "person_query"), "hidden", "what it returns is memory", ""),
    (tool("seen", "nobody"), "whole", "nobody declared it", "nobody\nseen"),
    (tool("se\x1b[1men\x07", "nobody"), "cleaned", "nobody declared it", "nobody\nse en"),
    (tool("\x07\x07", "nobody"), "cleaned", "nobody declared it", "nobody"),
    (tool(JSON, "clean"), "cleaned", "json(content): declared by its plugin", "clean\nthe apples are red"),
    (tool(JSON, "cut"), "cleaned", "json(content) | head(3): declared", "cut\nthe"),
    (tool("seen", "empty"), "empty", "regex", "empty"),
    (tool("no json", "clean"), "failed", FAILED, "clean"),
    (tool('{"other": 1}', "clean", arguments='{"a": 1}'), "failed", FAILED, "clean a=1"),
    (tool("no json", "clean", error=True), "cleaned", "json(content)", "clean\nno json"),
    (tool("no json", "cut", error=True), "cleaned", "json(content)", "cut\nno "),
    (tool('{"content": "the app', "clean"), "cleaned", "json(content)", "clean\nthe app"),
    (tool('{"id": 7, "content": "the apples", "mo', "clean"), "cleaned", "json(content)", "clean\nthe apples"),
    (tool('{"id": 7, "cont', "clean"), "failed", FAILED, "clean"),
    (tool("seen", "owned"), "hidden", "no_memory: the owner's policy for 'owned'", ""),
    (tool("seen", "owner"), "cleaned", "head(1): the owner's policy for 'own*'", "owner\ns"),
    *((Segment(role, "x", tool="t", no_memory=True), "hidden", "no_memory", "") for role in ("user", "system", "tool")),
    (reply("x", no_memory=True), "hidden", "no_memory", ""),
]


@pytest.mark.parametrize(
    ("segment", "decision", "reason", "text"),
    DECISIONS,
    ids=[f"{n}-{each[0].role}-{each[0].tool}-{each[1]}" for n, each in enumerate(DECISIONS)],
)
def test_each_segment_is_decided_by_its_role_and_policy(memory, segment, decision, reason, text):
    kept = memory.keep(turn(segment, chat=str(id(segment))))
    ((found_decision, found_reason),) = decisions(memory, kept)
    assert (found_decision, computed_texts(memory, kept)) == (decision, [text])
    assert reason in found_reason
    (explained,) = memory.explain(kept).segments
    assert (explained.decision, explained.reason) == (found_decision, found_reason)
    assert (explained.raw_length, explained.computed_length) == (len(segment.text), len(text))


def test_an_empty_output_of_an_undeclared_tool_is_whole(memory):
    kept = memory.keep(turn(tool("", "nobody")))
    assert [each for each, _ in decisions(memory, kept)] == ["whole"]


@pytest.mark.parametrize(
    ("channel", "decision", "text"),
    [
        ("secret", "hidden", ""),
        ("boiler", "cleaned", "pears are green"),
        ("broken", "failed", ""),
        ("cli", "whole", "FORWARDED pears are green"),
    ],
)
def test_a_channel_decides_about_what_people_say_in_it_and_about_nothing_else(memory, channel, decision, text):
    kept = memory.keep(turn(user("FORWARDED pears are green"), tool("x", "plain"), reply("yes"), channel=channel))
    assert [each for each, _ in decisions(memory, kept)] == [decision, "whole", "whole"]
    assert computed_texts(memory, kept) == [text, "plain\nx", "yes"]


def test_a_turn_that_is_forgotten_says_so_segment_by_segment(memory):
    kept = memory.keep(turn(user("hello"), tool("seen", "plain"), reply("yes")))
    before = memory.computed(kept)
    memory.forget(kept)
    assert {each for each, _ in decisions(memory, kept)} == {"forgotten"}
    assert computed_texts(memory, kept) == [""] * 3
    memory.undo(kept)
    assert memory.computed(kept) == before


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (None, "plain"),
        ("", "plain"),
        ("{}", "plain"),
        (
            '{"city": "Ulm", "days": 3, "now": true, "unit": null, "rate": 0.5}',
            "city=Ulm days=3 now=true unit=null rate=0.5",
        ),
        ('{"a": {"b": {"c": "deep"}}, "list": ["x", {"y": 2}]}', "a.b.c=deep list=x list.y=2"),
        ('["x", 1, null]', "x 1 null"),
        ('"text"', "text"),
        ('{"城市": "\\u53f0\\u5317"}', "城市=台北"),
        ('{"a": "trunca', '{"a": "trunca'),
        ("--city Ulm", "--city Ulm"),
    ],
)
def test_the_arguments_of_a_computed_tool_are_computed_as_name_and_values(memory, arguments, line):
    kept = memory.keep(turn(tool("", "plain", arguments=arguments)))
    assert computed_texts(memory, kept) == [line if line == "plain" else f"plain {line}"]


def test_noise_in_arguments_is_left_out_whatever_the_policy(memory):
    arguments = json.dumps(
        {"name": "tree.png", "data": f"data:image/png;base64,{'iVBORw0KGgo' * 90}", "key": "\x1b[1mx"}
    )
    kept = memory.keep(turn(tool("saved", "plain", arguments=arguments)))
    (text,) = computed_texts(memory, kept)
    assert text.startswith("plain name=tree.png data=")
    assert text.endswith("\nsaved")
    assert "iVBORw0KGgo" not in text
    assert "\x1b" not in text


LEAVES = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
@settings(max_examples=50, deadline=None)
def test_every_word_of_the_arguments_is_computed(value):
    line = " ".join(argument_texts(json.dumps(value)))

    def words(value):
        match value:
            case dict():
                return [word for inner in value.values() for word in words(inner)]
            case list():
                return [word for inner in value for word in words(inner)]
            case str():
                return [value]
        return []

    assert [word for word in words(value) if word not in line] == []


@pytest.mark.parametrize("closed", ["]" * 990, ""], ids=["whole", "cut off"])
def test_arguments_that_are_nested_very_deeply_are_computed_as_they_stand_or_not_at_all(closed):
    with temporary_memory() as memory:
        kept = memory.keep(turn(tool("seen", arguments="[" * 990 + "1" + closed)))
        assert computed_texts(memory, kept)[0].endswith("seen")


def test_a_value_nested_deeper_than_calls_may_be_is_found():
    line = '{"a": ' * 900 + "7" + "}" * 900
    assert list(argument_texts(line)) == [".".join("a" * 900) + "=7"]
