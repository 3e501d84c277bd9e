"""Reading the measuring sets, and saying clearly what is not there."""

from __future__ import annotations

import gzip
import json

import pytest

from bench.data import Sets
from bench.errors import BenchError
from bench.turns import OBSERVER, asked_at, conversation_turns, pool_turns, viewer_in

PLAIN = {
    "id": "c",
    "lang": "en",
    "haystack": "",
    "units": [{"id": "u0", "session": "s", "speaker": "Ann", "text": "hi", "date": ""}],
    "queries": [{"id": "q", "text": "who?", "gold": ["u0"], "cat": "x", "answer": 5}],
}


def write(path, *lines) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def test_sets_and_pools_and_noise_are_told_apart_by_their_first_line(tmp_path) -> None:
    write(tmp_path / "locomo.jsonl.gz", PLAIN)
    write(tmp_path / "other.jsonl.gz", PLAIN)
    write(tmp_path / "pool.jsonl.gz", PLAIN["units"][0])
    write(tmp_path / "toolnoise_x.jsonl.gz", {"conv": "c", "lang": "en", "events": [], "queries": []})
    (tmp_path / "README.md").write_text("not a set", "utf-8")
    sets = Sets(tmp_path)
    assert (sets.conversations, sets.noise) == (("locomo", "other"), ("toolnoise_x",))
    assert sets.read("locomo")[0].queries[0].gold == ("u0",)
    assert sets.read_pool("pool")[0].speaker == "Ann"


def test_a_folder_that_is_not_there_is_a_clear_sentence_and_exit_code_two(bench, tmp_path) -> None:
    answer = bench("recall", "--data", tmp_path / "nowhere", "--json")
    assert answer.code == 2
    assert answer.out == ""
    assert "There is no folder" in answer.err
    assert "--data" in answer.err


def test_a_set_that_is_not_there_is_named_with_those_that_are(bench, smoke) -> None:
    answer = bench("recall", "--data", smoke, "--set", "locomo", "--json")
    assert (answer.code, answer.out) == (2, "")
    assert "no set 'locomo'" in answer.err
    assert "smoke" in answer.err


def test_a_folder_without_sets_is_a_clear_sentence(bench, tmp_path) -> None:
    answer = bench("noise", "--data", tmp_path)
    assert answer.code == 2
    assert "nothing to measure" in answer.err


def test_a_line_of_another_form_is_refused_with_its_file(tmp_path) -> None:
    write(tmp_path / "locomo.jsonl.gz", {**PLAIN, "units": [{"id": 5}]})
    with pytest.raises(BenchError, match=r"locomo\.jsonl\.gz holds a line that is no conversation"):
        Sets(tmp_path).read("locomo")


def test_each_unit_is_a_turn_of_its_speaker_in_the_chat_of_its_conversation(smoke) -> None:
    english, chinese = Sets(smoke).read("smoke")
    turn = conversation_turns(english)[2]
    assert (turn.sender, turn.source, turn.external_id, turn.place.chat) == ("Nora", "smoke:en", "s1:2", "smoke:en")
    assert (turn.members, turn.segments[0].role) == (("Nora", "Sam"), "user")
    assert turn.at is not None
    assert conversation_turns(chinese)[0].sender == "用户"


def test_an_assistant_speaks_in_the_assistants_role(smoke) -> None:
    sets = Sets(smoke)
    turns = pool_turns("smokepool", sets.read_pool("smokepool"), sets.read("smoke"))
    assert [turn.segments[0].role for turn in turns[:2]] == ["assistant", "user"]
    assert {"用户", "助手", OBSERVER} <= set(turns[0].members)


def test_a_user_asks_for_himself_and_about_two_people_the_observer_asks() -> None:
    assert viewer_in("c", ("助手", "用户")).person == "用户"
    assert viewer_in("c", ("Nora", "Sam")).person == OBSERVER
    assert OBSERVER in viewer_in("c", ("助手", "用户")).members


def test_a_question_is_asked_after_everything_was_said() -> None:
    assert asked_at(["March-15-2024", "March-17-2024"]) > asked_at(["March-17-2024", ""]).replace(minute=0)
    assert asked_at([""]) == asked_at([])
