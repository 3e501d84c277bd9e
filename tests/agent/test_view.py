"""What of a chat is in view again after a restart, and that finding it does not read the whole home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.app import HomeMemory
from homeagent.memory import Memory, Place, Segment, Turn
from homeagent.memory.embed import NoEmbedder

if TYPE_CHECKING:
    from pathlib import Path

HERE, THERE = Place("cli", "main"), Place("cli", "other")


def turn(text: str, place: Place = HERE) -> Turn:
    return Turn(place, "owner", (Segment("user", text),))


def texts(memory: Memory, limit: int = 10, place: Place = HERE) -> list[str]:
    return [each.segments[0].text for each in HomeMemory(memory).in_view(place, limit)]


def test_the_newest_turns_of_the_chat_oldest_first(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=NoEmbedder()) as memory:
        for number in range(120):
            memory.keep(turn(f"here {number}"))
            memory.keep(turn(f"there {number}", THERE))
        memory.begin(turn("still open"))
        assert texts(memory, 3) == ["here 117", "here 118", "here 119"]
        assert len(texts(memory, 200)) == 120
        assert texts(memory, 1, THERE) == ["there 119"]
        assert texts(memory, 3, Place("cli", "nobody")) == []


def test_what_was_archived_or_forgotten_is_out_of_view_and_what_stayed_is_shown_again(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=NoEmbedder()) as memory:
        ids = [memory.keep(turn(f"here {number}")) for number in range(6)]
        memory.forget(ids[4])
        assert texts(memory) == ["here 0", "here 1", "here 2", "here 3", "here 5"]
        memory.commit_document("kept apart", [ids[3]])
        assert "here 3" in texts(memory), "a document made on purpose takes nothing out of view"
        memory.archive(ids[1:3])
        assert texts(memory) == ["here 0", "here 3", "here 5"]
        memory.undo(ids[4])
        assert texts(memory) == ["here 0", "here 3", "here 4", "here 5"]


def test_only_the_end_of_a_long_chat_is_read(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=NoEmbedder()) as memory:
        memory.keep_all([turn(f"here {number}") for number in range(400)])
        rows = memory.turns(HERE)
        newest = [next(rows) for _ in range(3)]
        assert [row.seq for row in newest] == sorted((row.seq for row in newest), reverse=True)
        assert len(list(rows)) == 397
