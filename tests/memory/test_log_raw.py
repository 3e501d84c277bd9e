"""What was said reads back code point by code point, whatever it is made of and whatever is done around it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.errors import HomeAgentError
from homeagent.memory.store.sqlite.codec import INLINE_BYTES
from homeagent.memory.turn import Attachment, Place, Segment, Turn
from tests.memory.worlds import (
    HIDDEN,
    cleaned,
    opened,
    raw_segments,
    reply,
    temporary_home,
    temporary_memory,
    tool,
    turn,
    user,
)

LETTERS = st.characters(exclude_categories=())
"""Every code point there is, halves of surrogate pairs and NUL too."""

TEXTS = st.text(LETTERS, max_size=30)
NAMES = st.text(LETTERS, max_size=8)
ATTACHMENTS = st.builds(Attachment, st.sampled_from(["image/png", ""]), st.binary(max_size=40), NAMES)
SEGMENTS = st.builds(
    Segment,
    st.sampled_from(["user", "assistant", "system", "tool"]),
    TEXTS,
    tool=st.text(LETTERS, min_size=1, max_size=8),
    call_id=st.none() | NAMES,
    arguments=st.none() | TEXTS,
    error=st.booleans(),
    attachments=st.lists(ATTACHMENTS, max_size=2).map(tuple),
    no_memory=st.booleans(),
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=ZONES)
TURNS = st.builds(
    Turn,
    st.builds(Place, NAMES, NAMES),
    NAMES,
    st.lists(SEGMENTS, max_size=4).map(tuple),
    at=st.none() | MOMENTS,
    members=st.lists(NAMES, max_size=3).map(tuple),
)


@given(st.lists(TURNS, min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_every_turn_reads_back_as_it_was_said(turns):
    with temporary_home() as home:
        with opened(home) as memory:
            kept = memory.keep_all(turns)
            before = memory.digest()
        with opened(home) as memory:
            assert memory.digest() == before
            for turn_id, said in zip(kept, turns, strict=True):
                row = memory.find(turn_id)
                at = row.at.datetime() if row.at is not None else None
                assert (row.place, row.sender, row.members, at) == (said.place, said.sender, said.members, said.at)
                assert said.at is None or at.utcoffset() == said.at.utcoffset()
                assert raw_segments(memory, turn_id) == list(said.segments)


@given(st.lists(SEGMENTS, max_size=4))
@settings(max_examples=25, deadline=None)
def test_a_turn_kept_piece_by_piece_is_the_same_as_one_kept_whole(segments):
    with temporary_memory() as memory:
        whole = memory.keep(turn(*segments))
        pieces = memory.begin(turn())
        for segment in segments:
            memory.append(pieces, segment)
        memory.close(pieces)
        assert raw_segments(memory, pieces) == raw_segments(memory, whole) == segments
        assert [row.text.text for row in memory.computed(pieces)] == [row.text.text for row in memory.computed(whole)]


NOISE = random.Random(1).randbytes(1_000_000)  # noqa: S311 - no secret: bytes that can't be compressed


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "\ud83d",
        "\ud83d\ude00",
        "😀",
        "a\ud83d\0\ude00b\r\n\x85\u2028\ufeff",
        "e\u0301 é ﬁ Ａ１ 臺灣 台湾",
        "字" * (INLINE_BYTES // 3),
        "字" * (INLINE_BYTES // 3 + 1),
        "line of a log\n" * 80_000,
        NOISE[:20_000].hex(" "),
        "\ud800" * 20_000,
    ],
    ids=lambda text: f"{len(text)}-{text[:4]!a}",
)
def test_a_difficult_text_is_kept_in_every_place_where_text_can_stand(tmp_path, text):
    name = text[:50]
    said = [tool(text, name=name, arguments=text, call_id=name, attachments=(Attachment("", b"", name),))]
    if len(text) <= INLINE_BYTES:  # computing a million words takes seconds, and raw is the same for every role
        said += [user(text), reply(text)]
    with opened(tmp_path / "home") as memory:
        turn_id = memory.keep(turn(*said, chat=name, sender=name))
        memory.rebuild()
    with opened(tmp_path / "home") as memory:
        assert raw_segments(memory, turn_id) == said
        assert memory.find(turn_id).sender == name


def test_attachments_are_kept_byte_for_byte_and_equal_ones_are_stored_once(tmp_path):
    pictures = tuple(Attachment("image/png", data, "a.png") for data in (NOISE, b"", NOISE, b"\0" * 500_000))
    with opened(tmp_path / "home") as memory:
        turn_id = memory.keep(turn(user("look", attachments=pictures)))
        again = memory.keep(turn(user("again", attachments=pictures[:1])))
        assert raw_segments(memory, turn_id)[0].attachments == pictures
        assert raw_segments(memory, again)[0].attachments == pictures[:1]
        assert memory.counts()["blob"] == 3
        assert memory.home.log.stat().st_size + memory.home.log.with_name("log.db-wal").stat().st_size < 2_500_000


def test_the_raw_digest_moves_with_every_word_and_with_nothing_else(tmp_path):
    with opened(tmp_path / "home") as memory:
        empty = memory.digest()
        kept = memory.keep(turn(user("one"), tool("two", arguments='{"a": "three"}'), reply("two and three")))
        said = memory.digest()
        assert said != empty
        memory.set_policies({"look": HIDDEN})
        memory.set_policies({"lo*": cleaned("head(1)"), "look": None})
        memory.set_policies({"cli": HIDDEN}, kind="channel")
        memory.rename_tool("look", "see")
        memory.remove_tool("see")
        memory.archive()
        memory.link("cli", "owner", "me")
        memory.forget(kept)
        memory.rebuild()
        memory.recall("two")
        assert memory.digest() == said
        memory.keep(turn(user("one"), tool("two", arguments='{"a": "three"}'), reply("two and three")))
        assert memory.digest() != said


def test_a_backup_opened_as_a_home_holds_every_word_and_derives_the_rest(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": HIDDEN})
        kept = memory.keep(turn(user("apples \ud800\0"), tool("pears"), external_id="a"))
        digest, texts = memory.digest(), [row.text for row in memory.computed(kept)]
        (tmp_path / "other").mkdir()
        memory.backup(tmp_path / "other" / "log.db")
    with opened(tmp_path / "other") as memory:
        assert memory.digest() == digest
        assert [row.text for row in memory.computed(kept)] == texts
        assert memory.rebuild(verify=True).equal


def test_two_halves_of_a_pair_stay_two_in_a_citation_too(tmp_path):
    said = reply("so it was", cites=("\ud83d\ude00",))
    with opened(tmp_path / "home") as memory:
        assert raw_segments(memory, memory.keep(turn(said))) == [said]


@pytest.mark.parametrize(
    "said",
    [
        user("x", plugin="\ud800"),
        user("x", plugin_version="\ud800"),
        user("x", attachments=(Attachment("image/\ud800", b""),)),
    ],
    ids=["plugin", "plugin_version", "media_type"],
)
def test_half_a_pair_in_a_name_is_kept_or_refused_with_a_reason(tmp_path, said):
    with opened(tmp_path / "home") as memory:
        try:
            turn_id = memory.keep(turn(said))
        except HomeAgentError:
            assert list(memory.turns()) == []
        else:
            assert raw_segments(memory, turn_id) == [said]


EAST = timezone(timedelta(hours=8))
WEST = timezone(timedelta(hours=-8))


@pytest.mark.parametrize(
    "at", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC), datetime(1969, 12, 31, 23, tzinfo=EAST)]
)
def test_a_turn_at_the_end_of_time_is_kept_and_derived(tmp_path, at):
    with opened(tmp_path / "home") as memory:
        said = "yesterday, tomorrow, last year, next year, 昨天, 明天, 去年, 明年, on Monday"
        turn_id = memory.keep(turn(user(said), at=at, external_id="a"))
        assert memory.find(turn_id).at.datetime() == at
        assert found_by_word(memory, "tomorrow") == ["a"]


@pytest.mark.parametrize("at", [datetime.min.replace(tzinfo=EAST), datetime.max.replace(tzinfo=WEST)])
def test_a_time_that_utc_can_not_hold_is_kept_or_refused_with_a_reason(tmp_path, at):
    with opened(tmp_path / "home") as memory:
        try:
            turn_id = memory.keep(turn(user("hello"), at=at))
        except HomeAgentError:
            assert list(memory.turns()) == []
        else:
            assert memory.find(turn_id).at.datetime() == at
    opened(tmp_path / "home").shutdown()


def found_by_word(memory, word):
    return [hit.external_id for hit in memory.recall(word).hits]
