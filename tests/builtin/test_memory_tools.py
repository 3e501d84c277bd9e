from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from homeagent.builtin.memory import PLUGIN
from homeagent.builtin.people import PLUGIN as PEOPLE
from homeagent_sdk import Evidence, ExplainedSegment, KnownDocument, KnownFact, Recollected, Recollection
from homeagent_sdk.testing import FakeDocuments, FakeFacts, FakeHost, FakeMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent_sdk import Plugin, ToolResult

NOON = datetime(2026, 5, 1, 12, 30, tzinfo=timezone(timedelta(hours=8)))
NEW = Recollected("t2", "大麦茶，不喝咖啡了", NOON, "owner", "cli", "main", ("words", "meaning"))
OLD = Recollected("t1", "I like coffee\nvery much", None, "", "", "", (), superseded=True)


class KnowingMemory(FakeMemory):
    """A memory that can explain one turn and remembers when it was asked about."""

    moments: Sequence[datetime | None] = ()

    async def recall(self, question: str, *, limit: int = 5, at: datetime | None = None) -> Recollection:
        self.moments = (*self.moments, at)
        return await super().recall(question, limit=limit, at=at)

    async def explain(self, turn: str) -> Sequence[ExplainedSegment]:
        if turn != "t1":
            return await super().explain(turn)
        return [
            ExplainedSegment(0, "user", "", "computed", "", 12, 12),
            ExplainedSegment(1, "tool", "cmd_run", "left out", "no_memory", 1234, 0),
        ]


def called(tool: str, found: Recollection | None = None, **arguments: object) -> tuple[ToolResult, KnowingMemory]:
    async def call() -> tuple[ToolResult, KnowingMemory]:
        memory = KnowingMemory(found)
        async with FakeHost(PLUGIN, memory=memory) as host:
            return await host.call(tool, **arguments), memory

    return asyncio.run(call())


def test_a_recollection_reads_as_dated_passages_with_their_sources() -> None:
    result, _ = called("memory_recall", Recollection((NEW, OLD), nothing=False, pending=2), question="茶")
    assert result.text == (
        "2 passages remembered, the best first:\n\n"
        "1. 2026-05-01 12:30 (Fri), cli/main, owner [found by words, meaning; turn t2]\n"
        "   大麦茶，不喝咖啡了\n\n"
        "2. date unknown [superseded: another passage has a newer value; turn t1]\n"
        "   I like coffee\n   very much\n\n"
        "(2 of the newest turns can't be searched fully yet.)"
    )
    assert result.cites == ("t2", "t1")


def test_when_nothing_is_known_that_is_said() -> None:
    result, _ = called("memory_recall", Recollection(), question="茶")
    assert result.text == "Nothing about this is remembered."
    assert (result.cites, result.error) == ((), False)


def test_passages_that_answer_nothing_are_shown_as_such_and_cited() -> None:
    result, _ = called("memory_recall", Recollection((NEW,), nothing=True), question="port?")
    assert result.text.startswith("Nothing remembered answers this.")
    assert result.cites == ("t2",)


def test_the_moment_of_asking_has_a_zone() -> None:
    _, memory = called("memory_recall", question="昨天", at="2026-05-01T10:00")
    _, with_zone = called("memory_recall", question="昨天", at="2026-05-01T10:00+00:00")
    assert [moment.tzinfo is not None for moment in memory.moments if moment] == [True]
    assert with_zone.moments == (datetime(2026, 5, 1, 10, tzinfo=UTC),)


@pytest.mark.parametrize(
    "arguments", [{"question": " "}, {"question": "x", "limit": 0}, {"question": "x", "limit": 51}]
)
def test_a_question_that_is_none_is_refused(arguments: dict[str, Any]) -> None:
    assert called("memory_recall", **arguments)[0].error


def test_a_note_is_kept_and_answered_with_a_short_receipt_that_cites_it() -> None:
    result, memory = called("memory_note", text="妈妈的生日是五月三日")
    assert memory.notes == ["妈妈的生日是五月三日"]
    assert (result.text, result.cites) == ("Noted (note-1).", ("note-1",))


def test_an_empty_note_is_refused() -> None:
    result, memory = called("memory_note", text=" \n")
    assert result.error
    assert memory.notes == []


def test_an_explanation_says_what_of_each_part_can_be_found_and_why() -> None:
    result, _ = called("memory_explain", turn=" t1 ")
    assert result.text == (
        "Turn t1:\n"
        "0. user: computed; 12 of 12 characters can be found\n"
        "1. tool cmd_run: left out (no_memory); 0 of 1,234 characters can be found"
    )
    assert result.cites == ("t1",)


def test_an_unknown_turn_is_an_error_with_its_name() -> None:
    result, _ = called("memory_explain", turn="t9")
    assert result.error
    assert "'t9'" in result.text


def test_a_long_turn_is_read_in_pieces() -> None:
    long = replace(NEW, text="x" * 5_000)
    first, _ = called("memory_read", Recollection((long,)), turn="t2")
    assert first.text.startswith("Turn t2, characters 0 to 4000 of 5000; go on with start=4000:\n")
    rest, _ = called("memory_read", Recollection((long,)), turn="t2", start=4_000)
    assert rest.text == "Turn t2, characters 4000 to 5000 of 5000:\n" + "x" * 1_000
    assert rest.cites == ("t2",)
    assert called("memory_read", Recollection((long,)), turn="t2", start=5_001)[0].error
    assert called("memory_read", Recollection((long,)), turn="t9")[0].error


# -- documents and facts ----------------------------------------------------------------------------------------------

DOCUMENT = KnownDocument(
    "d1", "", ("t1", "t2"), "cli", "main", NOON, NOON + timedelta(days=2), ("我们修了锅炉。",), ("锅炉",), ("诺瓦克",)
)
FACT = KnownFact(
    "f1",
    "e1",
    "Ada",
    "lives_in",
    "Graz",
    "",
    "over",
    0.9,
    NOON,
    NOON,
    (Evidence("t1", "Ada lives in Graz.", "owner", NOON),),
)
NEWER = replace(FACT, fact="f2", value="Malmö", state="holds", until=None, said=())


def done(plugin: Plugin, tool: str, **arguments: object) -> tuple[ToolResult, FakeMemory]:
    async def call() -> tuple[ToolResult, FakeMemory]:
        memory = FakeMemory()
        memory.facts = FakeFacts([FACT, NEWER])
        memory.documents = FakeDocuments([DOCUMENT], {"d1": "[2026-05-01] whole text"})
        async with FakeHost(plugin, memory=memory) as host:
            return await host.call(tool, **arguments), memory

    return asyncio.run(call())


def test_documents_are_listed_in_short_and_cited() -> None:
    result, _ = done(PLUGIN, "doc_query", question="锅炉")
    assert result.text == (
        "d1: 2 turns, 2026-05-01 to 2026-05-03, cli/main\n   我们修了锅炉。\n   tags: 锅炉\n   names: 诺瓦克\n   turns: t1 t2"
    )
    assert result.cites == ("t1", "t2")


def test_a_document_is_handed_out_whole() -> None:
    result, _ = done(PLUGIN, "doc_query", document="d1")
    assert result.text.endswith("\n\n[2026-05-01] whole text")
    assert (result.receipt, result.cites) == ("", ("t1", "t2"))
    assert done(PLUGIN, "doc_query", document="d9")[0].error


def test_what_is_known_of_a_person_has_ids_words_and_bounds() -> None:
    result, _ = done(PEOPLE, "person_query", person="Ada")
    assert result.text == (
        "Ada (e1):\n- lives_in: Malmö [since 2026-05-01; confidence 0.90; f2]\n"
        "(1 that no longer hold; history=true shows them.)"
    )
    result, _ = done(PEOPLE, "person_query", person="Ada", history=True)
    assert "- lives_in: Graz [over; since 2026-05-01; until 2026-05-01; confidence 0.90; f1]" in result.text
    assert '    "Ada lives in Graz." (owner, 2026-05-01)' in result.text
    assert result.cites == ("t1",)
    assert done(PEOPLE, "person_query", person="Bo")[0].text.startswith("Nothing is known of 'Bo'.")


@pytest.mark.parametrize(
    ("plugin", "tool", "arguments", "wanted"),
    [
        (PLUGIN, "memory_commit", {"subject": "me", "relation": "likes", "value": " tea "}, ("commit", "me", "likes", "tea")),
        (PLUGIN, "memory_edit", {"fact": "f1"}, ("edit", "f1", None)),
        (PLUGIN, "memory_edit", {"fact": "f1", "value": "Oslo"}, ("edit", "f1", "Oslo")),
        (PLUGIN, "memory_merge", {"into": "Ada", "other": "Addy"}, ("merge", "Ada", "Addy")),
        (PLUGIN, "memory_merge", {"undo": 7}, ("unmerge", 7)),
        (PLUGIN, "memory_purge", {"fact": "f1"}, ("forget", "f1")),
        (PLUGIN, "memory_purge", {"fact": "f1", "undo": True}, ("restore", "f1")),
        (PLUGIN, "memory_purge", {"fact": "f1", "hard": True}, ("erase", "f1")),
        (PEOPLE, "person_set_trait", {"person": "Ada", "trait": "age", "value": "30"}, ("commit", "Ada", "age", "30")),
        (PEOPLE, "person_relate", {"person": "me", "relation": "sister", "other": "Ada"}, ("commit", "me", "sister", "Ada")),
    ],
)  # fmt: skip
def test_a_write_is_one_and_says_how_to_take_it_back(
    plugin: Plugin, tool: str, arguments: dict[str, object], wanted: tuple[object, ...]
) -> None:
    result, memory = done(plugin, tool, **arguments)
    assert not result.error
    assert memory.facts.writes == [wanted]


def test_turns_are_forgotten_and_brought_back() -> None:
    result, memory = done(PLUGIN, "memory_forget", turns=["t1", " t1", "t2"])
    assert memory.forgotten == ["t1", "t2"]
    assert "undo=true" in result.text
    assert done(PLUGIN, "memory_forget", turns=["t1"], undo=True)[0].text == "Brought back: t1."


@pytest.mark.parametrize(
    ("plugin", "tool", "arguments"),
    [
        (PLUGIN, "doc_query", {}),
        (PLUGIN, "doc_query", {"question": "x", "limit": 99}),
        (PLUGIN, "doc_commit", {"title": " ", "turns": ["t1"]}),
        (PLUGIN, "doc_commit", {"title": "x", "turns": [" "]}),
        (PLUGIN, "memory_commit", {"subject": "me", "relation": "likes", "value": " "}),
        (PLUGIN, "memory_edit", {"fact": " "}),
        (PLUGIN, "memory_merge", {"into": "Ada"}),
        (PLUGIN, "memory_forget", {"turns": []}),
        (PLUGIN, "memory_purge", {"fact": ""}),
        (PLUGIN, "memory_purge", {"fact": "f1", "hard": True, "undo": True}),
        (PEOPLE, "person_query", {"person": ""}),
        (PEOPLE, "person_relate", {"person": "me", "relation": "sister", "other": ""}),
    ],
)
def test_what_can_not_be_done_is_refused_and_nothing_is_written(
    plugin: Plugin, tool: str, arguments: dict[str, object]
) -> None:
    result, memory = done(plugin, tool, **arguments)
    assert result.error
    assert '"hint"' in result.text
    assert (memory.facts.writes, memory.forgotten, memory.documents.commits) == ([], [], [])
