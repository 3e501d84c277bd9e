"""Making the computed half again: it comes out the same, a difference is found and named, and nobody has to wait."""

from __future__ import annotations

import threading

import pytest

from homeagent.errors import HomeAgentError
from homeagent.memory.door.runner import CleanerProcess
from homeagent.memory.embed.none import NoEmbedder
from homeagent.memory.lease import Lease
from homeagent.memory.rebuild import Rebuilder
from homeagent.memory.store.sqlite.derived import SqliteDerived
from homeagent.memory.store.sqlite.log import SqliteLog
from homeagent.memory.turn import Place, Segment, TurnId, Viewer
from tests.memory.worlds import (
    HIDDEN,
    PLAIN,
    LetterEmbedder,
    change,
    cleaned,
    computed_texts,
    found,
    opened,
    reply,
    tool,
    turn,
    user,
)

LONG = "\n".join(f"line {number} of a long page about gardens" for number in range(200))


def fill(memory):
    """Something in every table of the computed half, made the long way round."""
    memory.declare_policies({"clean": cleaned("json(content)"), "hide": HIDDEN}, returns_memory=["hide"])
    memory.set_policies({"flip": PLAIN})
    for number in range(3):
        memory.keep(
            turn(
                user(f"apples 苹果 {number}. My name is Ada."),
                tool("the secret number is\nKX93-77AB-Q1\nshortline", "hide", arguments='{"who": "Ben\\nAnn"}'),
                tool(LONG, "flip", arguments='{"page": 3}'),
                tool('{"content": "pears", "id": "a1b2c3d4e5"}', "clean"),
                tool("\x1b[1mplums\x1b[0m", "undeclared"),
                reply(f"KX93-77AB-Q1 as it says.\nMy own words {number}.\n> line 7 of a long page about gardens"),
                chat=f"chat {number % 2}",
                members=("ann", "ben")[: number + 1],
                external_id=str(number),
            )
        )
    memory.archive()
    memory.set_policies({"flip": HIDDEN})
    memory.set_policies({"flip": cleaned("head(100)")})
    memory.forget("1")
    memory.undo("1")
    memory.settle()


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """One live memory for the tests that leave it as it was."""
    with opened(tmp_path_factory.mktemp("rebuild") / "home", LetterEmbedder()) as memory:
        fill(memory)
        yield memory


def test_a_rebuild_equals_the_live_one_table_by_table(filled):
    before = filled.home.derived.stat()
    report = filled.rebuild(verify=True)
    assert report.differences == ()
    assert report.equal
    assert [table for table, rows in report.rows.items() if rows == 0] == []
    assert report.recomputed == report.rows["vector"]
    assert filled.home.derived.stat().st_ino == before.st_ino
    assert sorted(path.name for path in filled.home.root.glob("derived.*")) == [
        *("derived.db", "derived.db-shm", "derived.db-wal")
    ]


DAMAGE = {
    "computed": ["text = CAST('x' AS BLOB)", "reason = 'x'", "decision = 'quote'", "cuts = '[[0,1]]'", "spans = '[]'"],
    "chat": ["name = X'00'"],
    "audience": ["members = X'5B5D'"],
    "scope": ["audience = audience + 1"],
    "turn": ["sender = X'00'", "fingerprint = ''", "at_us = 1"],
    "passage": ["text = X'00'", "words = words + 1", "spans = '[]'", "kind = 'output'"],
    "terms": ["words = 'x'", "audience = 'c1'"],
    "embedded": ["text = X'00'"],
    "vector": ["data = X'0000003C00000000000000000000003C'"],
    "copied_run": ["context = context + 1"],
    "copied_unit": ["unit = unit + 1"],
    "document": ["outcome = outcome + 1"],
    "document_turn": ["turn = turn + 1"],
    "document_part": ["text = X'00'"],
    "document_term": ["amount = amount + 1"],
    "fact": ["value = X'00'", "confidence = 0.1", "evidence_spans = '[]'"],
    "mention": ["name = X'00'"],
}
KEY = {
    "vector": "text_key",
    "embedded": "text_key",
    "copied_run": "gram",
    "copied_unit": "unit",
    "document_part": "document",
    "document_term": "term",
    "fact": "source",
    "mention": "source",
}


def where(table):
    column = KEY.get(table, "document" if table == "document_turn" else "rowid")
    return f"{column} = (SELECT min({column}) FROM {table})"  # noqa: S608


@pytest.mark.parametrize(
    ("table", "damage"), [(table, each) for table, changes in DAMAGE.items() for each in (*changes, "gone")]
)
def test_one_wrong_row_is_found_and_its_table_named(filled, table, damage):
    path = filled.home.derived
    sql = f"DELETE FROM {table}" if damage == "gone" else f"UPDATE {table} SET {damage}"  # noqa: S608
    change(path, f"{sql} WHERE {where(table)}")
    report = filled.rebuild(verify=True)
    assert not report.equal
    assert any(each.startswith(f"{table}, row ") for each in report.differences)
    change(path, "DELETE FROM vector")  # a rebuild takes over the vectors that are there
    filled.rebuild()
    assert filled.rebuild(verify=True).equal


def test_a_row_too_many_is_found_and_its_table_named(filled):
    change(filled.home.derived, "INSERT INTO chat VALUES (1, X'00', X'00')")
    assert [each.split(",")[0] for each in filled.rebuild(verify=True).differences] == ["chat"]
    filled.rebuild()
    assert filled.rebuild(verify=True).equal


def test_a_rebuild_mends_a_wrong_vector_too(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        memory.keep(turn(user("the apples are red")))
        memory.settle()
        change(memory.home.derived, f"UPDATE vector SET {DAMAGE['vector'][0]}")  # noqa: S608
        assert not memory.rebuild(verify=True).equal
        memory.rebuild()
        assert memory.rebuild(verify=True).equal


def test_a_damaged_full_text_index_is_found(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("the apples are red"), external_id="a"))
        assert found(memory, "apples") == {"a"}
        change(memory.home.derived, "DELETE FROM terms_data WHERE id > 10")
        try:
            equal = memory.rebuild(verify=True).equal
        except HomeAgentError:
            equal = False
        assert not equal


def test_messages_about_a_difference_show_no_text_of_it(filled):
    change(filled.home.derived, "UPDATE computed SET text = CAST('very private words' AS BLOB) WHERE role = 'user'")
    (first, *_) = filled.rebuild(verify=True).differences
    assert "private" not in first
    filled.rebuild()


def test_a_rebuild_gives_the_same_ids_to_passages_and_documents(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        fill(memory)
        derived = memory._derived
        before = derived.passages_of([row.seq for row in memory.turns()]), memory.documents(), derived.documents()
        memory.rebuild()
        assert (derived.passages_of([row.seq for row in memory.turns()]), memory.documents(), derived.documents()) == (
            before
        )


def test_an_empty_home_can_be_rebuilt_and_compared(tmp_path):
    with opened(tmp_path / "home") as memory:
        assert memory.rebuild(verify=True).equal
        assert set(memory.rebuild().rows.values()) == {0}


def test_turns_that_are_open_stay_open_through_a_rebuild(tmp_path):
    with opened(tmp_path / "home") as memory:
        turn_id = memory.begin(turn(user("apples"), external_id="a"))
        memory.rebuild()
        memory.append(turn_id, reply("pears"))
        assert memory.rebuild(verify=True).equal
        memory.close(turn_id)
        assert found(memory, "pears") == {"a"}
        assert memory.rebuild(verify=True).equal


def test_another_memory_on_the_home_reads_and_keeps_while_one_rebuilds(tmp_path):
    with opened(tmp_path / "home") as memory, opened(tmp_path / "home") as other:
        memory.keep_all([turn(user(f"apple {number}"), external_id=str(number)) for number in range(130)])
        seen = []

        def meanwhile(step, done, left):
            if len(seen) == 4:
                return  # each turn more is one more to derive
            other.keep(turn(user(f"pear {len(seen)}"), external_id=f"pear {len(seen)}"))
            seen.append((found(other, "pear", limit=500), found(other, "apple", limit=500)))

        memory.rebuild(progress=meanwhile)
        assert len(seen) == 4
        for number, (pears, apples) in enumerate(seen):
            assert {f"pear {each}" for each in range(number + 1)} <= pears
            assert {str(each) for each in range(130)} <= apples
        assert {f"pear {each}" for each in range(len(seen))} <= found(memory, "pear", limit=500)
        assert memory.rebuild(verify=True).equal
        other.keep(turn(user("plums"), external_id="plums"))
        assert "plums" in found(memory, "plums")


def test_who_is_reading_when_a_rebuild_ends_reads_on(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        memory.keep_all([turn(user(f"apple {number}")) for number in range(30)])
        memory.settle()
        reading = memory._derived.vectors("letters-1", None)
        rows = [next(reading)]
        memory.rebuild()
        assert len([*rows, *reading]) == 30


@pytest.mark.parametrize("meanwhile", ["rebuild", "forget"])
def test_a_question_is_answered_though_another_thread_changes_the_memory_meanwhile(tmp_path, meanwhile):
    embedder = LetterEmbedder()
    with opened(tmp_path / "home", embedder) as memory:
        memory.keep_all([turn(user(f"apple {number}"), external_id=str(number)) for number in range(30)])
        memory.settle()

        def forget():
            memory.forget("7")
            memory.recall("apple")

        embedder.asked = memory.rebuild if meanwhile == "rebuild" else forget
        assert len(found(memory, "apple", limit=100)) >= 29


def test_another_memory_finds_what_is_kept_after_a_rebuild(tmp_path):
    with opened(tmp_path / "home") as memory, opened(tmp_path / "home") as other:
        memory.set_policies({"look": PLAIN})
        memory.keep(turn(user("hello"), tool("apples")))
        for policy in (HIDDEN, PLAIN) * 3:
            memory.set_policies({"look": policy})
        other.recall("apples")
        memory.rebuild()
        memory.keep(turn(user("the pears are ripe"), external_id="pears"))
        assert found(other, "pears") == {"pears"}


def test_two_rebuilds_at_once_wait_for_each_other_or_one_is_refused_in_words(tmp_path):
    with opened(tmp_path / "home") as memory, opened(tmp_path / "home") as other:
        memory.keep_all([turn(user(f"apple {number}"), external_id=str(number)) for number in range(130)])
        begun, ended = threading.Event(), threading.Event()

        def meanwhile(step, done, left):
            if step == "text" and done and not begun.is_set():
                begun.set()
                ended.wait(3)

        def rebuild_too():
            begun.wait(10)
            try:
                other.rebuild()
            except HomeAgentError as error:
                assert "damaged" not in str(error)
            ended.set()

        thread = threading.Thread(target=rebuild_too)
        thread.start()
        memory.rebuild(progress=meanwhile)
        thread.join()
        assert memory.rebuild(verify=True).equal
        assert len(found(memory, "apple", limit=200)) == 130


def test_visibility_is_the_same_after_a_rebuild(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("apples for us"), chat="group", members=("ann", "ben"), sender="ann", external_id="us"))
        memory.keep(turn(user("apples for me"), chat="ann", sender="ann", external_id="me"))
        viewers = [Viewer(name, Place("cli", f"{name} alone")) for name in ("ann", "ben", "guest")]
        before = [found(memory, "apples", viewer=viewer) for viewer in viewers]
        memory.rebuild()
        assert [found(memory, "apples", viewer=viewer) for viewer in viewers] == before
        assert before == [{"us", "me"}, {"us"}, set()]


def test_a_segment_is_computed_alike_however_it_came_in(tmp_path):
    segments = (user("hello"), tool("the secret is KX93-77AB-Q1"), reply("So: KX93-77AB-Q1"), Segment("system", "x"))
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": HIDDEN})
        whole = memory.keep(turn(*segments))
        pieces = memory.begin(turn(chat="other"))
        for segment in segments:
            memory.append(pieces, segment)
            memory.recall("anything")
        memory.close(pieces)
        assert computed_texts(memory, pieces) == computed_texts(memory, whole) == ["hello", "", "So: ", "x"]
        assert memory.rebuild(verify=True).equal


class BusyLog(SqliteLog):
    """A log to which another process adds a turn before its new lines are read for the ``due``-th time from now."""

    due = 0

    def entries(self, after, limit):
        self.due -= 1
        if self.due == 0:
            with self.transaction():
                self.close_turn(self.open_turn(turn(user("one more")), TurnId("t-more"), ""), "done")
        return super().entries(after, limit)


class TellingLease(Lease):
    """A lease that tells when it is asked for."""

    def __init__(self, path, told):
        super().__init__(path)
        self._told = told

    def held(self, seconds=60.0):
        self._told()
        return super().held(seconds)


@pytest.mark.parametrize("due", [1, 2, 3])
def test_a_comparison_is_fair_to_what_another_process_keeps_meanwhile(tmp_path, due):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("apples")))
        memory.distil()
    log, derived, cleaners = BusyLog(memory.home.log), SqliteDerived(memory.home.derived), CleanerProcess()
    told = []

    def count_from_here():
        if not told:
            log.due = due
        told.append(1)

    lease = TellingLease(memory.home.lease, count_from_here)
    report = Rebuilder(log, derived, NoEmbedder(), cleaners, lease).verify()
    for each in (log, derived, cleaners):
        each.close()
    assert report.differences == ()
