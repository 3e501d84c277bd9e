"""Looking after a home: backups by rule, restoring, retention, migrations that copy first, what takes the room."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from homeagent.errors import HomeError, InputError, StoreError
from homeagent.memory.erasing.targets import Target
from homeagent.memory.store.sqlite.database import Database, Schema
from homeagent.memory.store.sqlite.log_schema import LOG_SCHEMA
from homeagent.memory.turn import Place
from homeagent.memory.upkeep.backups import BackupRule
from homeagent.memory.upkeep.chores import do_chores, wait_a_day
from homeagent.memory.upkeep.restoring import restore
from homeagent.paths import Home
from tests.memory.test_erase import LINE, WORDS, files_holding, keep_secret
from tests.memory.worlds import (
    HIDDEN,
    PLAIN,
    LetterEmbedder,
    computed_texts,
    found,
    opened,
    raw_segments,
    reply,
    tool,
    turn,
    user,
)


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.at = datetime(2026, 5, 3, 12, tzinfo=UTC)

    def __call__(self):
        return self.at

    def pass_(self, **amount):
        self.at += timedelta(**amount)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    with opened(tmp_path / "home", LetterEmbedder(), clock) as memory:
        memory.set_policies({"hide": HIDDEN, "plain": PLAIN})
        yield memory


# -- backups ---------------------------------------------------------------------------------------------------------


def test_a_backup_is_made_when_it_is_due_and_the_newest_are_kept(memory, clock):
    assert do_chores(memory).backup is None
    memory.backups.set_rule(BackupRule(24, 2))
    names = []
    for _ in range(4):
        names.append(do_chores(memory).backup.name)
        assert do_chores(memory).backup is None
        clock.pass_(hours=25)
    assert [path.name for path in memory.backups.made()] == names[-2:]
    assert {stat.S_IMODE(path.stat().st_mode) for path in memory.backups.made()} == {0o600}
    assert stat.S_IMODE(memory.home.backups.stat().st_mode) == 0o700
    memory.backups.set_rule(None)
    assert do_chores(memory).backup is None


@pytest.mark.parametrize("rule", [BackupRule(0, 1), BackupRule(-1, 3), BackupRule(24, 0), BackupRule(float("nan"), 1)])
def test_a_rule_that_makes_no_sense_is_refused(memory, rule):
    with pytest.raises(InputError):
        memory.backups.set_rule(rule)


def test_a_rule_file_that_somebody_broke_is_no_rule(memory):
    (memory.home.root / "backups.json").write_text("[1")
    assert memory.backups.rule is None


def test_an_erasure_reaches_the_backups_in_the_home_and_those_before_a_migration(memory):
    kept = keep_secret(memory)
    memory.backups.set_rule(BackupRule(1, 3))
    memory.backups.make_due()
    memory.backup(memory.home.root / "log.v1.db")
    assert {
        path.name for path in memory.home.root.rglob("log*.db") if path.name in files_holding(memory.home.root, *WORDS)
    }
    done = memory.forgetting.erase(memory.forgetting.chosen(Target((kept,))), prove=True)
    assert (done.copies, done.proof.found) == (2, 0)
    assert files_holding(memory.home.root, *WORDS) == set()
    with closing(sqlite3.connect(memory.backups.made()[0])) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_copy_that_can_not_be_erased_from_stops_the_erasure_before_it_begins(memory):
    kept = keep_secret(memory)
    (memory.home.root / "log.v1.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(StoreError, match=r"log\.v1\.db"):
        memory.erase(kept)
    assert found(memory, LINE) >= {f"name-{WORDS[0]}"}


# -- restoring -------------------------------------------------------------------------------------------------------


def test_a_backup_comes_back_whole_and_what_was_here_is_kept(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("apples are red"), external_id="a"))
        memory.backup(tmp_path / "copy.db")
        digest = memory.digest()
        memory.keep(turn(user("pears are green"), external_id="b"))
    with pytest.raises(HomeError, match="--yes"):
        restore(Home(tmp_path / "home"), tmp_path / "copy.db", replace=False)
    done = restore(Home(tmp_path / "home"), tmp_path / "copy.db", replace=True)
    assert (done.turns, done.erased) == (1, 0)
    assert stat.S_IMODE(done.aside.stat().st_mode) == 0o600
    with opened(tmp_path / "home") as memory:
        assert memory.digest() == digest
        assert (found(memory, "apples"), found(memory, "pears")) == ({"a"}, set())
        assert memory.rebuild(verify=True).equal
    done = restore(Home(tmp_path / "home"), done.aside, replace=True)
    with opened(tmp_path / "home") as memory:
        assert found(memory, "pears") == {"b"}


def test_a_backup_fills_an_empty_home_without_asking(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("apples are red"), external_id="a"))
        memory.backup(tmp_path / "copy.db")
    assert restore(Home(tmp_path / "new"), tmp_path / "copy.db", replace=False).aside is None
    with opened(tmp_path / "new") as memory:
        assert found(memory, "apples") == {"a"}


def test_what_was_erased_since_the_backup_does_not_come_back(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("apples are red"), external_id="a"))
        kept = keep_secret(memory)
        memory.backup(tmp_path / "copy.db")
        memory.erase(kept)
    assert restore(Home(tmp_path / "home"), tmp_path / "copy.db", replace=True).erased == 1
    with opened(tmp_path / "home") as memory:
        assert [row.external_id for row in memory.turns()] == ["a"]
        assert files_holding(tmp_path / "home", *WORDS) == set()


@pytest.mark.parametrize("inside", [True, False], ids=["a copy in the home", "a backup elsewhere"])
def test_what_an_erasure_keeps_out_of_a_reply_stays_out_after_a_restore(tmp_path, inside):
    quoted = "the cellar is locked with 4417 turns"
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": HIDDEN})
        source = memory.keep(turn(tool(quoted)))
        later = memory.keep(turn(reply(f"I see: {quoted}"), external_id="later"))
        copy = memory.home.root / "log.v1.db" if inside else tmp_path / "copy.db"
        memory.backup(copy)
        memory.erase(source)
        left_out = computed_texts(memory, later)
        assert "4417" not in left_out[0]
    restore(Home(tmp_path / "home"), copy, replace=True)
    with opened(tmp_path / "home") as memory:
        assert [row.external_id for row in memory.turns()] == ["later"]
        assert computed_texts(memory, later) == left_out
        assert memory.rebuild(verify=True).equal


def test_a_rebuild_is_the_same_after_a_turn_was_shared_in_several_ways(tmp_path):
    with opened(tmp_path / "home") as memory:
        for name in ("a", "b"):
            memory.keep(turn(user("apples are red"), external_id=name))
        row = memory.find("a")
        memory.sharing.share(row, place=Place("tg", "group"))
        memory.sharing.share(row, person="tg:bob")
        memory.settle()
        assert memory.rebuild(verify=True).equal
        memory.sharing.unshare(row, place=Place("tg", "group"))
        memory.settle()
        assert memory.rebuild(verify=True).equal


def test_turns_of_another_home_at_the_same_place_are_not_erased_by_a_restore(tmp_path):
    for name, text in (("home", "secret words here"), ("other", "apples are red")):
        with opened(tmp_path / name) as memory:
            kept = memory.keep(turn(user(text), external_id=name))
            if name == "other":
                memory.backup(tmp_path / "copy.db")
            else:
                memory.erase(kept)
                memory.keep(turn(user("pears")))
    assert restore(Home(tmp_path / "home"), tmp_path / "copy.db", replace=True).erased == 0
    with opened(tmp_path / "home") as memory:
        assert found(memory, "apples") == {"other"}


def test_an_open_home_and_a_file_that_is_no_backup_are_refused_and_nothing_changes(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("apples are red"), external_id="a"))
        memory.backup(tmp_path / "copy.db")
        with pytest.raises(StoreError, match="open in another process"):
            restore(Home(tmp_path / "home"), tmp_path / "copy.db", replace=True)
    (tmp_path / "text.db").write_text("no database " * 500)
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as connection:
        connection.execute("CREATE TABLE notes (text)")
    half = tmp_path / "half.db"
    half.write_bytes((tmp_path / "copy.db").read_bytes()[: os.path.getsize(tmp_path / "copy.db") // 2])  # noqa: PTH202
    for name in ("text.db", "foreign.db", "half.db", "missing.db"):
        with pytest.raises((StoreError, HomeError)):
            restore(Home(tmp_path / "home"), tmp_path / name, replace=True)
    with opened(tmp_path / "home") as memory:
        assert found(memory, "apples") == {"a"}


# -- retention -------------------------------------------------------------------------------------------------------


def test_only_hidden_outputs_whose_time_is_over_are_erased_and_their_turns_stay(memory, clock):
    kept = memory.keep(
        turn(user("look"), tool(LINE, "hide"), tool("plain words", "plain"), reply(f"It is {LINE}."), at=clock())
    )
    young = memory.keep(turn(user("again"), tool(f"other {LINE}", "hide"), at=clock() + timedelta(days=20)))
    assert memory.retention.run() == []
    memory.retention.erase_after(30)
    clock.pass_(days=29)
    assert memory.retention.due() == []
    clock.pass_(days=2)
    assert [(each.turn, each.tool, each.size) for each in memory.retention.due()] == [(kept, "hide", len(LINE))]
    before = computed_texts(memory, kept)
    wait_a_day(memory)
    assert do_chores(memory).erased == ()
    os.utime(memory.home.root / "retention.ran", (0, 0))
    assert [each.turn for each in do_chores(memory).erased] == [kept]
    assert do_chores(memory).erased == ()
    assert [each.role for each in raw_segments(memory, kept)] == ["user", "tool", "assistant"]
    assert [text for text in before if text] == [text for text in computed_texts(memory, kept) if text]
    assert LINE not in "".join(computed_texts(memory, kept))
    assert len(raw_segments(memory, young)) == 2
    assert memory.rebuild(verify=True).equal
    memory.set_policies({"hide": PLAIN})
    assert LINE not in "".join(computed_texts(memory, kept))
    with closing(sqlite3.connect(memory.home.log)) as connection:
        assert connection.execute("SELECT by FROM erasure").fetchall() == [("retention",)]


def test_a_hidden_output_that_is_erased_leaves_no_word(memory, clock):
    memory.keep(turn(user("look"), tool(" ".join(WORDS), "hide", arguments='{"q": "x"}'), at=clock()))
    memory.retention.erase_after(1)
    clock.pass_(days=2)
    memory.retention.run()
    assert files_holding(memory.home.root, *WORDS) == set()


def test_an_output_that_is_erased_goes_from_copies_and_another_copy_loses_nothing(memory, clock, tmp_path):
    memory.keep(turn(user("look"), tool(" ".join(WORDS), "hide"), at=clock()))
    memory.backups.set_rule(BackupRule(1, 3))
    memory.backups.make_due()
    other = memory.home.root / "log.before-1.db"
    with opened(tmp_path / "other") as another:  # the same seqs, other rows
        another.set_policies({"hide": HIDDEN, "plain": PLAIN})
        another.keep(turn(user("look"), tool("plums", "hide"), at=clock()))
        another.backup(other)
    memory.retention.erase_after(1)
    clock.pass_(days=2)
    assert len(memory.retention.run()) == 1
    assert files_holding(memory.home.root, *WORDS) == set()
    assert files_holding(memory.home.root, "plums") == {"log.before-1.db"}


@pytest.mark.parametrize("days", [0, -1, 10**9])
def test_days_that_make_no_sense_are_refused(memory, days):
    with pytest.raises(InputError):
        memory.retention.erase_after(days)


def test_keep_takes_the_rule_back(memory):
    memory.retention.erase_after(3)
    assert memory.retention.days == 3
    memory.retention.keep()
    assert memory.retention.days is None


def test_the_room_is_counted_by_layer_and_by_tool(memory):
    memory.keep(turn(user("four"), tool("x" * 70_000, "plain", arguments="{}"), reply("reply")))
    memory.settle()
    room = memory.retention.room()
    assert room["tools"] == {"plain": 70_002, "(assistant)": 5, "(user)": 4}
    assert room["log"]["segments"] > 0
    assert {"compute text", "index", "vectors"} <= set(room["derived"])


# -- migrations ------------------------------------------------------------------------------------------------------


def first_version(path):
    """A log as version 1 wrote it."""
    Database(path, Schema("log", LOG_SCHEMA.application_id, LOG_SCHEMA.steps[:1], "FULL")).close()


def version(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def test_the_log_is_copied_before_it_is_migrated(tmp_path):
    path = tmp_path / "log.db"
    first_version(path)
    Database(path, LOG_SCHEMA).close()
    assert (version(path), version(tmp_path / "log.v1.db")) == (2, 1)
    assert stat.S_IMODE((tmp_path / "log.v1.db").stat().st_mode) == 0o600
    with closing(sqlite3.connect(tmp_path / "log.v1.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path):
    def broken(connection):
        connection.execute("CREATE TABLE half (a)")
        raise sqlite3.OperationalError("no more")

    path = tmp_path / "log.db"
    first_version(path)
    with pytest.raises(StoreError, match="no more"):
        Database(path, Schema("log", LOG_SCHEMA.application_id, (*LOG_SCHEMA.steps[:1], broken), "FULL"))
    assert version(path) == 1
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema WHERE name = 'half'").fetchone() is None
    Database(path, LOG_SCHEMA).close()
    assert version(path) == 2


def test_a_computed_half_of_an_older_version_is_made_again_and_not_migrated(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("apples are red"), external_id="a"))
        now = version(memory.home.derived)
    with closing(sqlite3.connect(tmp_path / "home" / "derived.db")) as connection:
        connection.execute(f"PRAGMA user_version = {now - 1}")
        connection.execute("DROP TABLE mention")
    with opened(tmp_path / "home") as memory:
        assert version(memory.home.derived) == now
        assert found(memory, "apples") == {"a"}
        assert memory.rebuild(verify=True).equal
    assert list((tmp_path / "home").glob("*.v*.db")) == []
