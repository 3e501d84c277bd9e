"""Which hidden texts count for which replies: chats, order, arguments, failures, cleaned outputs, people's own words."""

from __future__ import annotations

import json

import pytest

from homeagent.memory.turn import Segment
from tests.memory.worlds import (
    HIDDEN,
    PLAIN,
    cleaned,
    computed_texts,
    decisions,
    opened,
    raw_segments,
    reply,
    tool,
    turn,
    user,
)

LONG = "the quick violet zebra jumps over seven lazy judges"
KEY = "q7w8e9r0t1"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("quotes") / "home") as memory:
        memory.declare_policies(
            {
                "hide": HIDDEN,
                "plain": PLAIN,
                "clean": cleaned("json(content)"),
                "head": cleaned("head(10)"),
                "fails": cleaned("json(nowhere)"),
                "remember": PLAIN,
            },
            returns_memory=["remember"],
        )
        memory.set_policies({"boiler": cleaned('regex("^FORWARDED ","")'), "secret": HIDDEN}, kind="channel")
        yield memory


@pytest.fixture
def memory(shared, request):
    """The shared memory, and what is computed of the last segment of turns in a chat of this test alone."""

    def last(*turns_of_segments, channel="cli"):
        kept = [shared.keep(turn(*each, chat=request.node.name, channel=channel)) for each in turns_of_segments]
        return computed_texts(shared, kept[-1])[-1]

    return last


@pytest.mark.parametrize("name", ["hide", "remember", "memory_recall"])
def test_a_copy_of_a_hidden_output_is_left_out_of_this_turn_and_of_later_ones(memory, name):
    hidden = tool(f"{LONG}\n{KEY}", name)
    assert memory([user("look"), hidden, reply(f"It says {LONG}")]) == "It says "
    assert memory([user("and"), reply(f"It says {KEY}")]) == "It says "
    assert memory([user("and"), reply(f"> {LONG}\nSo it says.")]).strip("\n> ") == "So it says."


def test_the_models_own_sentences_and_a_paraphrase_stay(memory):
    hidden = tool("root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin", "hide")
    own = "There are two users. root, uid 0, is the superuser; its shell is bash. daemon can't log in."
    assert memory([user("who is there"), hidden, reply(own)]) == own


def test_a_copy_is_cut_out_of_the_middle_of_the_models_own_words(memory):
    text = memory([tool(LONG, "hide"), reply(f"First a word. It says: {LONG}! And then my own advice.")])
    assert "violet" not in text
    assert text.startswith("First a word. It says")
    assert text.endswith("And then my own advice.")


def test_a_reply_that_is_nothing_but_a_copy_leaves_nothing(memory):
    assert memory([tool(LONG, "hide"), reply(f"```\n{LONG}\n```")]) == ""


def test_an_earlier_reply_is_not_touched_by_what_is_hidden_later(memory):
    said = reply(f"It says {LONG}")
    assert memory([said]) == said.text
    assert memory([said, tool(LONG, "hide")]) == ""
    assert memory([user("so")]) == "so"


def test_the_same_turn_may_say_it_before_and_not_after(shared):
    kept = shared.keep(
        turn(reply("Let me look."), tool(LONG, "hide"), reply(f"It says {LONG}"), chat="before and after")
    )
    assert computed_texts(shared, kept) == ["Let me look.", "", "It says "]


def test_another_chat_hides_nothing_here(shared):
    shared.keep(turn(tool(f"{LONG} {KEY}", "hide"), chat="there"))
    shared.keep(turn(tool(f"{LONG} {KEY}", "hide"), chat="here", channel="other"))
    kept = shared.keep(turn(reply(f"{LONG} {KEY}"), chat="here"))
    assert computed_texts(shared, kept) == [f"{LONG} {KEY}"]


def test_what_another_person_of_the_chat_wrote_may_be_repeated(shared):
    shared.keep(turn(user(LONG), tool(LONG, "hide"), chat="of two", sender="ann"))
    kept = shared.keep(turn(user("so?"), reply(LONG), chat="of two", sender="ben"))
    assert computed_texts(shared, kept) == ["so?", LONG]


@pytest.mark.parametrize("first", [True, False])
def test_what_the_user_wrote_himself_stays_wherever_in_the_chat(memory, first):
    said, hidden = user(f"I wrote {LONG} and {KEY}"), tool(f"{LONG}\n{KEY}", "hide")
    assert memory([said, hidden] if first else [hidden, said], [reply(f"{LONG}, {KEY}")]) == f"{LONG}, {KEY}"


def test_what_the_user_wrote_in_part_stays_in_part(memory):
    text = memory([user("a quick violet zebra?"), tool(LONG, "hide"), reply(f"Yes: {LONG}")])
    assert "quick violet zebra" in text
    assert "seven lazy" not in text


def test_what_the_user_wrote_in_another_chat_is_not_his_here(shared):
    shared.keep(turn(user(LONG), chat="his own"))
    kept = shared.keep(turn(tool(LONG, "hide"), reply(f"So: {LONG}"), chat="not his own"))
    assert computed_texts(shared, kept)[1] == "So: "


def test_a_message_marked_no_memory_is_hidden_even_if_a_person_sent_it(memory):
    assert memory([user(LONG, no_memory=True), reply(f"So: {LONG}")]) == "So: "


@pytest.mark.parametrize("channel", ["boiler", "secret"])
def test_words_that_a_channel_keeps_out_are_still_their_writers_own(memory, channel):
    assert memory([user(f"FORWARDED {LONG}"), tool(LONG, "hide"), reply(LONG)], channel=channel) == LONG


def test_arguments_of_a_hidden_tool_are_hidden_like_its_output(memory):
    arguments = json.dumps({"note": f"{LONG}\n钥匙在花盆下面，别告诉别人", "key": KEY})
    text = memory(
        [tool("done", "hide", arguments=arguments), reply(f"Noted {LONG} and {KEY}，钥匙在花盆下面，别告诉别人")]
    )
    assert not {word for word in ("violet", "seven", KEY, "花盆") if word in text}


def test_arguments_of_a_computed_tool_may_be_repeated(memory):
    said = f"I asked for {LONG}"
    assert memory([tool("done", "plain", arguments=json.dumps({"q": LONG})), reply(said)]) == said


def test_a_plain_output_may_be_repeated(memory):
    assert memory([tool(f"{LONG} {KEY}", "plain"), reply(f"{LONG} {KEY}")]) == f"{LONG} {KEY}"


def test_a_failed_output_hides_like_a_hidden_one_but_not_its_arguments(memory):
    failed = tool(f"{LONG}\n{KEY}", "fails", arguments='{"q": "where the lemon garden lies"}')
    text = memory([failed, reply(f"It says {LONG}, {KEY}, where the lemon garden lies")])
    assert not {word for word in ("violet", "seven", KEY) if word in text}
    assert "where the lemon garden lies" in text


def test_a_failed_output_that_is_flagged_as_an_error_is_computed_and_hides_nothing(memory):
    assert memory([tool(LONG, "fails", error=True), reply(LONG)]) == LONG


def test_of_a_cleaned_output_only_the_tokens_that_were_taken_out_are_hidden(memory):
    output = json.dumps({"content": "the lemon garden, ticket kept1234x", "note": LONG, "id": KEY})
    said = f"The lemon garden, ticket kept1234x. {LONG}. It is {KEY}."
    assert memory([tool(output, "clean"), reply(said)]) == f"The lemon garden, ticket kept1234x. {LONG}. It is "


def test_a_token_that_is_kept_elsewhere_in_the_output_is_not_taken_out(memory):
    output = json.dumps({"content": f"the number is {KEY}", "id": KEY})
    assert memory([tool(output, "clean"), reply(f"It is {KEY}")]) == f"It is {KEY}"


def test_tokens_in_the_middle_of_an_undeclared_output_that_is_cut_are_hidden(memory):
    output = f"start\n{'word ' * 9000}{KEY} {'word ' * 9000}\nend"
    assert memory([tool(output, "undeclared"), reply(f"It is {KEY}")]) == "It is "


def test_an_undeclared_output_that_is_computed_whole_hides_nothing(memory):
    assert memory([tool(f"{LONG} {KEY}", "undeclared"), reply(f"{LONG} {KEY}")]) == f"{LONG} {KEY}"


def test_what_one_tool_says_openly_does_not_open_what_another_hides(memory):
    text = memory([tool(LONG, "plain"), tool(LONG, "hide"), reply(f"It says {LONG}")])
    assert text == "It says "


def test_the_cuts_are_ranges_of_raw_and_raw_stays_whole(shared):
    said = f"It says {LONG} and that {KEY} is it."
    kept = shared.keep(turn(tool(f"{LONG}\n{KEY}", "hide"), reply(said), chat="cuts"))
    row = shared.computed(kept)[1]
    assert [said[start:end].strip() for start, end in row.cuts] == [LONG, KEY]
    assert [said[start:end] for start, end in shared.explain(kept).segments[1].cuts] == [
        said[start:end] for start, end in row.cuts
    ]
    assert decisions(shared, kept)[1][0] == "quote"
    assert f"{sum(end - start for start, end in row.cuts)} characters copied" in row.reason
    assert raw_segments(shared, kept)[1].text == said


@pytest.mark.parametrize(
    "segment", [user(LONG), Segment("system", LONG), tool(LONG, "plain")], ids=["user", "system", "tool"]
)
def test_only_replies_are_searched_for_copies(shared, segment):
    kept = shared.keep(turn(tool(LONG, "hide"), segment, chat=f"searched {segment.role}"))
    assert LONG in computed_texts(shared, kept)[1]
