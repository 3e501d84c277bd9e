"""Erasing: a turn is gone from every file of the home, and nothing that was hidden because of it comes back."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from homeagent.errors import HomeAgentError, NotFoundError
from homeagent.memory.store.records import Doomed
from homeagent.memory.store.sqlite import database
from homeagent.memory.store.sqlite.log import SqliteLog
from homeagent.memory.turn import Attachment
from tests.memory.worlds import (
    HIDDEN,
    PLAIN,
    LetterEmbedder,
    computed_texts,
    decisions,
    found,
    opened,
    raw_segments,
    reply,
    tool,
    turn,
    user,
)

KEY = "qx77zk93vv"
LINE = "gvkpt wrxmd hzqbf"
SECRET = f"{KEY} {LINE}"
WORDS = (KEY, *LINE.split())


def _bytes_of(path):
    """What a file holds; nothing when it is taken away at this moment."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def files_holding(home, *words):
    """Every file of the home that holds one of the words anywhere in its bytes."""
    return {
        path.name
        for path in home.rglob("*")
        if path.is_file()
        for word in words
        if any(word.encode(code) in _bytes_of(path) for code in ("utf-8", "utf-16-le"))
    }


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        memory.set_policies({"hide": HIDDEN, "plain": PLAIN})
        memory.keep(turn(user("hello"), external_id="stays"))
        yield memory


def keep_secret(memory, **more):
    """A turn that holds the secret in each of its parts."""
    attachment = Attachment("text/plain", SECRET.encode(), f"{KEY}.txt")
    page = f"{SECRET}\n" * 3000
    segments = (
        user(SECRET, attachments=(attachment,)),
        tool(page, "plain", arguments=f'{{"q": "{SECRET}"}}', call_id=KEY),
        tool(SECRET, "hide"),
        tool(f"\x1b[1m{SECRET}", "undeclared"),
        reply(f"It is {SECRET}"),
    )
    return memory.keep(turn(*segments, external_id=f"name-{KEY}", source=f"from-{KEY}", **more))


def test_no_file_of_the_home_holds_a_word_of_it(memory):
    kept = keep_secret(memory)
    memory.settle()
    memory.recall(SECRET)
    assert files_holding(memory.home.root, *WORDS) >= {"log.db-wal", "derived.db-wal"}
    memory.erase(kept)
    assert files_holding(memory.home.root, *WORDS) == set()
    assert memory.rebuild(verify=True).equal


def test_no_file_holds_a_word_of_it_after_flips_forgetting_archives_and_rebuilds_either(memory):
    kept = keep_secret(memory)
    memory.set_policies({"plain": HIDDEN})
    memory.set_policies({"plain": PLAIN, "hide": PLAIN})
    memory.archive()
    memory.forget(kept)
    memory.rebuild()
    memory.undo(kept)
    memory.settle()
    memory.erase(kept)
    assert files_holding(memory.home.root, *WORDS) == set()
    memory.rebuild()
    assert files_holding(memory.home.root, *WORDS) == set()
    assert memory.rebuild(verify=True).equal


def test_an_erased_turn_is_not_there_any_more_and_another_memory_knows_it(memory):
    kept = keep_secret(memory)
    with opened(memory.home.root) as other:
        assert found(other, LINE) >= {f"name-{KEY}"}
        memory.erase(kept)
        for each in (memory, other):
            assert f"name-{KEY}" not in found(each, LINE)
            with pytest.raises(NotFoundError):
                each.raw(kept)
            with pytest.raises(NotFoundError):
                each.erase(kept)
        assert [row.external_id for row in other.turns()] == ["stays"]


def test_the_tombstone_says_when_and_who_and_never_what(memory):
    kept = keep_secret(memory)
    memory.erase(kept, by="ann")
    with closing(sqlite3.connect(memory.home.log)) as connection:
        ((by, at),) = connection.execute("SELECT by, at_us FROM erasure").fetchall()
        assert (by, at > 1_600_000_000_000_000) == ("ann", True)
        for table in ("turn", "segment", "attachment", "blob", "closing"):
            erased = f"SELECT count(*) FROM {table} WHERE seq IN (SELECT seq FROM erased)"  # noqa: S608
            assert connection.execute(erased).fetchone() == (0,)


def test_the_digest_of_what_stays_is_what_it_was(memory):
    before = memory.digest()
    memory.erase(keep_secret(memory))
    assert memory.digest() == before


def test_a_blob_that_another_turn_holds_too_stays_with_it(memory):
    page, picture = "shared words\n" * 4000, Attachment("image/png", b"\x89PNG" * 9000, "a.png")
    said = user(page, attachments=(picture,))
    kept, gone = memory.keep(turn(said)), memory.keep(turn(said, user("only here")))
    memory.erase(gone)
    assert raw_segments(memory, kept) == [said]


def test_a_document_loses_the_turn_and_goes_with_its_last_one(memory):
    gone = keep_secret(memory)
    alone = memory.keep(turn(user("alone"), chat="other"))
    (first, second) = memory.archive()
    memory.erase(gone)
    memory.erase(alone)
    (left,) = memory.documents()
    assert set(left.turns) == set(first.turns) - set(second.turns) - {max(first.turns)}
    assert "hello" in memory.document_text(left.document)
    assert KEY not in memory.document_text(left.document)


# -- quotes of what was erased -------------------------------------------------------------------------------------


def copies(memory, *names):
    return {word for name in names for text in computed_texts(memory, name) for word in WORDS if word in text}


def test_what_replies_copied_from_an_erased_output_stays_out_for_good(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"hide": HIDDEN})
        gone = memory.keep(turn(user("look"), tool(SECRET, "hide"), reply(f"It is {SECRET}")))
        later = memory.keep(turn(reply(f"As I said, {LINE}, and {KEY}. But that is old."), external_id="a"))
        memory.erase(gone)
        assert copies(memory, later) == set()
        assert computed_texts(memory, later)[0].endswith("But that is old.")
        memory.set_policies({"hide": PLAIN})
        memory.rebuild()
        assert copies(memory, later) == set()
    with opened(tmp_path / "home") as memory:
        memory.rebuild()
        assert copies(memory, later) == set()
        assert found(memory, LINE) == set()
        assert found(memory, "old") == {"a"}
        assert LINE in raw_segments(memory, later)[0].text
        assert memory.rebuild(verify=True).equal


def test_erasing_a_plain_output_pins_nothing(memory):
    gone = memory.keep(turn(tool(SECRET, "plain")))
    later = memory.keep(turn(reply(f"It is {SECRET}")))
    memory.erase(gone)
    assert computed_texts(memory, later) == [f"It is {SECRET}"]


def test_erasing_what_the_user_wrote_leaves_what_a_rebuild_gives(memory):
    gone = memory.keep(turn(user(SECRET)))
    memory.keep(turn(tool(SECRET, "hide")))
    later = memory.keep(turn(reply(f"It is {SECRET}")))
    assert computed_texts(memory, later) == [f"It is {SECRET}"]
    memory.erase(gone)
    assert copies(memory, later) == set()
    assert memory.rebuild(verify=True).equal


def test_erasing_one_of_two_outputs_that_say_the_same_leaves_the_other_in_force(memory):
    gone, there = memory.keep(turn(tool(SECRET, "hide"))), memory.keep(turn(tool(SECRET, "hide")))
    later = memory.keep(turn(reply(f"It is {SECRET}")))
    memory.erase(gone)
    assert copies(memory, later) == set()
    memory.erase(there)
    assert copies(memory, later) == set()
    assert memory.rebuild(verify=True).equal


def test_a_reply_of_which_parts_stay_out_says_so(memory):
    gone = memory.keep(turn(tool(SECRET, "hide")))
    later = memory.keep(turn(reply(f"It is {SECRET}")))
    memory.erase(gone)
    assert [each for each, _ in decisions(memory, later)] == ["quote"]


def test_the_names_of_a_chat_and_its_people_go_with_its_last_turn(memory):
    gone = memory.keep(turn(user("hello"), chat=f"chat {KEY}", sender="gvkpt", members=("wrxmd",)))
    memory.erase(gone)
    assert files_holding(memory.home.root, *WORDS) == set()
    assert memory.rebuild(verify=True).equal


def test_a_turn_that_is_still_open_is_erased_whole(memory):
    turn_id = memory.begin(turn(user(SECRET)))
    memory.recall("anything")
    memory.erase(turn_id)
    assert files_holding(memory.home.root, *WORDS) == set()
    assert memory.rebuild(verify=True).equal


def test_what_an_open_turn_copied_from_an_erased_output_stays_out_for_good(memory):
    gone = memory.keep(turn(tool(SECRET, "hide")))
    turn_id = memory.begin(turn(user("look")))
    memory.append(turn_id, reply(f"It is {SECRET}"))
    memory.erase(gone)
    memory.close(turn_id)
    memory.rebuild()
    assert copies(memory, turn_id) == set()


def test_a_damaged_file_that_was_put_aside_keeps_no_word_of_it_either(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"hide": HIDDEN, "plain": PLAIN})
        kept = keep_secret(memory)
    with (tmp_path / "home" / "derived.db").open("r+b") as file:
        file.write(b"damaged " * 10)
    with opened(tmp_path / "home") as memory:
        memory.erase(kept)
    assert files_holding(tmp_path / "home", *WORDS) == set()


def test_erasing_an_open_turn_takes_its_words_back_from_what_replies_may_repeat(memory):
    open_turn = memory.begin(turn(user(SECRET)))
    memory.keep(turn(tool(SECRET, "hide")))
    later = memory.keep(turn(reply(f"It is {SECRET}")))
    memory.erase(open_turn)
    assert copies(memory, later) == set()
    assert memory.rebuild(verify=True).equal


def test_an_erasure_that_was_cut_off_after_its_commit_is_ended_by_the_next_process(memory):
    kept = keep_secret(memory)
    memory.settle()
    seq = memory.find(kept).seq
    memory.shutdown()
    log = SqliteLog(memory.home.log)
    log.erase(Doomed((seq,)), "owner")
    log.close()
    with opened(memory.home.root) as again:
        assert [row.external_id for row in again.turns()] == ["stays"]
        assert again.rebuild(verify=True).equal
    assert files_holding(memory.home.root, *WORDS) == set()


def test_an_erasure_that_a_reader_holds_up_says_that_something_remains(memory, monkeypatch):
    monkeypatch.setattr(database, "_CHECKPOINT_TRIES", 10)  # this reader stays for as long as it takes
    kept = keep_secret(memory)
    with opened(memory.home.root) as other, other._log._database.snapshot() as reading:
        reading.execute("SELECT count(*) FROM turn").fetchone()
        memory._log._database._writer.execute("PRAGMA busy_timeout = 50")
        try:
            memory.erase(kept)
        except HomeAgentError:
            return
        assert files_holding(memory.home.root, *WORDS) == set()
