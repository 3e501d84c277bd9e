from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from homeagent.agent.events import Refused, Said, TextDelta
from homeagent_sdk import (
    Message,
    No,
    Output,
    Prompt,
    Reply,
    ToolCall,
    ToolOutcome,
    TurnInfo,
    stage,
)
from tests.agent.worlds import World, call, in_loop

if TYPE_CHECKING:
    from pathlib import Path


@in_loop
async def test_a_message_that_is_stopped_is_kept_and_the_model_is_not_asked(tmp_path: Path) -> None:
    @stage.on_input.decide
    def quiet(message: Message) -> bool | No:
        return No("it is night") if "loud" in message.text else True

    async with World(tmp_path, ["ok"], stages=[quiet]) as world:
        assert await world.say("loud music") == ""
        assert world.ui.of(Refused) == [Refused("it is night")]
        assert await world.say("music") == "ok"
        assert [each.text for each in world.raw()[0]] == ["loud music", "it is night"]
        assert "it is night" not in world.computed()
        assert world.statuses() == ["done", "done"]
    assert len(world.requests) == 1


@in_loop
async def test_what_a_plugin_makes_of_a_message_is_kept_beside_it(tmp_path: Path) -> None:
    @stage.on_input.transform
    def transcribe(message: Message) -> Message:
        return replace(message, text="turn on the kitchen light", no_memory=True)

    async with World(tmp_path, ["done"], stages=[transcribe]) as world:
        await world.say("[voice message]")
        first, second, _ = world.raw()[0]
        assert (first.text, second.text, second.role) == ("[voice message]", "turn on the kitchen light", "user")
        assert not second.no_memory, "only its channel says what is not memorised"
        assert "kitchen light" in world.computed()
    words = [message.text for message in world.requests[0].messages if message.role == "user"]
    assert len(words) == 1
    assert words[0].startswith("turn on the kitchen light")


@in_loop
async def test_the_prompt_can_be_changed_and_tools_taken_away(tmp_path: Path) -> None:
    @stage.pre_action.transform
    def weather(prompt: Prompt, turn: TurnInfo) -> Prompt:
        return replace(
            prompt,
            instructions=prompt.instructions + "\nSpeak like a pirate.",
            volatile=(f"{turn.person} sees rain",),
            tools=("files_read",),
        )

    async with World(tmp_path, [call("cmd_run", command="id"), "arr"], stages=[weather]) as world:
        await world.say("hi")
    request = world.requests[-1]
    assert request.messages[0].text.endswith("Speak like a pirate.")
    assert "owner sees rain" in request.messages[1].text
    assert [tool.name for tool in request.tools] == ["files_read"]
    assert "there is no tool 'cmd_run'" in request.messages[-1].text


@in_loop
async def test_a_reply_can_be_stopped_before_anybody_sees_it(tmp_path: Path) -> None:
    @stage.post_action.decide
    def no_secrets(reply: Reply) -> bool | No:
        return No("it would tell a secret") if "secret" in reply.text else True

    async with World(tmp_path, ["the secret is 42", "nothing"], stages=[no_secrets]) as world:
        assert await world.say("tell me") == ""
        assert not world.ui.of(TextDelta)
        assert world.ui.of(Refused) == [Refused("it would tell a secret")]
        assert await world.say("and now") == "nothing"
        assert "42" not in str(world.raw())


@in_loop
async def test_a_reply_can_lose_its_calls(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    @stage.post_action.transform
    def words_only(reply: Reply) -> Reply:
        return replace(reply, text="no tools today", calls=())

    @stage.post_action.observe
    def watches(reply: Reply, message: Message) -> None:
        seen.append((reply.round, len(reply.calls)))

    async with World(tmp_path, [call("cmd_run", command="id")], stages=[words_only, watches]) as world:
        assert await world.say("run it") == "no tools today"
        assert [each.role for each in world.raw()[0]] == ["user", "assistant"]
        assert world.raw()[0][1].arguments is None
    assert seen == [(1, 0)]


@in_loop
async def test_a_call_can_be_refused_or_changed_before_it_runs(tmp_path: Path) -> None:
    @stage.before_toolcall.decide
    def careful(call: ToolCall) -> bool | No:
        return No("too dangerous") if "rm" in str(call.arguments) else True

    @stage.before_toolcall.transform
    def gentler(call: ToolCall) -> ToolCall:
        return replace(call, arguments={"command": "echo gentle"})

    script = [call("cmd_run", 1, command="rm -rf /"), call("cmd_run", 2, command="echo rough"), "done"]
    async with World(tmp_path, script, stages=[careful, gentler]) as world:
        await world.say("go")
        outputs = [each for each in world.raw()[0] if each.role == "tool"]
    assert "not done: too dangerous" in outputs[0].text
    assert outputs[0].error
    assert outputs[1].text == "gentle\n"
    assert outputs[1].arguments == '{"command": "echo gentle"}', "the log says what really ran"


@in_loop
async def test_what_the_model_reads_of_a_result_can_be_changed_and_the_log_keeps_the_tools_words(
    tmp_path: Path,
) -> None:
    seen: list[str] = []

    @stage.after_toolcall.transform
    def shorter(outcome: ToolOutcome, call: ToolCall) -> ToolOutcome:
        return replace(outcome, text=f"{call.tool} said something")

    @stage.after_toolcall.observe
    async def watches(outcome: ToolOutcome) -> None:
        seen.append(outcome.text)

    async with World(tmp_path, [call("cmd_run", command="echo all"), "ok"], stages=[shorter, watches]) as world:
        await world.say("go")
        assert world.raw()[0][2].text == "all\n"
    assert "cmd_run said something" in world.requests[-1].messages[-1].text
    assert seen == ["cmd_run said something"]


@in_loop
async def test_an_output_is_sent_whole_when_a_plugin_changes_it(tmp_path: Path) -> None:
    told: list[str] = []

    @stage.before_output.transform
    def polite(output: Output) -> Output:
        return Output(output.text.replace("no", "no, thank you"))

    @stage.after_output.observe
    def listens(output: Output) -> None:
        told.append(output.text)

    async with World(tmp_path, ["no, I would rather not say"], stages=[polite, listens]) as world:
        said = "no, thank you, I would rather no, thank yout say"
        assert await world.say("well?") == said
        assert world.ui.of(TextDelta) == [TextDelta(said)]
        assert world.ui.of(Said) == [Said(said)]
        assert world.raw()[0][-1].text == said, "what was said is what is kept"
    assert told == [said]
