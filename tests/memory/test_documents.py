"""Documents: turns of one matter together, in short and whole, and never anything that was hidden."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from homeagent.errors import InputError, NotFoundError
from homeagent.memory.documents.features import features
from homeagent.memory.documents.grouping import LARGEST, SMALLEST, grouped
from homeagent.memory.documents.topics import topic_of
from homeagent.memory.turn import Place, Viewer
from tests.memory.worlds import HIDDEN, compute_text, opened, reply, tables_holding, tool, turn, user

START = datetime.fromisoformat("2026-05-04T10:00:00+08:00")
GARDEN = [
    "the tomatoes need water",
    "tomatoes want sun and water",
    "plant the tomatoes in May",
    "water the garden tomatoes",
]
TAXES = ["the tax form is due", "file the tax form online", "the tax office wants the form", "pay the tax by Friday"]


def topics(texts, minutes=5, start=0):
    return [
        topic_of(start + at, (start + at) * minutes * 60_000_000, [compute_text(text)], None)
        for at, text in enumerate(texts)
    ]


def groups(found):
    return [[topic.seq for topic in group] for group in grouped(found)]


def test_a_change_of_matter_begins_another_document():
    assert groups(topics([*GARDEN, *TAXES])) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_a_night_between_begins_another_document():
    found = [
        *topics(GARDEN),
        *(topic_of(each.seq + 100, (each.moment or 0) + 9 * 3_600_000_000, [], None) for each in topics(GARDEN)),
    ]
    assert groups(found) == [[0, 1, 2, 3], [100, 101, 102, 103]]


def test_a_lone_good_morning_joins_what_was_said_the_day_before():
    found = [*topics(GARDEN[:2]), topic_of(9, 22 * 3_600_000_000, [compute_text("good morning")], None)]
    assert groups(found) == [[0, 1, 9]]


@pytest.mark.parametrize("count", [1, 2, 3, 29, 30, 31, 64, 100])
def test_sizes_are_bounded_and_no_turn_is_lost_or_doubled(count):
    found = groups(topics([GARDEN[at % 4] for at in range(count)]))
    assert [seq for group in found for seq in group] == list(range(count))
    assert all(len(group) <= LARGEST for group in found)
    assert all(len(group) >= min(SMALLEST, count) for group in found)


def said(text, minutes=0, **more):
    return turn(user(text), at=START + timedelta(minutes=minutes), **more)


def test_archived_turns_come_back_with_summary_tags_and_entities_and_whole_text(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep_all([said(text, at) for at, text in enumerate([*GARDEN, "Odalys Brandt sells tomatoes"])])
        (row,) = memory.archive()
        memory.distil()
        document = memory.document(row.document)
        assert not document.pending
        assert "tomatoes" in document.tags
        assert document.entities == ("Odalys Brandt",)
        assert set(document.summary) <= {*GARDEN, "Odalys Brandt sells tomatoes"}
        assert [line.split(": ", 1)[1] for line in memory.document_text(row.document).splitlines() if ": " in line] == [
            *GARDEN,
            "Odalys Brandt sells tomatoes",
        ]
        assert memory.rebuild(verify=True).equal


def test_later_turns_of_the_same_matter_go_on_with_the_last_document(tmp_path):
    with opened(tmp_path / "home") as memory:
        first = [memory.keep(said(text, at)) for at, text in enumerate(GARDEN)]
        (row,) = memory.archive(turns=first)
        more = memory.keep(said("more water for the tomatoes", 6))
        (grown,) = memory.archive(turns=[more])
        assert (grown.document, len(grown.turns)) == (row.document, 5)
        later = memory.keep(said("the tax form came", 60 * 24 * 30))
        (other,) = memory.archive(turns=[later])
        assert other.document != row.document
        memory.settle()
        before = memory.documents()
        memory.rebuild()
        assert memory.documents() == before == memory._derived.documents()
        assert memory.rebuild(verify=True).equal


def test_only_the_turns_that_were_named_are_archived(tmp_path):
    with opened(tmp_path / "home") as memory:
        one, two = memory.keep(said("apples")), memory.keep(said("pears", 1))
        assert [row.turns for row in memory.archive(turns=[one])] == [(memory.find(one).seq,)]
        assert memory.archive(turns=[one]) == []
        assert memory.find(two).seq in {seq for row in memory.archive() for seq in row.turns}


def test_what_a_policy_hides_is_in_the_text_of_a_document_and_in_nothing_computed_of_it(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": HIDDEN})
        memory.keep(turn(user("what is in the cellar"), tool("quincemarker99 jars"), reply("Some jars."), at=START))
        (row,) = memory.archive()
        memory.settle()
        assert "quincemarker99" in memory.document_text(row.document)
        assert tables_holding(memory.home.derived, "quincemarker99") == []


def test_features_follow_a_policy_a_forget_and_an_erasure(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(tool("the walnutmarker is heavy and old"), at=START))
        other = memory.keep(said("the hazelmarker is light", 1))
        (row,) = memory.archive()
        memory.settle()
        assert "document_part" in tables_holding(memory.home.derived, "hazelmarker")
        memory.set_policies({"look": HIDDEN})
        assert "document_part" not in tables_holding(memory.home.derived, "walnutmarker")
        memory.forget(other)
        assert tables_holding(memory.home.derived, "hazelmarker") == []
        memory.undo(other)
        memory.settle()
        assert "document_part" in tables_holding(memory.home.derived, "hazelmarker")
        memory.erase(other)
        memory.settle()
        assert tables_holding(memory.home.derived, "hazelmarker") == []
        assert [len(each.turns) for each in memory.documents()] == [1]
        assert memory.documents()[0].document == row.document
        assert memory.rebuild(verify=True).equal


def test_a_document_is_found_by_what_it_is_about_and_stays(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep_all([said(text, at) for at, text in enumerate(GARDEN)])
        memory.keep_all([said(text, at + 60 * 24 * 20) for at, text in enumerate(TAXES)])
        memory.archive()
        memory.settle()
        (first, *_) = memory.find_documents("tax form")
        assert "tax" in " ".join(first.summary)
        assert len(memory.documents()) == 2


def test_a_document_is_shown_only_to_those_who_may_see_all_of_it(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(said("the tax form is due", chat="ann", sender="ann"))
        memory.archive()
        memory.settle()
        ann, ben = (Viewer(name, Place("cli", name)) for name in ("ann", "ben"))
        assert len(memory.find_documents("tax form", viewer=ann)) == 1
        assert memory.find_documents("tax form", viewer=ben) == []


def test_a_document_can_be_made_of_chosen_turns_and_goes_with_its_first(tmp_path):
    with opened(tmp_path / "home") as memory:
        one, two = memory.keep(said("beech")), memory.keep(said("larch", 1))
        row = memory.commit_document("Trees of ours", [two, one])
        memory.settle()
        assert memory.document(row.document).title == "Trees of ours"
        assert memory.document(row.document).turns == (one, two)
        assert [each.document for each in memory.find_documents("trees of ours")] == [row.document]
        assert memory.rebuild(verify=True).equal
        memory.erase(one)
        assert memory.documents() == []
        assert tables_holding(memory.home.derived, "Trees of ours") == []
        assert memory.rebuild(verify=True).equal
        with pytest.raises(NotFoundError):
            memory.document(row.document)
        with pytest.raises(InputError):
            memory.commit_document("Nothing", [])


def test_a_summary_is_made_of_whole_sentences_that_say_different_things():
    texts = [compute_text("The tax form is due. The tax form is due soon. The cat sleeps on the tax form. Ok.")]
    summary = [text.text for text in features(texts, []).summary]
    assert "Ok." not in summary
    assert all(text.endswith(".") for text in summary)
    assert len(set(summary)) == len(summary)


def test_nothing_said_gives_no_summary():
    made = features([], [])
    assert (made.summary, made.terms, made.entities) == ((), (), ())
