"""A model that says nothing, refused calls that are no answer, and what a program is told of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from homeagent.agent import Incoming
from homeagent.agent.events import CallRefused, Refused, StatusLine, TurnFailed
from homeagent.agent.prompt import LAST_ROUND, NOTHING_SAID
from homeagent.cli.replies import Record, reply_object
from homeagent.models import EmptyReplyError, Say
from tests.agent.worlds import HERE, World, call, cmd_run, in_loop

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.models import ModelRequest

QUIET = Say(reasoning="They greet me. I could say hello.")


@pytest.mark.parametrize("silence", ["", " \n", QUIET])
@in_loop
async def test_an_empty_reply_is_asked_for_once_more(tmp_path: Path, silence: str | Say) -> None:
    async with World(tmp_path, [silence, "hello"]) as world:
        assert await world.say("hi") == "hello"
        assert world.statuses() == ["done"]
        assert not world.ui.of(TurnFailed)
    assert NOTHING_SAID in world.requests[1].messages[-1].text
    assert NOTHING_SAID not in world.requests[0].messages[-1].text


@pytest.mark.parametrize("silence", ["", QUIET])
@in_loop
async def test_a_model_that_says_nothing_twice_fails_the_turn(tmp_path: Path, silence: str | Say) -> None:
    async with World(tmp_path, [silence, silence, "hello"]) as world:
        assert await world.say("hi") == ""
        (failed,) = world.ui.of(TurnFailed)
        assert isinstance(failed.error, EmptyReplyError)
        assert failed.error.problem == "the model gave no answer"
        assert world.statuses() == ["failed"]
        assert await world.say("hi again") == "hello"


@pytest.mark.parametrize(
    ("reason", "problem"), [("length", "limit was reached"), ("refused", "held back by the model")]
)
@in_loop
async def test_an_empty_reply_that_was_cut_is_not_asked_for_again(tmp_path: Path, reason: str, problem: str) -> None:
    async with World(tmp_path, [Say(reasoning="hm", reason=reason)]) as world:  # type: ignore[arg-type]
        await world.say("hi")
        (failed,) = world.ui.of(TurnFailed)
    assert problem in failed.error.problem
    assert len(world.requests) == 1


@in_loop
async def test_a_model_that_only_calls_tools_until_its_rounds_are_over_fails_the_turn(tmp_path: Path) -> None:
    def calls(request: ModelRequest) -> object:
        return call("cmd_run", len(request.messages), command=f"echo {len(request.messages)}")

    async with World(tmp_path, calls, rounds=3) as world:  # type: ignore[arg-type]
        await world.say("hi")
        (failed,) = world.ui.of(TurnFailed)
    assert "went on calling tools" in failed.error.problem
    assert len(world.requests) == 4
    assert any(LAST_ROUND in message.text for message in world.requests[-1].messages)


@in_loop
async def test_what_was_said_beside_a_call_is_an_answer(tmp_path: Path) -> None:
    script = [Say("Done: it is on.", (call("cmd_run", command="echo on"),)), "", ""]
    async with World(tmp_path, script) as world:
        await world.say("switch it on")
        assert not world.ui.of(TurnFailed)
        assert [event.kind for event in world.ui.of(StatusLine) if event.kind != "calling"] == ["silent"]
        assert world.statuses() == ["done"]


@in_loop
async def test_refused_calls_are_told_apart_from_the_answer(tmp_path: Path) -> None:
    again = [call("cmd_run", number, command="echo one") for number in range(1, 5)]
    async with World(tmp_path, [*again, "it says one"], cmd_run, repeats=2) as world:
        record = Record(world.ui)
        await world.app.agent.respond(Incoming("what does it say?", HERE), record)
        assert [event.call_id for event in world.ui.of(CallRefused)] == ["c3", "c4"]
        assert not world.ui.of(Refused)
    told = reply_object(record)
    assert told["reply"] == "it says one"
    tools = told["tools"]
    assert isinstance(tools, list)
    assert ["this very call was made 2 times" in each.get("refused", "") for each in tools] == [
        False,
        False,
        True,
        True,
    ]
