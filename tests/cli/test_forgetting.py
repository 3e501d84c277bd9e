"""``homeagent memory forget|undo|erase|secrets|share`` and ``people``: what they print, in JSON and to read."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CHINESE = "门锁的备用电池在鞋柜右格"
KEY = "sk-" + "abcdefghijklmnop1234"


def said(name, text, channel="cli", chat="main", person="owner", day="03"):
    at = f"2026-05-{day}T10:00:00+02:00"
    segments = [{"role": "user", "text": text}, {"role": "assistant", "text": "Noted."}]
    return {"id": name, "at": at, "channel": channel, "chat": chat, "person": person, "segments": segments}


@pytest.fixture
def filled(homeagent, lines):
    turns = (
        said("t1", CHINESE),
        said("t2", "My sister Ottoline lives in Bergen.", day="04"),
        said("t3", f"他说：{CHINESE}，对吗", chat="other", day="05"),
        said("t4", f"The token is {KEY} now", channel="wa", chat="g", person="ann", day="06"),
    )
    assert homeagent("memory", "import", lines(*turns)).code == 0
    return homeagent


def names(found):
    return [each["external_id"] for each in found]


def hits(homeagent, *words):
    return names(homeagent("memory", "search", *words, "--json").json["hits"])


def test_a_turn_is_not_shared_with_somebody_nobody_is(filled):
    refused = filled("memory", "share", "t2", "--with", "Annn", "--json")
    assert refused.code == 1
    assert "wa:ann" in refused.json["error"]["next_step"]
    assert filled("memory", "share", "t2", "--json").json["shares"] == []
    filled("people", "link", "wa", "ann", "Ann")
    assert filled("memory", "share", "t2", "--with", "Ann").code == 0


def test_a_link_to_a_new_name_says_that_it_is_new(filled):
    assert "Ann is somebody new" in filled("people", "link", "wa", "ann", "Ann").err
    assert "somebody new" not in filled("people", "link", "cli", "ann2", "Ann").err


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        (("t2",), ["t2"]),
        (("t1", "t2"), ["t1", "t2"]),
        (("--search", "lives in Bergen"), ["t2"]),
        (("--search", "鞋柜右格"), ["t1", "t3"]),
        (("--person", "wa:ann"), ["t4"]),
        (("--person", "ann"), ["t4"]),
        (("--from", "2026-05-04", "--to", "2026-05-05"), ["t2", "t3"]),
        (("--from", "2026-05-06"), ["t4"]),
    ],
)
def test_forget_hides_what_is_meant_and_undo_brings_it_back(filled, target, meant):
    ran = filled("memory", "forget", *target, "--json")
    assert (ran.code, names(ran.json["forgotten"])) == (0, meant)
    assert not set(meant) & set(hits(filled, "Bergen 鞋柜 token"))
    assert names(filled("memory", "undo", *target, "--json").json["restored"]) == meant
    assert set(meant) <= set(hits(filled, "Bergen 鞋柜 token"))


def test_a_fact_means_every_turn_that_says_it(filled):
    filled("memory", "search", "Bergen")
    facts = _facts(filled)
    assert names(filled("memory", "forget", "--fact", facts["Bergen"], "--json").json["forgotten"]) == ["t2"]
    assert hits(filled, "Bergen") == []
    assert names(filled("memory", "undo", "--fact", facts["Bergen"], "--json").json["restored"]) == ["t2"]
    ran = filled("memory", "erase", "--fact", facts["Bergen"], "--yes", "--prove", "--json")
    assert (names(ran.json["erased"]), ran.json["found"]) == (["t2"], 0)


def _facts(homeagent):
    from homeagent.memory import Memory
    from homeagent.memory.embed import NoEmbedder

    home = homeagent("memory", "stats", "--json").json["home"]
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        memory.distil()
        return {fact.value: fact.fact for fact in memory.graph.history()}


def test_erase_with_proof_gives_what_went_what_stays_and_what_was_scanned(filled):
    ran = filled("memory", "erase", "t1", "--yes", "--prove", "--json")
    assert (ran.code, names(ran.json["erased"]), ran.json["found"], ran.json["where"]) == (0, ["t1"], 0, [])
    assert [(each["kind"], each["external_id"]) for each in ran.json["survivors"]] == [("echo", "t3")]
    assert ran.json["scanned"]["files"] >= 4
    assert ran.json["scanned"]["bytes"] > 10_000
    assert "t1" not in hits(filled, "鞋柜")


def test_erase_on_a_pipe_refuses_without_yes_and_deletes_nothing(filled):
    ran = filled("memory", "erase", "t1", "--json")
    assert ran.code == 1
    assert "--yes" in ran.json["error"]["next_step"]
    assert "t1" in hits(filled, "鞋柜")


def at_a_terminal(answer, *words):
    """Run a command with a terminal of its own to ask at; return what it wrote there, and its result."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "homeagent", *words]
    with subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, text=True) as running:
        os.close(theirs)
        seen = b""
        while b"Type yes:" not in seen:
            seen += os.read(ours, 4096)
        os.write(ours, answer)
        out, _ = running.communicate(timeout=60)
    os.close(ours)
    return seen.decode(), out


@pytest.mark.parametrize(("answer", "left"), [(b"yes\n", False), (b"no\n", True), (b"\x04", True)])
def test_erase_asks_a_person_and_shows_what_would_go_and_stay(filled, answer, left):
    asked, out = at_a_terminal(answer, "memory", "erase", "t1", "--lang", "en")
    assert "To be erased for good:" in asked
    assert CHINESE in asked
    assert "quotes it: t3" in asked
    assert out.startswith("Nothing was erased." if left else "Erased: 1 turns (t1).")
    assert ("t1" in hits(filled, "鞋柜")) is left


def test_a_proof_that_finds_something_says_where_and_leaves_with_1(filled, home):
    (home / "waiting.json").write_text(f'["{CHINESE.encode("ascii", "backslashreplace").decode()}"]')
    filled("memory", "erase", "t3", "--yes")
    ran = filled("memory", "erase", "t1", "--yes", "--prove")
    assert ran.code == 1
    assert "still in waiting.json" in ran.out


@pytest.mark.parametrize("words", [(), ("t1", "--person", "ann"), ("--fact", "f0"), ("--from", "soon"), ("nothing",)])
def test_what_is_not_said_clearly_is_refused(filled, words):
    assert filled("memory", "erase", *words, "--yes", "--json").code == 1


def test_secrets_are_listed_masked_and_handed_out_masked_and_raw_stays(filled):
    ran = filled("memory", "secrets", "--json")
    assert [(each["external_id"], each["kind"], each["masked"]) for each in ran.json["secrets"]] == [
        ("t4", "api-key", "sk-a****")
    ]
    assert KEY not in filled("memory", "secrets").out
    found = filled("memory", "search", KEY, "token", "--json")
    assert found.json["hits"][0]["external_id"] == "t4"
    assert KEY not in found.out
    assert KEY in filled("memory", "show", "t4").out


def test_people_are_linked_listed_and_taken_back(filled):
    assert filled("people", "link", "wa", "ann", "Ann", "--json").json == {
        "channel": "wa", "sender": "ann", "person": "Ann"
    }  # fmt: skip
    assert [each["person"] for each in filled("people", "list", "--json").json["people"]] == ["Ann", "owner"]
    assert filled("people", "undo", "--json").json["person"] is None
    assert [each["person"] for each in filled("people", "list", "--json").json["people"]] == ["owner", "wa:ann"]
    assert filled("people", "unlink", "wa", "ann").code == 1
    filled("people", "link", "wa", "ann", "Ann")
    filled("people", "link", "wa", "ann", "Anna")
    assert filled("people", "undo", "--json").json["person"] == "Ann"


def test_undo_without_a_link_says_so(homeagent):
    assert homeagent("people", "undo", "--json").code == 1
    assert "nobody" in homeagent("people", "list").out.lower()


def test_a_shared_turn_is_shown_to_whom_it_was_shared_with_until_it_is_taken_back(filled):
    as_ann = ("Bergen", "--as", "ann", "--channel", "wa", "--chat", "private")
    in_chat = ("Bergen", "--as", "zoe", "--channel", "wa", "--chat", "x")
    assert (hits(filled, *as_ann), hits(filled, *in_chat)) == ([], [])
    assert filled("memory", "share", "t2", "--with", "wa:ann", "--json").json["shares"] == [{"person": "wa:ann"}]
    assert (hits(filled, *as_ann), hits(filled, *in_chat)) == (["t2"], [])
    filled("memory", "share", "t2", "--place", "wa/x")
    assert hits(filled, *in_chat) == ["t2"]
    filled("memory", "unshare", "t2", "--with", "wa:ann")
    assert (hits(filled, *as_ann), hits(filled, *in_chat)) == ([], ["t2"])
    assert filled("memory", "unshare", "t2", "--with", "wa:ann").code == 1
    assert filled("memory", "share", "t2", "--place", "nowhere").code == 1


@pytest.mark.parametrize(
    "words", [("memory", "forget", "t1"), ("memory", "erase", "t1", "--yes", "--prove"), ("people", "list"),
              ("memory", "secrets"), ("memory", "share", "t2"), ("people", "link", "wa", "ann", "Ann")]
)  # fmt: skip
def test_it_speaks_chinese(filled, words):
    ran = filled(*words, "--lang", "zh")
    assert ran.code == 0
    assert any("\u4e00" <= character <= "\u9fff" for character in ran.out)
