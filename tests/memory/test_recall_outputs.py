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


PAGE = "\n".join(
    f"Paragraph {n} tells of the weather and of ships that came and went for no reason." for n in range(40)
)


def read_file(name, text):
    asked = Segment("user", "Read that file.")
    return (name, "user", asked, Segment("tool", text, tool="files_read"), Segment("assistant", "Done."))


def test_a_hit_shows_what_stands_around_the_line_that_matched(memory):
    page = PAGE.replace("Paragraph 20 tells of the weather", "Paragraph 20 tells of the walrus of Whitby")
    kept(memory, *small_talk(), read_file("read", page))
    viewer = Viewer("user", CHAT, MEMBERS)
    hit = memory.recall("Where is the walrus?", viewer=viewer, at=START + timedelta(days=1)).hits[0]
    assert hit.external_id == "read"
    assert page[slice(*hit.span)].strip().startswith("Paragraph 20")
    assert hit.text in page
    assert len(hit.text) <= 600
    assert "Paragraph 19" in hit.text
    assert "Paragraph 21" in hit.text


def test_an_output_of_one_segment_is_not_shown_with_another_one(memory):
    two = [
        Segment("tool", text, tool="files_read") for text in ("The walrus lives in Whitby.", "Bread is baked at six.")
    ]
    kept(memory, ("read", "user", Segment("user", "Read both."), *two, Segment("assistant", "Done.")))
    hit = memory.recall("Where does the walrus live?", viewer=None, at=START + timedelta(days=1)).hits[0]
    assert hit.text == "files_read\nThe walrus lives in Whitby."


def test_the_askers_own_word_in_an_exported_chat_counts_like_his_turn(memory):
    export = "Ada: my boat is called Otter.\nuser: my boat is called Heron.\nBert: my boat is called Swan.\n"
    kept(memory, *small_talk(), read_file("read", export), ("said", "user", Segment("user", "I like trains.")))
    viewer = Viewer("user", CHAT, MEMBERS)
    hit = memory.recall("What is my boat called?", viewer=viewer, at=START + timedelta(days=1)).hits[0]
    assert hit.external_id == "read"
    assert export[slice(*hit.span)].startswith("user:")


def test_outputs_do_not_change_how_rare_or_long_what_people_say_is(memory, tmp_path):
    log = "\n".join(f"I climbed it on day {n}, last summer, they said." for n in range(200))
    with Memory.open(tmp_path / "other", embedder=NoEmbedder()) as other:
        other.declare_policies({"files_read": MemoryPolicy()})
        found = []
        for each, text in ((memory, log), (other, "I climbed it last summer.")):
            kept(each, *small_talk(), read_file("read", text))
            viewer = Viewer("user", CHAT, MEMBERS)
            evidence = each.study.evidence("Who climbed one last summer?", viewer=viewer, at=START + timedelta(days=1))
            found.append((evidence.columns["words"].average, evidence.columns["words"].idf))
    assert found[0] == found[1]


def test_a_log_full_of_what_is_asked_for_leaves_room_for_what_was_said(memory):
    log = "\n".join(f"{n}: lift stopped, lift went on after it stopped on its way to floor {n}." for n in range(900))
    kept(memory, ("said", "bert", Segment("user", "The lift stopped.")), *[read_file(f"l{n}", log) for n in range(2)])
    asked = {"viewer": Viewer("user", CHAT, MEMBERS), "at": START + timedelta(days=1)}
    evidence = memory.study.evidence("Which lift stopped on its way?", **asked)
    assert len(evidence.ids) < 400
    assert memory.find("said", source="test").seq in {outline.seq for outline in evidence.outlines}
