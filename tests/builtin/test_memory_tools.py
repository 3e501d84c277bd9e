from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from homeagent.builtin.memory import PLUGIN
from homeagent_sdk import ExplainedSegment, Recollected, Recollection
from homeagent_sdk.testing import FakeHost, FakeMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent_sdk import ToolResult

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
