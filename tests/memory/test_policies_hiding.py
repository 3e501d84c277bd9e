"""Hiding takes effect at once: before anything is derived again, nothing that reads computed memory shows the text."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from homeagent.memory.lease import Lease
from homeagent.memory.store.sqlite.derived_hiding import BLANKED
from tests.memory.worlds import (
    HIDDEN,
    PLAIN,
    another_process,
    cleaned,
    computed_texts,
    found,
    opened,
    reply,
    tool,
    turn,
    user,
)

OUTPUT = "My name is Quandolino Brevik.\nThe gate code is zq81kk77vv."
QUOTE = "It says: My name is Quandolino Brevik."


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.declare_policies({"look": PLAIN})
        memory.keep(turn(user("the apple orchard"), reply("a fine orchard"), external_id="before"))
        memory.keep(turn(user("who lives here?"), tool(OUTPUT), reply(QUOTE), external_id="told"))
        memory.keep(turn(user("once more"), reply("As I said, the gate code is zq81kk77vv."), external_id="again"))
        memory.keep(turn(user("what?"), reply("My name is Quandolino Brevik."), chat="other", external_id="elsewhere"))
        memory.archive()
        memory.settle()
        memory.background.stop()  # it would derive between a change and the look at what waits
        yield memory


@contextmanager
def nobody_derives(memory):
    """Another process that keeps the lease and does nothing with it."""
    with Lease(memory.home.lease).held() as held:
        assert held
        yield


def claiming(memory):
    """The turns that a fact about the code rests on."""
    facts = [fact for fact in memory.graph.history() if "code" in fact.subject_name]
    return {saying.external_id for fact in facts for saying in fact.said}


def in_chat(memory):
    """The computed text of the chat where the tool spoke."""
    return "\n".join(text for name in ("before", "told", "again") for text in computed_texts(memory, name))


@pytest.mark.parametrize("policy", [HIDDEN, cleaned("head(5)"), cleaned("json(nowhere)")], ids=str)
def test_what_is_hidden_is_shown_nowhere_before_anything_is_derived_again(memory, policy):
    assert "told" in claiming(memory)
    memory.overrides.note({"look": policy})
    assert memory.pending()["door"] == 3
    assert "Quandolino" not in in_chat(memory)
    assert "zq81kk77vv" not in in_chat(memory)
    with nobody_derives(memory):
        hits = memory.recall("Quandolino gate code zq81kk77vv").hits
        documents = [memory.document(each.document) for each in memory.documents()]
    shown = [(hit.external_id, each.text) for hit in hits for each in (hit, *hit.neighbours)]
    assert {name for name, text in shown if "Quandolino" in text or "zq81kk77vv" in text} == {"elsewhere"}
    here = [each for each in documents if each.chat != "other"]
    assert here
    words = [text for each in here for text in (*each.summary, *each.tags, *each.entities)]
    assert not [text for text in words if "quandolino" in text.lower() or "zq81kk77vv" in text]
    assert "told" not in claiming(memory)


def test_only_what_is_touched_is_taken_out_and_queued(memory):
    before = {row.segment: row for row in memory.all_computed()}
    memory.overrides.note({"look": HIDDEN})
    after = {row.segment: row for row in memory.all_computed()}
    changed = [segment for segment in after if after[segment] != before[segment]]
    assert [(after[segment].role, after[segment].reason) for segment in changed] == [
        ("tool", BLANKED),
        ("assistant", BLANKED),
        ("assistant", BLANKED),
    ]
    with nobody_derives(memory):
        assert found(memory, "apple orchard") >= {"before"}


def test_what_waits_is_derived_after_a_restart_as_if_it_had_been_so_from_the_start(tmp_path, memory):
    memory.overrides.note({"look": HIDDEN})
    memory.shutdown()
    with opened(tmp_path / "home") as again:
        assert computed_texts(again, "told") == ["who lives here?", "", "It says: "]
        assert computed_texts(again, "again")[1].startswith("As I said")
        assert again.rebuild(verify=True).differences == ()


def test_another_process_sees_it_with_its_next_question(memory, tmp_path):
    code = """
memory = opened()
for line in sys.stdin:
    hits = memory.recall("Quandolino").hits
    shown = [(hit.external_id, each.text) for hit in hits for each in (hit, *hit.neighbours)]
    say(*sorted({name for name, text in shown if "Quandolino" in text}))
"""
    with another_process(tmp_path / "home", code) as process:
        for policy, answer in (
            (None, "elsewhere told"),
            (HIDDEN, "elsewhere"),
            (PLAIN, "elsewhere told"),
            (cleaned("json(nowhere)"), "elsewhere"),
        ):
            memory.set_policies({"look": policy})
            process.stdin.write("ask\n")
            process.stdin.flush()
            assert process.stdout.readline().strip() == answer


def test_a_channels_words_are_hidden_at_once_and_its_replies_stay(memory):
    memory.overrides.note({"cli": HIDDEN}, kind="channel")
    texts = [row.text.text for row in memory.all_computed() if row.role == "user"]
    assert set(texts) == {""}
    with nobody_derives(memory):
        assert not [hit for hit in memory.recall("apple orchard").hits if "apple" in hit.text]
    assert computed_texts(memory, "before")[1] == "a fine orchard"


def test_showing_hides_nothing_meanwhile(memory):
    memory.set_policies({"look": cleaned("head(10)")})
    before = list(memory.all_computed())
    assert memory.overrides.note({"look": PLAIN})
    assert list(memory.all_computed()) == before
    assert memory.pending()["door"]
    memory.settle()
    assert "zq81kk77vv" in computed_texts(memory, "told")[1]


def test_whoever_can_not_take_note_says_that_the_policy_is_kept_but_not_in_effect(memory):
    with nobody_derives(memory):
        assert memory._deriver.take_note(0.01) is None


def test_a_reply_that_repeats_two_outputs_goes_with_either(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.declare_policies({"first": PLAIN, "look": HIDDEN})
        words = "the quick brown fox of Zanzibar jumps"
        memory.keep(turn(tool(f"so: {words}", "first"), reply(f"It was {words}."), external_id="a"))
        memory.keep(turn(tool(words), reply(f"I heard {words}."), external_id="b"))
        assert words in computed_texts(memory, "b")[1]
        for policy, holds in ((HIDDEN, False), (PLAIN, True), (HIDDEN, False)):
            memory.set_policies({"first": policy})
            memory.settle()
            assert [words in computed_texts(memory, name)[1] for name in "ab"] == [holds] * 2
            assert memory.rebuild(verify=True).differences == ()


def test_a_reply_that_repeats_a_changed_reply_is_looked_at_again(tmp_path):
    """B repeats what A said before it was hidden, which B may: until A loses a part of it to another policy."""
    with opened(tmp_path / "home") as memory:
        memory.declare_policies({"first": PLAIN, "look": HIDDEN})
        said = "zanzibarx jumps over the lazy dog"
        memory.keep(turn(tool("so: the quick brown fox zanzibarx", "first"), external_id="0"))
        memory.keep(turn(reply(f"It was the quick brown fox {said}."), external_id="a"))
        memory.keep(turn(tool(said), reply(f"I heard {said}."), external_id="b"))
        assert computed_texts(memory, "b")[1] == f"I heard {said}."
        told = memory.try_policies({"first": HIDDEN})
        memory.set_policies({"first": HIDDEN})
        memory.settle()
        assert "zanzibarx" not in computed_texts(memory, "a")[0] + computed_texts(memory, "b")[1]
        assert told.replies == 2
        assert memory.rebuild(verify=True).differences == ()
        memory.set_policies({"first": PLAIN})
        memory.settle()
        assert computed_texts(memory, "b")[1] == f"I heard {said}."
        assert memory.rebuild(verify=True).differences == ()
