"""Whatever the log holds is derived, once, by whoever comes next: after a crash, beside others, under their policies."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

import pytest

from homeagent.memory.derive import Deriver
from homeagent.memory.door.runner import Cleaned
from homeagent.memory.embed.none import NoEmbedder
from homeagent.memory.lease import Lease
from homeagent.memory.store.records import Doomed, PolicyRow
from homeagent.memory.store.sqlite.derived import SqliteDerived
from homeagent.memory.store.sqlite.log import SqliteLog
from homeagent.memory.turn import TurnId
from tests.memory.worlds import (
    PLAIN,
    SharedLog,
    cleaned,
    computed_texts,
    found,
    opened,
    reply,
    tool,
    turn,
    user,
)


def said_to_the_log_only(log, *segments, **more):
    """What a process leaves behind that was killed between the log's commit and the derivation."""
    with log.transaction():
        seq = log.open_turn(turn(*segments, **more), TurnId(f"t{log.last_seq()}"), "")
        log.close_turn(seq, "done")
    return seq


@pytest.fixture
def home(tmp_path):
    opened(tmp_path / "home").shutdown()
    return tmp_path / "home"


@contextmanager
def only_the_log(home):
    log = SqliteLog(home / "log.db")
    yield log
    log.close()


HIDE = PolicyRow(0, "tool", "look", "override", "set", no_memory=True)


def test_a_turn_that_only_the_log_knows_is_derived_at_the_next_open(home):
    with only_the_log(home) as log:
        said_to_the_log_only(log, user("the apples are red"), external_id="a")
    with opened(home) as memory:
        assert found(memory, "apples") == {"a"}
        assert memory.pending() == {}
        assert memory.rebuild(verify=True).equal


def test_a_turn_that_only_the_log_knows_is_derived_by_a_process_that_is_running(home):
    with opened(home) as memory, only_the_log(home) as log:
        said_to_the_log_only(log, user("the apples are red"), external_id="a")
        assert found(memory, "apples") == {"a"}
        said_to_the_log_only(log, user("the pears are green"), external_id="b")
        memory.keep(turn(user("the plums are blue"), external_id="c"))
        assert found(memory, "pears plums") == {"b", "c"}


def test_policies_forgets_archives_and_erasures_that_only_the_log_knows_are_followed(home):
    with opened(home) as memory:
        memory.set_policies({"look": PLAIN})
        hidden = memory.keep(turn(user("first"), tool("apples"), reply("no fruit")))
        forgotten, erased = memory.keep(turn(user("pears"))), memory.keep(turn(user("plums")))
        seqs = {name: memory.find(name).seq for name in (hidden, forgotten, erased)}
    with only_the_log(home) as log:
        log.add_policy(HIDE)
        log.forget(seqs[forgotten])
        log.add_outcome("archived", f'{{"turns": [{seqs[hidden]}]}}')
        log.erase(Doomed((seqs[erased],)), "owner")
    with opened(home) as memory:
        assert computed_texts(memory, hidden) == ["first", "", "no fruit"]
        assert computed_texts(memory, forgotten) == [""]
        assert found(memory, "apples pears plums") == set()
        assert [document.turns for document in memory.documents()] == [(seqs[hidden],)]
        assert memory.counts()["turn"] == 3


class Stopped(BaseException):
    """What a killed process would see, if it saw anything."""


class StoppingRunner:
    """Cleans by upper case, and is stopped in the middle of its work after so many texts."""

    def __init__(self, texts):
        self.left = texts

    def clean(self, cleaner, text):
        if self.left == 0:
            raise Stopped
        self.left -= 1
        return Cleaned(text.upper())


@contextmanager
def deriver_on(home, runner, log_class=SqliteLog):
    with ExitStack() as stack:
        log = log_class(home / "log.db")
        stack.callback(log.close)
        derived = SqliteDerived(home / "derived.db")
        stack.callback(derived.close)
        yield Deriver(log, derived, NoEmbedder(), runner, Lease(home / "derive.lock")), log, derived


@pytest.mark.parametrize("texts", [0, 1, 33, 100])
def test_a_derivation_that_was_cut_off_anywhere_ends_as_if_it_had_not_been(home, texts):
    with deriver_on(home, StoppingRunner(texts)) as (deriver, log, derived):
        log.add_policy(PolicyRow(0, "tool", "look", "declared", "set", cleaner="ansi()"))
        for number in range(101):
            said_to_the_log_only(log, user(f"apple {number}"), tool(f"pear {number}"))
        with pytest.raises(Stopped):
            deriver.catch_up()
        assert sum(derived.pending().values()) > 0
    with deriver_on(home, StoppingRunner(1000)) as (deriver, log, derived):
        assert deriver.catch_up()
        assert derived.pending() == {}
        outputs = [row.text.text for row in derived.all_computed() if row.role == "tool"]
        assert outputs == [f"look\nPEAR {number}" for number in range(101)]
        assert len(derived.sizes(None)) == 202


def test_nobody_derives_while_another_holds_the_lease_and_what_waits_is_kept(home):
    with deriver_on(home, StoppingRunner(9)) as (deriver, log, derived):
        said_to_the_log_only(log, user("the apples are red"))
        with Lease(home / "derive.lock").held():
            assert deriver.catch_up(seconds=0.05) is False
            assert list(derived.all_computed()) == []
        assert deriver.catch_up() is True
        assert [row.text.text for row in derived.all_computed()] == ["the apples are red"]


def test_progress_is_told_what_is_done_and_what_is_left(home):
    told = []
    with deriver_on(home, StoppingRunner(9)) as (deriver, log, _):
        for number in range(100):
            said_to_the_log_only(log, user(f"apple {number}"))
        deriver.catch_up(progress=lambda done, left: told.append((done, left)))
    assert told[-1] == (200, 0)
    assert [sum(each) for each in told] == [200] * len(told)


def test_an_output_is_hidden_though_its_policy_arrived_while_another_began_to_derive(home):
    with deriver_on(home, StoppingRunner(9), SharedLog) as (deriver, log, derived), only_the_log(home) as other:

        def meanwhile():
            other.add_policy(HIDE)
            said_to_the_log_only(other, tool("the apples are hidden"))

        log.meanwhile = meanwhile
        assert deriver.catch_up()
        assert [(row.decision, row.text.text) for row in derived.all_computed()] == [("hidden", "")]


def test_a_flip_is_followed_though_it_arrived_while_another_began_to_derive(home):
    with deriver_on(home, StoppingRunner(9), SharedLog) as (deriver, log, derived), only_the_log(home) as other:
        said_to_the_log_only(log, tool("the apples are hidden"))
        deriver.catch_up()
        log.meanwhile = lambda: other.add_policy(HIDE)
        assert deriver.catch_up()
        assert deriver.catch_up()
        assert [row.decision for row in derived.all_computed()] == ["hidden"]


def test_a_turn_is_forgotten_though_it_was_asked_for_while_another_began_to_derive(home):
    with deriver_on(home, StoppingRunner(9), SharedLog) as (deriver, log, derived), only_the_log(home) as other:
        seq = said_to_the_log_only(log, user("the apples are mine"))
        deriver.catch_up()
        log.meanwhile = lambda: other.forget(seq)
        assert deriver.catch_up()
        assert deriver.catch_up()
        assert [row.decision for row in derived.all_computed()] == ["forgotten"]


def test_a_change_of_policy_derives_only_what_it_touches(home):
    with opened(home) as memory:
        memory.set_policies({"look": PLAIN, "other": PLAIN})
        kept = memory.keep(turn(user("one"), tool("two"), tool("three", name="other"), reply("four")))
        before = {row.segment: row for row in memory.computed(kept)}
        memory.set_policies({"look": cleaned("head(1)")})
        after = {row.segment: row for row in memory.computed(kept)}
    assert [segment for segment in before if before[segment] != after[segment]] == [sorted(before)[1]]
