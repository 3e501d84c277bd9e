"""``homeagent ask``: what is said is kept, a question is answered from memory, and the answer does not feed itself."""

from __future__ import annotations

import pytest

from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder


def kept(home):
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        return [(row, [each.segment for each in memory.segments(row)]) for row in memory.turns()]


def test_the_first_start_says_what_to_do_and_the_second_does_not(homeagent):
    assert "This home is empty" in homeagent("ask", "My cat is called Bean.").err
    assert "This home is empty" not in homeagent("ask", "She is grey.").err


def test_a_statement_is_kept_and_acknowledged(homeagent, home):
    ran = homeagent("ask", "My cat", "is called Bean.", "--chat", "kitchen", "--person", "ana", "--json")
    assert ran.code == 0
    assert (ran.json["kind"], ran.json["reply"]) == ("statement", "Noted.")
    ((row, segments),) = kept(home)
    assert (row.turn_id, row.sender, row.place.channel, row.place.chat) == (ran.json["turn"], "ana", "cli", "kitchen")
    assert row.status == "done"
    assert row.at is not None
    assert [(each.role, each.text, each.no_memory) for each in segments] == [
        ("user", "My cat is called Bean.", False),
        ("assistant", "Noted.", True),
    ]


def test_a_question_is_answered_with_what_was_said_when_and_by_whom(homeagent, lines):
    homeagent("memory", "import", lines(("d1", "The cellar key hangs on the nail."), ("d2", "The ferry was late.")))
    ran = homeagent("ask", "Where is the cellar key?")
    assert ran.code == 0
    assert "The cellar key hangs on the nail." in ran.out
    assert "2026-05-05 10:00 owner cli/main import d1" in ran.out


def test_the_answer_cites_its_turns_and_is_not_memorised(homeagent, home, lines):
    homeagent("memory", "import", lines(("d1", "The cellar key hangs on the nail.")))
    for _ in range(12):
        ran = homeagent("ask", "Where is the cellar key?", "--json")
        assert ran.json["kind"] == "question"
        assert ran.json["hits"][0]["external_id"] == "d1"
        assert all("?" not in hit["text"] for hit in ran.json["hits"])
    _, segments = kept(home)[-1]
    assert segments[1].no_memory
    assert segments[1].cites == tuple(hit["turn"] for hit in ran.json["hits"])
    explained = homeagent("memory", "explain", ran.json["turn"], "--json").json
    assert explained["segments"][1]["decision"] == "hidden"


def test_what_was_never_said_is_not_known(homeagent, home):
    ran = homeagent("ask", "What is my blood type?")
    assert ran.out == "I know nothing about that.\n"
    assert len(kept(home)) == 1
    chinese = homeagent("ask", "我的血型是什么？", "--lang", "zh")
    assert chinese.out == "这件事我没有记录。\n"


def test_a_question_in_one_chat_does_not_hear_what_was_said_in_anothers(homeagent):
    homeagent("ask", "The locker code is 4417.", "--chat", "dm-ana", "--person", "ana")
    other = homeagent("ask", "What is the locker code?", "--chat", "dm-bo", "--person", "bo", "--json")
    assert other.json["hits"] == []
    own = homeagent("ask", "What is the locker code?", "--chat", "dm-ana", "--person", "ana", "--json")
    assert "4417" in own.json["reply"]


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_nothing_said_is_nothing_kept(homeagent, home, text):
    ran = homeagent("ask", text)
    assert ran.code == 1
    assert kept(home) == []


@pytest.mark.parametrize("text", ["a\x00b", "half \ud83d", "\x1b[31mred", "猫" * 5000])
def test_any_text_is_kept_as_it_is(homeagent, home, text):
    assert homeagent("ask", text).code == 0
    ((_, segments),) = kept(home)
    assert segments[0].text == text
