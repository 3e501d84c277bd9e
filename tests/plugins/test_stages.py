from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import StageEngine
from homeagent_sdk import Message, No, Output, Plugin, PluginContext, TurnInfo, stage
from tests.plugins.worlds import PRIVATE, TURN, World, in_loop

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent_sdk import StageHandler


@stage.on_input.decide
def yes(message: Message) -> bool:
    return True


@stage.on_input.decide
def no(message: Message) -> bool:
    return False


@stage.on_input.decide
async def no_with_reason(message: Message, turn: TurnInfo, context: PluginContext) -> bool | No:
    return No(f"{context.plugin} knows {turn.person} said {message.text}")


@stage.on_input.decide
def raises(message: Message) -> bool:
    raise ValueError("oh")


@stage.on_input.decide
async def hangs(message: Message) -> bool:
    await asyncio.sleep(60)
    return True


@stage.on_input.decide
def says_none(message: Message):
    return None


@stage.on_input.transform
def louder(message: Message) -> Message:
    return replace(message, text=message.text.upper())


@stage.on_input.transform
async def longer(message: Message) -> Message:
    return replace(message, text=message.text + "!")


@stage.on_input.transform
def wrong(message: Message):
    return "a text"


@stage.on_input.transform
def fails(message: Message) -> Message:
    raise ValueError("secret words")


def engine(folder: Path, *handlers: StageHandler) -> StageEngine:
    return StageEngine(World(folder, Plugin("guard", "1", stages=handlers)).registry, seconds=0.1)


@pytest.mark.parametrize(
    ("handlers", "reason"),
    [
        ([], None),
        ([yes], None),
        ([yes, no], "guard says no"),
        ([no_with_reason, yes], "guard knows owner said hi"),
        ([raises], "guard could not decide (ValueError: oh)"),
        ([hangs], "guard could not decide (it did not finish within 0.1 seconds and was stopped)"),
        ([says_none], "guard says no"),
    ],
)
@in_loop
async def test_a_decision_goes_on_only_when_everybody_says_yes(
    tmp_path: Path, handlers: list[StageHandler], reason: str | None
) -> None:
    answer = await engine(tmp_path, *handlers).decide("on_input", message=Message("hi"), turn=TURN)
    assert (answer.reason if answer else None) == reason


@in_loop
async def test_transforms_build_on_each_other_and_a_failure_keeps_the_old_value(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stages = engine(tmp_path, louder, fails, wrong, longer)
    assert await stages.transform("on_input", "message", Message("hi"), turn=TURN) == Message("HI!")
    assert "on_input.transform fails: ValueError: secret words" in caplog.text
    assert "on_input.transform wrong: returned str, not Message" in caplog.text


@in_loop
async def test_of_a_private_turn_no_words_get_into_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await engine(tmp_path, fails).transform("on_input", "message", Message("hi"), turn=PRIVATE)
    assert "secret words" not in caplog.text
    assert "on_input.transform fails" in caplog.text


@in_loop
async def test_observers_are_all_told_and_their_failures_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []

    @stage.after_output.observe
    async def listens(output: Output) -> None:
        await asyncio.sleep(0.01)
        told.append(output.text)

    @stage.after_output.observe
    def breaks(output: Output) -> None:
        told.append("broke")
        raise OSError("gone")

    caplog.set_level(logging.WARNING)
    stages = engine(tmp_path, listens, breaks)
    await stages.observe("after_output", output=Output("bye"), turn=TURN)
    assert sorted(told) == ["broke", "bye"]
    assert "after_output.observe breaks: OSError: gone" in caplog.text
    assert stages.has("after_output", "observe")
    assert not stages.has("after_output", "decide", "transform")
