"""The proof of an erasure: it finds what is left, in whatever form, and does not find what others say."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
import zstandard

from homeagent.memory.erasing.proof import prove
from homeagent.memory.erasing.targets import Target
from homeagent.memory.erasing.traces import Traces
from homeagent.memory.store.sqlite.file_values import stored_terms
from homeagent.memory.store.sqlite.fts_pages import page_terms
from homeagent.memory.turn import Attachment
from tests.memory.worlds import HIDDEN, LetterEmbedder, opened, reply, tool, turn, user

CHINESE = "门锁的备用电池在鞋柜右格，暗号是龙潭虎穴。"
ENGLISH = "The vault combination was changed to zqvault7719 by Ottoline."


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        memory.keep(turn(user("hello there, the segment of this turn is plain text"), external_id="stays"))
        yield memory


def erased(memory, *segments, **more):
    kept = memory.keep(turn(*segments, **more))
    memory.settle()
    return memory.forgetting.erase(memory.forgetting.chosen(Target((kept,))), prove=True)


@pytest.mark.parametrize("text", [CHINESE, ENGLISH, f"{CHINESE}\n{ENGLISH}\n" * 900, "繁體字的測試：開門密碼"])
def test_nothing_is_found_of_an_erased_text(memory, text):
    done = erased(memory, user(text), tool(text, arguments=json.dumps({"q": text})), reply(text))
    assert (done.proof.found, done.proof.where) == (0, ())
    assert done.proof.files >= 4
    assert done.proof.size > 10_000


def test_the_name_of_who_erased_it_is_no_find_even_when_nothing_else_is_left(memory):
    words = "I remember: the gate is green (owner cli/main), says the retention of beryl"
    kept = memory.keep(turn(user(words)))
    memory.settle()
    done = memory.forgetting.erase(memory.forgetting.chosen(Target((kept,))), by="beryl", prove=True)
    assert (done.proof.found, list(done.proof.where)) == (0, [])


def test_the_day_of_other_turns_and_of_what_the_program_wrote_is_no_find(memory, tmp_path):
    day = datetime(2026, 5, 3, 9, 30, tzinfo=UTC)
    text = "This was said on 2026-05-03 by owner"
    tokens = tmp_path / "home" / "tokens.json"
    tokens.write_text(json.dumps({"made": day.isoformat()}), "utf-8")
    memory.keep(turn(user("The ferry was late."), external_id="same-day", at=day))
    done = erased(memory, user(text))
    assert (done.proof.found, list(done.proof.where)) == (0, [])
    tokens.write_text(text, "utf-8")
    assert erased(memory, user(text)).proof.where == ("tokens.json",)


def test_what_other_turns_say_too_is_a_survivor_and_no_find(memory):
    memory.keep(turn(user(CHINESE), external_id="twin"))
    memory.keep(turn(user(f"Somebody wrote: {ENGLISH}"), chat="other", external_id="echo"))
    done = erased(memory, user(CHINESE), reply(ENGLISH))
    assert done.proof.found == 0
    assert {(each.kind, each.external_id) for each in done.survivors} == {("twin", "twin"), ("echo", "echo")}


def test_what_another_turn_says_too_is_a_find_unless_it_is_listed_as_a_survivor(memory):
    memory.keep(
        turn(user("The oven was bought by Ottoline, the vault combination was changed to zqvault7719"), chat="o")
    )
    chosen = memory.forgetting.chosen(Target((memory.keep(turn(user(ENGLISH))),)))
    traces, left = Traces.of(memory._log, memory._derived, chosen), memory.forgetting.survivors(chosen)
    memory.forgetting.erase(chosen)
    assert len(left) == 1
    assert prove(traces, memory.home.root, memory._log, memory._derived, left).found == 0
    assert prove(traces, memory.home.root, memory._log, memory._derived, ()).found > 0


def test_a_turn_that_cites_the_erased_one_is_an_echo(memory):
    kept = memory.keep(turn(user(ENGLISH)))
    memory.keep(turn(tool("one hit", cites=(kept,)), external_id="cites"))
    done = memory.forgetting.erase(memory.forgetting.chosen(Target((kept,))), prove=True)
    assert [(each.kind, each.external_id, each.why) for each in done.survivors] == [("echo", "cites", "cites it")]


def traced(memory, text):
    """The traces of a turn that is erased before they are looked for."""
    kept = memory.keep(turn(user(text)))
    memory.settle()
    chosen = memory.forgetting.chosen(Target((kept,)))
    traces = Traces.of(memory._log, memory._derived, chosen)
    memory.forgetting.erase(chosen)
    return traces


WRITINGS = {
    "utf-8": lambda text: text.encode(),
    "utf-16": lambda text: text.encode("utf-16-le"),
    "json": lambda text: json.dumps({"text": text}).encode(),
    "a part of it": lambda text: text[3:].encode(),
}


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("text", [CHINESE, ENGLISH])
def test_a_file_that_still_holds_it_is_found_in_any_writing(memory, writing, text):
    traces = traced(memory, text)
    (memory.home.root / "left.bin").write_bytes(b"\x00\xff" * 99 + WRITINGS[writing](text))
    found = prove(traces, memory.home.root, memory._log, memory._derived)
    assert found.where == ("left.bin",)
    assert found.found > 0


def test_a_compressed_row_that_still_holds_it_is_found(memory):
    traces = traced(memory, CHINESE)
    with closing(sqlite3.connect(memory.home.root / "old.db")) as connection:
        connection.execute("CREATE TABLE blob (data BLOB)")
        packed = zstandard.ZstdCompressor().compress((CHINESE * 50).encode())
        connection.execute("INSERT INTO blob VALUES (?)", (packed,))
        connection.commit()
    found = prove(traces, memory.home.root, memory._log, memory._derived)
    assert "old.db blob.data" in found.where


@pytest.mark.parametrize("text", [CHINESE, ENGLISH])
def test_index_terms_that_stay_behind_are_found_though_no_row_holds_the_text(memory, text):
    kept = memory.keep(turn(user(text)))
    memory.settle()
    chosen = memory.forgetting.chosen(Target((kept,)))
    traces = Traces.of(memory._log, memory._derived, chosen)
    (row,) = memory._derived.passages_of([chosen.turns[0].seq])
    with closing(sqlite3.connect(memory.home.derived)) as connection:
        terms = connection.execute("SELECT * FROM terms WHERE rowid = ?", (row.passage,)).fetchone()
        memory.forgetting.erase(chosen)
        connection.execute("INSERT INTO terms VALUES (?, ?, ?, ?, ?, ?)", terms)
        connection.execute("DELETE FROM terms_content")  # the index alone is left
        connection.commit()
    found = prove(traces, memory.home.root, memory._log, memory._derived)
    assert any("index term" in place for place in found.where)


def test_the_terms_of_a_page_are_those_that_the_index_lists(memory):
    words = [f"{CHINESE} {ENGLISH} word{number} 编号{number}" for number in range(300)]
    memory.keep_all([turn(user(text)) for text in words])
    memory.settle()
    memory._derived.compact()
    data = memory.home.derived.read_bytes()
    with closing(sqlite3.connect(memory.home.derived)) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.now USING fts5vocab(main, 'terms', row)")
        listed = {term for (term,) in connection.execute("SELECT term FROM temp.now")}
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    pages = [data[at : at + size] for at in range(0, len(data), size)]
    assert {term for page in pages for term in page_terms(page)} == listed
    assert {"word299", "编号", "鞋柜"} <= listed
    assert stored_terms(memory.home.derived) == listed


def test_an_attachment_and_a_hidden_output_leave_nothing_either(memory):
    memory.set_policies({"hide": HIDDEN})
    attached = Attachment("text/plain", (ENGLISH * 3000).encode(), "zqname.txt")
    done = erased(memory, user("see", attachments=(attached,)), tool(CHINESE * 3000, "hide"))
    assert (done.proof.found, done.proof.where) == (0, ())


def test_a_file_of_the_owner_that_says_it_too_is_named_and_not_counted(memory):
    (memory.home.root / "about.md").write_text(f"My secret: {ENGLISH}")
    done = erased(memory, user(ENGLISH))
    assert (done.proof.found, done.proof.own_files) == (0, ("about.md",))


def test_facts_documents_and_titles_leave_nothing_and_a_title_that_says_it_is_a_survivor(memory):
    other = memory.keep(turn(user("The boiler is new.")))
    kept = memory.keep(turn(user("My sister Ottoline Zqwick lives in Zqbergen.")))
    memory.commit_document("My sister Ottoline Zqwick lives in Zqbergen.", [other, kept])
    memory.archive()
    memory.settle()
    assert any(fact.value == "Zqbergen" for fact in memory.graph.history())
    done = memory.forgetting.erase(memory.forgetting.chosen(Target((kept,))), prove=True)
    assert (done.proof.found, done.proof.where) == (0, ())
    assert [(each.kind, each.turn) for each in done.survivors] == [("echo", "")]
    assert not any(fact.value == "Zqbergen" for fact in memory.graph.history())


def test_a_fact_that_was_written_on_purpose_is_erased_with_what_it_says(memory):
    fact = memory.graph.commit_fact("Zqwick", "lives_in", "Zqbergen")
    memory.settle()
    done = memory.forgetting.erase(memory.forgetting.chosen(Target(fact=fact)), prove=True)
    assert (done.writes, done.proof.found, done.proof.where) == (1, 0, ())
    assert memory.graph.history() == []
    assert memory.rebuild(verify=True).equal


def test_a_fact_that_was_written_on_purpose_is_forgotten_and_comes_back(memory):
    fact = memory.graph.commit_fact("Zqwick", "lives_in", "Zqbergen")
    for _ in range(2):
        assert [each.value for each in memory.graph.facts()] == ["Zqbergen"]
        assert memory.forgetting.forget(Target(fact=fact)).writes
        memory.distil()
        assert memory.graph.facts() == []
        assert len(memory.forgetting.undo(Target(fact=fact)).writes) == 1
        memory.distil()
    assert memory.rebuild(verify=True).equal


def test_another_process_that_has_the_home_open_keeps_it_out_of_its_answers(memory):
    kept = memory.keep(turn(user(CHINESE), external_id="gone"))
    memory.settle()
    with opened(memory.home.root, LetterEmbedder()) as other:
        assert {hit.external_id for hit in other.recall("备用电池在哪").hits} >= {"gone"}
        done = memory.forgetting.erase(memory.forgetting.chosen(Target((kept,))), prove=True)
        assert done.proof.found == 0
        assert "gone" not in {hit.external_id for hit in other.recall("备用电池在哪").hits}
        assert kept not in {each.turn for hit in other.recall("hello").hits for each in hit.neighbours}
