"""Changing one's mind about a policy: computation follows at once, as if the last word had been the first."""

from __future__ import annotations

import itertools

import pytest

from tests.memory.worlds import (
    HIDDEN,
    PLAIN,
    cleaned,
    computed_texts,
    found,
    index_terms,
    opened,
    reply,
    tables_holding,
    tool,
    turn,
    user,
)

KEY = "qx77zk93vv"
LINE = "gvkpt wrxmd hzqbf"
OUTPUT = f'{{"content": "the lemon tree", "key": "{KEY}",\n"line": "{LINE}"}}'
POLICIES = {
    "default": None,
    "plain": PLAIN,
    "hidden": HIDDEN,
    "field": cleaned("json(content)"),
    "fails": cleaned("json(nowhere)"),
    "head": cleaned("head(20)"),
}


OTHERS = [name for name in POLICIES if name != "hidden"]
FLIPS = [*(("hidden", name) for name in OTHERS), *((name, "hidden") for name in OTHERS), *itertools.pairwise(OTHERS)]


def say(memory):
    """A turn with an output and a reply that copies from it, and a later one of the same chat that does too."""
    memory.keep(turn(user("look"), tool(OUTPUT), reply(f"It says {KEY} and\n> {LINE}"), external_id="1"))
    memory.keep(turn(user("again"), reply(f"As I said: {KEY}, {LINE}!"), external_id="2"))
    memory.keep(turn(user("elsewhere"), reply(f"{KEY} {LINE}"), chat="other", external_id="3"))


def copied(memory):
    """The turns that still hold, computed, some of what the output says."""
    return {name for name in "123" if any(KEY in text or LINE in text for text in computed_texts(memory, name))}


def everything(memory):
    return [
        (row.segment, row.decision, row.reason, row.text, row.cuts, row.fingerprint) for row in memory.all_computed()
    ]


@pytest.mark.parametrize(("before", "after"), FLIPS, ids=["-then-".join(each) for each in FLIPS])
def test_a_flip_gives_what_the_new_policy_would_have_given_from_the_start(tmp_path, before, after):
    with opened(tmp_path / "flipped") as flipped, opened(tmp_path / "straight") as straight:
        for memory, first in ((flipped, before), (straight, after)):
            if POLICIES[first] is not None:
                memory.set_policies({"look": POLICIES[first]})
            say(memory)
        was = everything(flipped)
        flipped.set_policies({"look": POLICIES[after]})
        texts = [[text for _, _, _, text, _, _ in everything(memory)] for memory in (flipped, straight)]
        assert [text.text for text in texts[0]] == [text.text for text in texts[1]]
        assert [hit.text for hit in flipped.recall("lemon").hits] == [hit.text for hit in straight.recall("lemon").hits]
        assert flipped.rebuild(verify=True).differences == ()
        flipped.set_policies({"look": POLICIES[before]})
        assert everything(flipped) == was
        assert flipped.rebuild(verify=True).differences == ()


def test_a_reply_is_hidden_and_shown_with_the_output_it_copied_from(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": PLAIN})
        say(memory)
        shown = everything(memory)
        for _ in range(2):
            memory.set_policies({"look": HIDDEN})
            assert copied(memory) == {"3"}
            assert computed_texts(memory, "1")[1] == ""
            assert [computed_texts(memory, name)[-1][:7] for name in "12"] == ["It says", "As I sa"]
            assert found(memory, KEY) == {"3"}
            memory.set_policies({"look": PLAIN})
            assert everything(memory) == shown
            assert found(memory, KEY) == copied(memory) == {"1", "2", "3"}


def test_only_the_chats_that_a_tool_spoke_in_are_touched_by_its_policy(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": PLAIN})
        say(memory)
        before = memory.computed("3")
        memory.set_policies({"look": HIDDEN})
        assert memory.computed("3") == before


def test_a_flip_in_one_commit_with_others_is_the_last_word_of_each(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": PLAIN})
        say(memory)
        memory.set_policies({"*": PLAIN, "look": HIDDEN, "lo*": cleaned("head(1)"), "other": HIDDEN})
        assert computed_texts(memory, "1")[1] == ""
        memory.set_policies({"look": None, "lo*": None})
        assert KEY in computed_texts(memory, "1")[1]
        assert memory.rebuild(verify=True).equal


def test_a_renamed_or_newly_declared_tool_hides_what_its_old_name_said(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"see": HIDDEN})
        say(memory)
        assert copied(memory) == {"1", "2", "3"}
        memory.rename_tool("look", "see")
        assert copied(memory) == {"3"}
        assert memory.rebuild(verify=True).equal


def test_declaring_what_an_unknown_tool_said_before_is_followed(tmp_path):
    with opened(tmp_path / "home") as memory:
        say(memory)
        memory.declare_policies({"look": HIDDEN})
        assert copied(memory) == {"3"}
        memory.declare_policies({"look": PLAIN})
        assert copied(memory) == {"1", "2", "3"}
        memory.declare_policies({"look": PLAIN}, returns_memory=["look"])
        assert computed_texts(memory, "1")[1] == ""
        assert memory.rebuild(verify=True).equal


def test_a_channel_flip_hides_and_shows_what_people_said_in_it(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("the lemon tree"), tool("plums"), reply("a fine tree"), external_id="a"))
        before = everything(memory)
        memory.set_policies({"cl*": HIDDEN}, kind="channel")
        assert computed_texts(memory, "a") == ["", "look\nplums", "a fine tree"]
        assert "lemon" not in index_terms(memory.home.derived)
        assert memory.rebuild(verify=True).equal
        memory.set_policies({"cl*": None}, kind="channel")
        assert everything(memory) == before
        assert memory.rebuild(verify=True).equal


def test_no_index_answers_to_a_word_that_was_hidden_later(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": PLAIN})
        memory.keep(turn(user("hello"), tool(f"{KEY} {LINE} 苹果树")))
        assert {"gvkpt", "苹果"} <= index_terms(memory.home.derived)
        memory.set_policies({"look": HIDDEN})
        assert not {"gvkpt", "wrxmd", "hzqbf", "苹果", KEY} & index_terms(memory.home.derived)


@pytest.mark.parametrize("hide", ["policy", "forget"])
def test_nothing_is_left_of_a_word_that_was_hidden_later_in_any_table(tmp_path, hide):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": PLAIN})
        memory.keep(turn(user("hello"), external_id="b"))
        memory.keep(turn(tool(f"{KEY} {LINE}"), external_id="a"))
        if hide == "forget":
            memory.forget("a")
        else:
            memory.set_policies({"look": HIDDEN})
        assert [tables_holding(memory.home.derived, word) for word in (KEY, *LINE.split())] == [[]] * 4


def test_a_flip_reaches_the_replies_of_a_turn_that_is_still_open(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": PLAIN})
        turn_id = memory.begin(turn(user("look")))
        memory.append(turn_id, tool(OUTPUT))
        memory.append(turn_id, reply(f"It says {KEY}"))
        memory.recall("anything")
        memory.set_policies({"look": HIDDEN})
        memory.close(turn_id)
        assert KEY not in "".join(computed_texts(memory, turn_id))


def test_a_flip_back_reaches_the_replies_of_a_turn_that_is_still_open(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": HIDDEN})
        memory.keep(turn(tool(OUTPUT)))
        turn_id = memory.begin(turn(user("look")))
        memory.append(turn_id, reply(f"It says {KEY}"))
        memory.recall("anything")
        memory.set_policies({"look": PLAIN})
        memory.close(turn_id)
        assert computed_texts(memory, turn_id) == ["look", f"It says {KEY}"]


def test_a_forgotten_reply_does_not_make_a_hidden_output_its_chats_own_words(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": PLAIN})
        memory.keep(turn(tool(OUTPUT)))
        forgotten = memory.keep(turn(reply(f"It says {LINE}")))
        later = memory.keep(turn(reply(f"As I said: {LINE}")))
        memory.forget(forgotten)
        memory.set_policies({"look": HIDDEN})
        assert LINE not in computed_texts(memory, later)[0]
        assert memory.rebuild(verify=True).equal


def test_forgetting_and_flipping_a_turn_without_replies_leaves_what_a_rebuild_gives(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": PLAIN})
        say(memory)
        kept = memory.keep(turn(user("lemon"), tool(OUTPUT)))
        memory.forget(kept)
        memory.set_policies({"look": HIDDEN})
        memory.undo(kept)
        assert computed_texts(memory, kept) == ["lemon", ""]
        memory.set_policies({"look": None})
        assert memory.rebuild(verify=True).equal


@pytest.mark.parametrize("kind", ["tool", "channel"])
def test_the_reason_shown_is_the_one_in_force(tmp_path, kind):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"*": HIDDEN}, kind=kind)
        kept = memory.keep(turn(tool("apples") if kind == "tool" else user("apples")))
        memory.set_policies({("look" if kind == "tool" else "cli"): HIDDEN}, kind=kind)
        assert "'*'" not in memory.computed(kept)[0].reason
        assert memory.rebuild(verify=True).equal


def test_a_segment_marked_no_memory_stays_out_under_every_policy(tmp_path):
    with opened(tmp_path / "home") as memory:
        said = (user(f"{KEY} {LINE}", no_memory=True), tool("x"), reply(f"You said {LINE} and {KEY}."))
        kept = memory.keep(turn(*said))
        for policy in (PLAIN, HIDDEN, None):
            memory.set_policies({"look": policy})
            memory.set_policies({"cli": policy}, kind="channel")
            assert [tables_holding(memory.home.derived, word) for word in (KEY, *LINE.split())] == [[]] * 4
            assert computed_texts(memory, kept)[0] == ""
        assert memory.rebuild(verify=True).equal
