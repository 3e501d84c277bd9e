"""Which turns stay in view when not all fit, and what becomes of those that leave."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.agent.context import Window, view_of
from homeagent.agent.prompt import RULES, RULES_ZH, instructions
from homeagent.agent.pruning import Present, staying
from homeagent.agent.rendering import NO_ANSWER
from homeagent.agent.settings import AgentSettings
from homeagent.memory import TurnId
from homeagent.models import Message, ScriptedModel
from homeagent.models.tokens import TokenEstimator
from tests.agent.worlds import HERE, World, in_loop

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.agent.context import View


def quarter(text: str) -> int:
    return math.ceil(len(text) / 4)


def view(number: int, asked: str, answer: str = "I see.") -> View:
    return view_of(TurnId(f"t{number}"), [Message("user", asked), Message("assistant", answer)], quarter)


def chatter(count: int, start: int = 0) -> list[View]:
    things = ["rain", "football", "soup", "trains", "gardens", "movies", "radio", "shoes", "paint", "clouds"]
    return [
        view(n, f"chapter {n} speaks about {things[n % 10]} number {n}", f"nice {things[n % 10]} story")
        for n in range(start, start + count)
    ]


def kept(views: list[View], room: int, present: Present) -> list[str]:
    return [str(views[place].turn) for place in sorted(staying(views, room, present))]


ROOM = 300
"""About ten turns of chatter."""


def test_an_old_turn_that_is_to_the_point_stays_while_newer_chatter_leaves() -> None:
    views = [view(0, "The boiler was serviced by Novak in April"), *chatter(30, 1)]
    stay = kept(views, ROOM, Present("when was the boiler serviced?"))
    assert "t0" in stay
    assert len(stay) < 15
    assert {"t28", "t29", "t30"} <= set(stay), "the newest are protected"
    assert "t0" not in kept(views, ROOM, Present("tell me about clouds"))


def test_it_works_in_chinese_too() -> None:
    views = [
        view(0, "锅炉四月由诺瓦克保养过", "好的"),
        *[view(n, f"今天聊聊第{n}章的天气", "嗯，不错") for n in range(1, 40)],
    ]
    assert "t0" in kept(views, ROOM, Present("锅炉是谁保养的"))


def test_what_recall_found_for_the_words_stays() -> None:
    views = [view(0, "Novak came by for the heating"), *chatter(30, 1)]
    assert "t0" in kept(views, ROOM, Present("who did the maintenance?", recalled=["t0"]))
    assert "t0" not in kept(views, ROOM, Present("who did the maintenance?"))


def test_an_open_question_outlives_what_is_settled() -> None:
    for asked, answer in (("Which plumber should we call?", NO_ANSWER), ("We need a plumber", "Shall I call Novak?")):
        views = [*chatter(6), view(6, asked, answer), *chatter(9, 7), view(16, "what is the weather?", "dry")]
        views = [*views[:7], view(7, "is it late?", "no"), *views[8:]]
        open_first = kept(views, ROOM // 2, Present("hm"))
        settled = [*views[:6], view(6, asked.rstrip("?"), "Done, Novak comes."), *views[7:]]
        assert "t6" in open_first
        assert "t6" not in kept(settled, ROOM // 2, Present("hm"))


def test_the_same_said_again_takes_no_place_twice() -> None:
    same = [view(n, "the boiler makes a noise in the cellar again", "the boiler noise, I see") for n in range(8)]
    views = [*same, view(8, "the boiler is from the firm Vaillant", "noted"), *chatter(8, 9)]
    stay = kept(views, 160, Present("boiler"))
    assert "t8" in stay
    assert len({"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"} & set(stay)) < 4


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.sampled_from(["a b c", "boiler", "锅炉坏了", "why?", "x " * 200]), max_size=30),
    room=st.integers(0, 400),
    asked=st.sampled_from(["boiler", "", "锅炉"]),
)
def test_what_stays_fits_whatever_is_said(texts: list[str], room: int, asked: str) -> None:
    window = Window(view(n, text) for n, text in enumerate(texts))
    before = window.turns
    left = window.prune(room, Present(asked))
    assert sum(each.tokens for each in window.views) <= room
    assert window.turns | set(left) == before
    assert not window.turns & set(left)
    if left and window.views and window.views[-1].turn != f"t{len(texts) - 1}":
        assert view(0, texts[-1]).tokens > room * 0.6, "the newest leaves only when it does not fit by itself"


@in_loop
async def test_in_a_long_conversation_the_point_stays_the_chatter_is_archived_and_found(tmp_path: Path) -> None:
    estimator = TokenEstimator()
    things = ["rain", "football", "soup", "trains", "gardens", "movies", "radio", "shoes", "paint", "clouds"]
    model = ScriptedModel(lambda _request: "I see. " + "word " * 30, window_tokens=3_000)
    async with World(tmp_path, model, reply_tokens=300) as world:
        await world.say("the boiler was serviced by Novak in April")
        await world.say("my umbrella stands in the cellar behind the skis")
        chat = await world.app.agent._chats.at(HERE)
        number = 0
        for _ in range(3):  # three times the window is full, and three times something has to leave
            while sum(view.tokens for view in chat.window.views) <= (chat.room or 1):
                number += 1
                thing = things[number % 10]
                await world.say(f"chapter {number} of my book is about {thing}: " + f"{thing} and so on " * 12)
            await world.say("what was it that Novak serviced in April?")
        window = chat.window
        turns = [turn.turn_id for turn in world.app.memory.turns()]
        assert turns[0] in window.turns, "an old turn that the present words are about"
        gone = [turn for turn in turns if turn not in window.turns]
        assert len(gone) > 10
        documents = world.app.memory.documents()
        archived = {world.app.memory.find(name).seq for name in gone}
        assert {seq for document in documents for seq in document.turns} == archived
        assert turns[1] in gone
        await world.say("where is my umbrella")
        assert "behind the skis" in world.requests[-1].messages[-1].text, "recall finds what left"
    assert max(estimator.request(request) for request in world.requests) <= 3_000
    async with World(tmp_path, ["fine"], reply_tokens=300) as world:
        await world.say("and now?")
        shown = "\n".join(message.text for message in world.requests[-1].messages)
        assert "serviced by Novak" in shown, "after a restart the same is in view"


def test_the_model_is_told_in_its_language_that_out_of_view_is_not_nonexistent() -> None:
    assert "Never say that something does not exist because you don't see it" in instructions(AgentSettings())
    assert RULES in instructions(AgentSettings(persona="You are Jeeves."))
    chinese = instructions(AgentSettings(persona="你是这个家的管家。"))
    assert "看不到不等于不存在" in chinese
    assert RULES_ZH in chinese
    assert RULES not in chinese
