"""Opening, growing and closing a turn; the same turn twice; several turns in one commit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from homeagent.errors import HomeAgentError, InputError, NotFoundError
from homeagent.memory.turn import Attachment, Segment
from tests.memory.worlds import computed_texts, found, opened, raw_segments, reply, tool, turn, user


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home") as memory:
        yield memory


def test_an_open_turn_grows_and_is_found_once_it_is_closed(memory):
    turn_id = memory.begin(turn(user("where are the apples"), external_id="a"))
    memory.append(turn_id, tool("in the cellar"))
    assert memory.find(turn_id).status == "open"
    assert found(memory, "apples") == set()
    memory.append(turn_id, reply("They are in the cellar"))
    memory.close(turn_id)
    assert memory.find(turn_id).status == "done"
    assert found(memory, "apples") == found(memory, "cellar") == {"a"}


@pytest.mark.parametrize("status", ["done", "failed", "interrupted"])
def test_a_turn_is_closed_for_good_with_its_status(memory, status):
    turn_id = memory.begin(turn(user("hello")))
    memory.close(turn_id, status)
    with pytest.raises(InputError, match="closed"):
        memory.close(turn_id)
    with pytest.raises(InputError, match="closed"):
        memory.append(turn_id, reply("too late"))
    assert memory.find(turn_id).status == status
    assert raw_segments(memory, turn_id) == [user("hello")]


def test_a_kept_turn_is_closed_already(memory):
    turn_id = memory.keep(turn(user("hello")))
    with pytest.raises(InputError, match="closed"):
        memory.append(turn_id, reply("too late"))
    with pytest.raises(InputError, match="closed"):
        memory.close(turn_id)


def test_a_failed_turn_is_remembered_like_any_other(memory):
    turn_id = memory.keep(turn(user("the boiler makes a noise"), status="failed", external_id="a"))
    assert memory.find(turn_id).status == "failed"
    assert found(memory, "boiler") == {"a"}


@pytest.mark.parametrize("action", ["append", "close", "raw", "explain", "forget", "erase", "computed"])
def test_a_turn_that_is_not_there_is_named_in_the_error(memory, action):
    arguments = (reply("x"),) if action == "append" else ()
    with pytest.raises(NotFoundError, match="t-nowhere"):
        getattr(memory, action)("t-nowhere", *arguments)


@pytest.mark.parametrize("status", ["open", "finished", ""])
def test_a_turn_can_not_be_closed_with_a_status_that_there_is_not(memory, status):
    turn_id = memory.begin(turn(user("hello")))
    with pytest.raises(InputError):
        memory.close(turn_id, status)


@pytest.mark.parametrize(
    "wrong",
    [
        turn(user("x"), status="finished"),
        turn(Segment("robot", "x")),
        turn(Segment("tool", "x")),
        turn(Segment("tool", "x", tool="")),
        turn(user("x"), source="a\0b"),
        turn(user("x"), external_id="\ud800"),
    ],
    ids=["status", "role", "no tool", "empty tool", "source", "external id"],
)
def test_what_can_not_be_kept_is_refused_and_nothing_of_it_is_written(memory, wrong):
    before = memory.counts()
    with pytest.raises(InputError) as refused:
        memory.keep_all([turn(user("fine")), wrong])
    assert refused.value.next_step
    with pytest.raises(InputError):
        memory.begin(wrong)
    assert memory.counts() == before


def test_a_segment_that_can_not_be_kept_leaves_the_open_turn_as_it_was(memory):
    turn_id = memory.begin(turn(user("hello")))
    with pytest.raises(InputError):
        memory.append(turn_id, Segment("tool", "x"))
    memory.close(turn_id)
    assert raw_segments(memory, turn_id) == [user("hello")]


AT = datetime(2024, 3, 5, 18, 30, tzinfo=timezone(timedelta(hours=8)))
SAID = {
    "segments": (user("hello \ud800"), tool("out", arguments="{}", attachments=(Attachment("a/b", b"1", "n"),))),
    "at": AT,
    "members": ("a", "b"),
    "source": "file",
    "external_id": "7",
}


def said(**other):
    parts = SAID | other
    return turn(*parts.pop("segments"), **parts)


def test_the_same_turn_of_the_same_source_is_kept_once(memory):
    first = memory.keep(said())
    before = memory.counts()
    assert memory.keep(said()) == first
    assert memory.keep_all([said(), said()]) == [first, first]
    assert memory.counts() == before
    assert found(memory, "hello") == {"7"}


def test_a_batch_that_holds_the_same_turn_twice_keeps_it_once(memory):
    first, second = memory.keep_all([said(), said()])
    assert first == second
    assert memory.counts()["turn"] == 1


@pytest.mark.parametrize(
    "other",
    [
        {"segments": (user("hello"),)},
        {"segments": (*SAID["segments"], reply("more"))},
        {"segments": (SAID["segments"][0], tool("out", arguments="{ }"))},
        {"at": AT + timedelta(microseconds=1)},
        {"at": None},
        {"members": ("a",)},
        {"chat": "elsewhere"},
        {"channel": "other"},
        {"sender": "guest"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_same_name_with_other_content_is_refused_and_nothing_is_written(memory, other):
    first = memory.keep(said())
    before = (memory.counts(), memory.digest())
    with pytest.raises(InputError, match="'7' of source 'file'"):
        memory.keep_all([turn(user("new"), external_id="new"), said(**other)])
    assert (memory.counts(), memory.digest()) == before
    assert raw_segments(memory, first) == list(SAID["segments"])
    with pytest.raises(NotFoundError):
        memory.find("new")


def test_the_same_name_in_two_sources_is_two_turns_and_has_to_be_told_apart(memory):
    one, two = memory.keep(said()), memory.keep(said(source="other"))
    assert one != two
    assert memory.find("7", source="other").turn_id == two
    with pytest.raises(NotFoundError, match="'file', 'other'"):
        memory.find("7")
    with pytest.raises(NotFoundError):
        memory.find("7", source="third")


def test_turns_without_a_name_are_never_taken_for_the_same(memory):
    assert len(set(memory.keep_all([said(external_id="")] * 3))) == 3


def test_the_same_turn_without_a_zone_is_kept_once(memory):
    naive = said(at=datetime(2024, 3, 5, 18, 30))
    assert memory.keep(naive) == memory.keep(naive)


def test_a_turn_opened_under_a_name_that_is_taken_is_the_same_or_refused_in_words(memory):
    first = memory.begin(said())
    try:
        assert memory.begin(said()) == first
    except HomeAgentError as error:
        assert isinstance(error, InputError)


def test_several_turns_are_kept_in_one_commit_in_their_order(memory):
    kept = memory.keep_all([turn(user(f"number {n}")) for n in range(150)])
    assert [row.turn_id for row in memory.turns()] == kept
    assert [computed_texts(memory, turn_id) for turn_id in kept[::50]] == [["number 0"], ["number 50"], ["number 100"]]
    assert memory.keep_all([]) == []


def test_two_turns_open_at_once_stay_apart(memory):
    one, two = memory.begin(turn(user("one"))), memory.begin(turn(user("two")))
    memory.append(one, reply("first"))
    memory.append(two, reply("second"))
    memory.close(two)
    memory.append(one, reply("third"))
    memory.close(one)
    assert computed_texts(memory, one) == ["one", "first", "third"]
    assert computed_texts(memory, two) == ["two", "second"]


def test_a_clock_that_goes_backwards_changes_no_order_and_loses_nothing(tmp_path):
    hours = iter(range(100, 0, -1))
    clock = lambda: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=next(hours))  # noqa: E731
    with opened(tmp_path / "home", clock=clock) as memory:
        kept = [memory.keep(turn(user(f"apple {n}"), at=clock(), external_id=str(n))) for n in range(5)]
        assert [row.turn_id for row in memory.turns()] == kept
        assert found(memory, "apple") == {"0", "1", "2", "3", "4"}
        assert memory.rebuild(verify=True).equal


def test_a_turn_kept_as_open_stays_open_as_long_as_its_process_lives(memory):
    turn_id = memory.keep(turn(user("hello"), status="open"))
    opened(memory.home.root).shutdown()
    assert memory.find(turn_id).status == "open"
    memory.append(turn_id, reply("yes"))
    memory.close(turn_id)
    assert computed_texts(memory, turn_id) == ["hello", "yes"]


@pytest.mark.parametrize("act", ["find", "link", "erase"])
def test_half_a_pair_in_a_name_that_is_asked_for_is_an_error_in_words(memory, act):
    kept = memory.keep(turn(user("hello")))
    acts = {
        "find": lambda: memory.find("\ud800"),
        "link": lambda: memory.link("cli", "ann", "\ud800"),
        "erase": lambda: memory.erase(kept, by="\ud800"),
    }
    with pytest.raises(HomeAgentError):
        acts[act]()
