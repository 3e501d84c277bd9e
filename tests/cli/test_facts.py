"""``homeagent memory facts|commit|edit|merge|unmerge|purge|documents|document``: in JSON and to read."""

from __future__ import annotations

import pytest


def said(name, text, day="03", chat="main", person="owner", channel="cli", role="user", **more):
    at = f"2026-05-{day}T10:00:00+02:00"
    segments = [{"role": role, "text": text, **more}]
    return {"id": name, "at": at, "channel": channel, "chat": chat, "person": person, "segments": segments}


@pytest.fixture
def filled(homeagent, lines):
    turns = (
        said("t1", "I live in Graz."),
        said("t2", "I live in Malmö.", day="09"),
        said("t3", "我妈妈住在扬州", day="10"),
        said("t4", "Odalys Brandt is my dentist.", day="11"),
        said("t5", "Odalys likes fennel.", day="12"),
        said("t6", "My sister lives in Turin.", day="13", channel="wa", chat="dm", person="ann"),
    )
    assert homeagent("memory", "import", lines(*turns)).code == 0
    return homeagent


def values(ran):
    return [(each["relation"], each["value"]) for each in ran.json["facts"]]


def test_what_is_known_has_evidence_bounds_and_confidence(filled):
    ran = filled("memory", "facts", "--about", "me", "--relation", "lives_in", "--json")
    (fact,) = ran.json["facts"]
    assert (fact["value"], fact["since"], fact["until"]) == ("Malmö", "2026-05-09T10:00:00+02:00", None)
    assert fact["said"][0]["external_id"] == "t2"
    assert fact["said"][0]["span"] == [0, 16]
    assert 0.5 < fact["confidence"] <= 1
    assert ran.json["no_longer"] == 1
    ran = filled("memory", "facts", "--about", "me", "--relation", "lives_in")
    assert "lives_in: Malmö  (since 2026-05-09 10:00, confidence 0.9" in ran.out
    assert '"I live in Malmö." owner, 2026-05-09 10:00, turn t2 segment' in ran.out
    assert "--all shows them" in ran.err


def test_what_it_was_before_can_be_asked_with_its_bounds(filled):
    assert values(filled("memory", "facts", "--about", "me", "--at", "2026-05-05", "--json")) == [("lives_in", "Graz")]
    ran = filled("memory", "facts", "--about", "me", "--relation", "lives_in", "--all")
    assert "lives_in: Graz  (no longer, since 2026-05-03 10:00, until 2026-05-09 10:00, confidence" in ran.out
    ran = filled("memory", "facts", "--about", "我", "--relation", "lives_in", "--all")
    assert "住在：Graz（已成过去，自 2026-05-03 10:00 起，至 2026-05-09 10:00，可信度" in ran.out


def test_whose_mother_it_is_depends_on_who_asks(filled):
    assert values(filled("memory", "facts", "--about", "my mother", "--json")) == [("lives_in", "扬州")]
    assert values(filled("memory", "facts", "--about", "妈妈", "--json")) == [("lives_in", "扬州")]
    assert values(filled("memory", "facts", "--about", "my sister", "--json")) == []
    ann = ("--as", "ann", "--channel", "wa", "--chat", "dm")
    assert values(filled("memory", "facts", "--about", "my sister", *ann, "--json")) == [("lives_in", "Turin")]
    assert values(filled("memory", "facts", *ann, "--json")) == [("lives_in", "Turin")]


def test_facts_are_written_corrected_and_taken_back(filled):
    ran = filled("memory", "commit", "me", "likes", "Earl Grey", "--json")
    fact = ran.json["fact"]
    assert ("likes", "Earl Grey") in values(filled("memory", "facts", "--about", "me", "--json"))
    made = filled("memory", "edit", fact, "oolong", "--json").json["fact"]
    assert values(filled("memory", "facts", "--about", "me", "--relation", "likes", "--json")) == [("likes", "oolong")]
    assert "no longer counts" in filled("memory", "edit", made).out
    assert values(filled("memory", "facts", "--about", "me", "--relation", "likes", "--json")) == []
    states = {each["value"]: each["state"] for each in filled("memory", "facts", "--all", "--json").json["facts"]}
    assert states["Earl Grey"] == states["oolong"] == "wrong"
    assert filled("memory", "commit", "me", "eye colour", "green").code != 0
    assert filled("memory", "edit", "f00").code != 0


def test_a_fact_is_purged_and_brought_back(filled):
    (graz,) = [
        each["fact"] for each in filled("memory", "facts", "--all", "--json").json["facts"] if each["value"] == "Graz"
    ]
    assert len(filled("memory", "purge", graz, "--json").json["forgotten"]) == 1
    assert "Graz" not in filled("memory", "facts", "--all").out
    assert filled("memory", "search", "Graz", "--json").json["nothing"]
    assert "Brought back" in filled("memory", "purge", graz, "--undo").out
    assert "Graz" in filled("memory", "facts", "--all").out


def test_names_are_suggested_merged_and_taken_apart(filled):
    ran = filled("memory", "merge", "--json")
    assert ["Odalys Brandt", "Odalys"] in [sorted(each["names"], reverse=True) for each in ran.json["suggestions"]]
    assert "a first name" in filled("memory", "merge").out
    event = filled("memory", "merge", "Odalys Brandt", "Odalys", "--json").json["merge"]
    ran = filled("memory", "facts", "--about", "Odalys Brandt")
    assert "fennel" in ran.out
    assert "Odalys Brandt, Odalys [" in ran.out
    assert filled("memory", "unmerge", event, "--json").json == {"unmerged": event}
    assert "fennel" not in filled("memory", "facts", "--about", "Odalys Brandt").out
    assert filled("memory", "merge", "Odalys").code != 0
    assert "撤销" in filled("memory", "merge", "Odalys Brandt", "Odalys", "--lang", "zh").out


def test_documents_are_listed_searched_and_shown(filled):
    assert "memory archive" in filled("memory", "documents").out
    filled("memory", "archive")
    found = filled("memory", "documents", "--json").json["documents"]
    assert sum(len(each["turns"]) for each in found) == 6
    (sister,) = filled("memory", "documents", "sister", "Turin", "--json").json["documents"][:1]
    assert sister["place"] == {"channel": "wa", "chat": "dm"}
    assert sister["summary"] == ["My sister lives in Turin."]
    ran = filled("memory", "document", sister["document"], "--text")
    assert "ann: My sister lives in Turin." in ran.out
    ran = filled("memory", "document", sister["document"], "--lang", "zh")
    assert "1 次对话，2026-05-13，wa/dm" in ran.out
    ann = ("--as", "ann", "--channel", "wa", "--chat", "dm", "--json")
    assert [each["document"] for each in filled("memory", "documents", *ann).json["documents"]] == [sister["document"]]
    assert filled("memory", "document", "d00").code != 0
    assert filled("memory", "documents", "--limit", "0").code != 0


def test_a_secret_is_masked_in_what_facts_hand_out(homeagent, lines):
    key = "sk-" + "abcdefghijklmnop1234"
    homeagent("memory", "import", lines(said("t1", f"The API key is {key}.")))
    homeagent("memory", "commit", "server", "value", key)
    ran = homeagent("memory", "facts", "--json")
    assert ran.json["facts"]
    assert key not in ran.out
