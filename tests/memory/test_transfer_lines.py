"""One line of an import file: what becomes of it, and what is said when it is wrong."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.errors import InputError
from homeagent.memory.store.records import Moment, TurnRow
from homeagent.memory.transfer.lines import turn_line
from homeagent.memory.transfer.parsing import parse_line, parse_turn
from homeagent.memory.turn import Attachment, Place, Segment, Turn, TurnId

LINE = {
    "id": "d1",
    "at": "2026-05-05T10:00:00+02:00",
    "channel": "cli",
    "chat": "main",
    "person": "owner",
    "segments": [
        {"role": "user", "text": "Where is the key?"},
        {"role": "tool", "tool": "look", "call_id": "c1", "arguments": {"a": 1}, "text": "nail", "error": False},
        {"role": "assistant", "text": "On the nail."},
    ],
}


def line(**changes):
    return json.dumps(LINE | changes)


def segment(**changes):
    return line(segments=[{"role": "user", "text": "hello"} | changes])


def refused(text, where="f.jsonl line 7"):
    with pytest.raises(InputError) as caught:
        parse_turn(text, where)
    assert caught.value.where.startswith(where)
    assert caught.value.problem
    assert caught.value.next_step
    return caught.value


def test_a_line_in_the_form_of_the_cases_becomes_a_turn():
    turn = parse_turn(line(), "f line 1", "src")
    assert turn == Turn(
        place=Place("cli", "main"),
        sender="owner",
        segments=(
            Segment("user", "Where is the key?"),
            Segment("tool", "nail", tool="look", call_id="c1", arguments='{"a": 1}'),
            Segment("assistant", "On the nail."),
        ),
        at=datetime(2026, 5, 5, 10, tzinfo=timezone(timedelta(hours=2))),
        source="src",
        external_id="d1",
    )


@pytest.mark.parametrize("text", [line(at=None), json.dumps({k: v for k, v in LINE.items() if k != "at"})])
def test_a_missing_time_is_unknown(text):
    assert parse_turn(text, "f line 1").at is None


def test_a_time_without_zone_is_utc():
    assert parse_turn(line(at="2026-05-05T10:00:00"), "f").at == datetime(2026, 5, 5, 10, tzinfo=UTC)


def test_the_source_asked_for_wins_over_the_line_and_the_line_over_the_fixed_name():
    assert parse_turn(line(source="own"), "f", "asked").source == "asked"
    assert parse_turn(line(source="own"), "f").source == "own"
    assert parse_turn(line(source=""), "f").source == ""
    assert parse_turn(line(), "f").source == "import"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (line(id=""), "id"),
        (line(id=5), "id"),
        (line(id="\ud83d"), "id"),
        (line(colour="red"), "colour"),
        (line(at="yesterday"), "at"),
        (line(at="0001-01-01T00:00:00+14:00"), "at"),
        (line(at=17), "at"),
        (line(chat=None), "chat"),
        (line(person=["owner"]), "person"),
        (line(segments={}), "segments"),
        (line(segments=["hello"]), "segments[0]"),
        (line(status="sleeping"), "status"),
        (line(members="owner"), "members"),
        (line(members=["owner", 3]), "members"),
        (line(chat="a", chat_base64="YQ=="), "chat"),
        (segment(role="robot"), "segments[0].role"),
        (segment(text=None), "segments[0].text"),
        (segment(text=3), "segments[0].text"),
        (segment(tone="loud"), "segments[0].tone"),
        (segment(error="no"), "segments[0].error"),
        (segment(role="tool", tool=""), "segments[0].tool"),
        (segment(role="tool"), "segments[0].tool"),
        (segment(text=None, text_base64="!!"), "segments[0].text_base64"),
        (segment(text=None, text_base64="/w=="), "segments[0].text_base64"),
        (segment(attachments=[{"media_type": "a/b"}]), "segments[0].attachments[0].data_base64"),
        (segment(attachments=[{"media_type": "a/b", "data_base64": "?"}]), "segments[0].attachments[0].data_base64"),
    ],
)
def test_a_wrong_value_is_refused_with_its_key(text, key):
    assert refused(text).where == f"f.jsonl line 7, key {key}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "{",
        "[]",
        "3",
        b"\xff\xfe{",
        '{"id": "a", "id": "b"}',
        line()[:-1],
        line(extra=float("nan")),
        '{"id": 1e999}',
        "[" * 100_000,
        '{"id": ' + "9" * 5000 + "}",
    ],
)
def test_what_is_no_json_object_is_refused_with_its_line(text):
    refused(text)


def test_escaped_halves_side_by_side_are_one_character_as_json_has_it():
    assert parse_turn(segment().replace("hello", "\\ud83d\\ude00"), "f").segments[0].text == "😀"


def test_a_turn_exported_while_open_is_interrupted():
    assert parse_turn(line(status="open"), "f").status == "interrupted"


def test_every_object_with_a_wrong_key_names_the_keys_it_may_have():
    assert "call_id" in refused(segment(tone="loud")).next_step


def row_of(turn):
    at = Moment.of(turn.at) if turn.at is not None else None
    return TurnRow(
        1, TurnId("t1"), turn.source, turn.external_id, turn.place, turn.sender, turn.members, at, turn.status, 2
    )


anything = st.text(st.characters(), max_size=12)  # any code point, halves of surrogate pairs too
plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
name = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
arguments = st.one_of(
    st.none(),
    anything,
    st.sampled_from(["null", '{"a":1}', '{"a": 1}', '{"a": 1.0e3}', '{"a": "\\ud83d"}', '{"a": 1, "a": 2}', "NaN"]),
)
segments = st.builds(
    Segment,
    role=st.sampled_from(["user", "assistant", "system", "tool"]),
    text=anything,
    tool=anything.filter(bool),
    call_id=st.one_of(st.none(), anything),
    arguments=arguments,
    error=st.booleans(),
    plugin=plain,
    plugin_version=plain,
    attachments=st.lists(st.builds(Attachment, plain, st.binary(max_size=8), anything), max_size=2).map(tuple),
    cites=st.lists(name.map(TurnId), max_size=2).map(tuple),
    no_memory=st.booleans(),
)
turns = st.builds(
    Turn,
    place=st.builds(Place, anything, anything),
    sender=anything,
    segments=st.lists(segments, max_size=3).map(tuple),
    at=st.one_of(
        st.none(),
        st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(timezone(timedelta(hours=8)))),
    ),
    members=st.lists(anything, max_size=3).map(tuple),
    source=plain,
    external_id=name,
    status=st.sampled_from(["done", "failed", "interrupted"]),
)


@given(turns)
@settings(max_examples=300)
def test_a_turn_written_as_a_line_and_read_again_is_the_same(turn):
    written = turn_line(row_of(turn), turn.segments)
    assert written.count(b"\n") == 1
    found = parse_line(written, "f")
    assert found.turn == turn
    assert found.turn_id == "t1"


def test_halves_side_by_side_are_written_as_base64_of_their_bytes():
    turn = Turn(Place("c", "h"), "p", (Segment("user", "\ud83d\ude00"),), external_id="x")
    written = json.loads(turn_line(row_of(turn), turn.segments))
    assert "text" not in written["segments"][0]
    assert base64.b64decode(written["segments"][0]["text_base64"]) == b"\xed\xa0\xbd\xed\xb8\x80"


def test_a_plain_turn_is_written_as_a_person_would_write_it():
    turn = parse_turn(line(), "f", "src")
    written = json.loads(turn_line(row_of(turn), turn.segments))
    assert {key: written[key] for key in LINE} == LINE
    assert set(written) - set(LINE) == {"source", "turn"}
