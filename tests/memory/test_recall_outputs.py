"""Finding what only a tool read: its output is weighed by itself, not by the words of the turn around it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from homeagent.memory import Memory, Place, Segment, Turn, Viewer
from homeagent.memory.embed import NoEmbedder
from homeagent_sdk import MemoryPolicy

CHAT = Place("test", "flat")
MEMBERS = ("ada", "bert", "user")
START = datetime(2025, 3, 3, 9, tzinfo=UTC)
LOG = "\n".join(f"{n}: the lift stopped at floor {n % 9} and went on after a while" for n in range(60))


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as opened:
        opened.declare_policies({"files_read": MemoryPolicy()})
        yield opened


def kept(memory, *turns):
    for place, (name, sender, *segments) in enumerate(turns):
        memory.keep(
            Turn(
                CHAT, sender, tuple(segments), at=START + timedelta(minutes=place), members=MEMBERS, external_id=name,
                source="test",
            )
        )  # fmt: skip
    memory.settle()


def found(memory, question):
    viewer = Viewer("user", CHAT, MEMBERS)
    return [hit.external_id for hit in memory.recall(question, viewer=viewer, at=START + timedelta(days=1)).hits]


def small_talk():
    return [
        (f"talk{n}", sender, Segment("user", words))
        for n, (sender, words) in enumerate(
            [
                ("ada", "Good morning, the kitchen is all yours."),
                ("bert", "I am off to the market now."),
                ("ada", "I liked it last summer."),
                ("bert", "I climbed none of them."),
            ]
        )
    ]


def test_a_file_that_names_the_person_comes_before_turns_of_the_person_that_say_less(memory):
    read = (
        "read", "user", Segment("user", "Can you look into that file? What does it say?"),
        Segment("tool", "Notes of the club\nAda: last summer I climbed a mountain, the Matterhorn", tool="files_read"),
        Segment("assistant", "I looked at it."),
    )  # fmt: skip
    kept(memory, *small_talk(), read)
    assert found(memory, "Which mountain has Ada climbed last summer?")[0] == "read"


def test_an_output_of_a_persons_turn_does_not_count_as_his_word(memory):
    web = Segment("tool", "Rivers of the north: the boat crossed the river and the river froze", tool="files_read")
    read = ("read", "ada", Segment("user", "Read that to me."), web, Segment("assistant", "Done."))
    kept(memory, *small_talk(), read, ("said", "ada", Segment("user", "I crossed one last year, by boat.")))
    assert found(memory, "Which river did Ada cross by boat?")[0] == "said"


def test_a_long_output_is_found_beside_many_short_turns(memory):
    log = Segment("tool", LOG.replace("stopped at floor 3", "trapped Mr Quill at floor 3", 1), tool="files_read")
    chatter = [(f"lift{n}", "bert", Segment("user", f"The stairs are steep, day {n}.")) for n in range(60)]
    read = ("read", "user", Segment("user", "Read the log."), log, Segment("assistant", "Done."))
    kept(memory, *chatter, ("quill", "bert", Segment("user", "I was trapped in the lift.")), read)
    assert found(memory, "Where was Quill trapped in the lift?")[0] == "read"
