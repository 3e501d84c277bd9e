from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING

import pytest

from homeagent.agent.events import (
    Recalled,
    Said,
    TextDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from homeagent.agent.rendering import NO_ANSWER
from homeagent.memory import Attachment, Place
from homeagent.models import Say, ScriptedModel, ServerDownError, ToolCall
from homeagent_sdk import Plugin, ToolContext, ToolError, ToolResult, tool
from tests.agent.worlds import World, call, cmd_run, files_read, in_loop

if TYPE_CHECKING:
    from pathlib import Path


@in_loop
async def test_a_turn_is_kept_segment_by_segment(tmp_path: Path) -> None:
    script = [Say("let me look", (call("cmd_run", command="echo one"),)), "it says one"]
    async with World(tmp_path, script) as world:
        assert await world.say("what does it say") == "it says one"
        (segments,) = world.raw()
        assert world.statuses() == ["done"]
    assert [(each.role, each.text) for each in segments] == [
        ("user", "what does it say"),
        ("assistant", "let me look"),
        ("tool", "one\n"),
        ("assistant", "it says one"),
    ]
    asked, ran = segments[1], segments[2]
    assert json.loads(asked.arguments or "") == [
        {"id": "c1", "name": "cmd_run", "arguments": '{"command": "echo one"}'}
    ]
    assert (ran.tool, ran.call_id, ran.arguments) == ("cmd_run", "c1", '{"command": "echo one"}')
    assert (ran.error, ran.plugin, ran.plugin_version) == (False, "tools", "1.0.0")


@in_loop
async def test_the_person_is_shown_what_happens_as_it_happens(tmp_path: Path) -> None:
    async with World(tmp_path, [call("cmd_run", command="echo one"), "it says one, I think"]) as world:
        await world.say("what does it say")
        events = world.ui.events
    kinds = [type(event) for event in events if not isinstance(event, TextDelta)]
    assert kinds[:2] == [TurnStarted, Recalled]
    assert kinds[-4:] == [ToolStarted, ToolFinished, Said, TurnEnded]
    assert "".join(each.text for each in world.ui.of(TextDelta)) == "it says one, I think"
    assert len(world.ui.of(TextDelta)) > 1
    ended = events[-1]
    assert isinstance(ended, TurnEnded)
    assert ended.usage is not None
    assert ended.usage.prompt_tokens > 0


@in_loop
async def test_the_next_turn_sees_the_one_before_with_its_results(tmp_path: Path) -> None:
    async with World(tmp_path, [call("cmd_run", command="echo one"), "it says one", "one, as I said"]) as world:
        await world.say("what does it say")
        await world.say("again?")
    messages = world.requests[-1].messages
    assert [message.role for message in messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert "\none\n" in messages[3].text
    assert messages[3].tool_call_id == messages[2].tool_calls[0].id


@in_loop
async def test_after_a_restart_the_window_is_rebuilt_from_the_log(tmp_path: Path) -> None:
    async with World(tmp_path, [call("cmd_run", command="echo one"), "it says one"]) as world:
        await world.say("what does it say")
        first = world.requests[-1].messages
    async with World(tmp_path, ["one, as I said"]) as world:
        await world.say("again?")
    again = world.requests[-1].messages
    assert again[2:4] == first[2:4]
    assert [message.role for message in again] == ["system", "user", "assistant", "tool", "assistant", "user"]


# -- tools that go wrong ----------------------------------------------------------------------------------------------


@tool
def refuses(path: str) -> str:
    """Refuse."""
    raise ToolError("path", "is a folder", "Name a file")


@tool
def breaks() -> str:
    """Break."""
    raise ZeroDivisionError("by zero")


@tool
def leaves() -> str:
    """Leave."""
    raise SystemExit(3)


@tool(timeout=0.2)
async def hangs() -> str:
    """Hang."""
    await asyncio.sleep(60)
    return ""


@tool(timeout=0.2)
def blocks(context: ToolContext) -> str:
    """Block its thread."""
    while not context.cancelled:
        time.sleep(0.01)
    return ""


@tool
def pictures() -> ToolResult:
    """Take a picture."""
    from homeagent_sdk import Attachment as Picture

    return ToolResult("a picture", attachments=(Picture("image/png", b"\x89PNG", "shot.png"),))


@tool
def bytes_out() -> bytes:
    """Return bytes."""
    return b"\xff\xfe\x00"


@tool
def prints() -> str:
    """Print."""
    print("to nobody")
    return "printed"


@tool
def sends(text: str) -> ToolResult:
    """Send a message."""
    return ToolResult(json.dumps({"status": "ok", "echo": text, "id": 77}), receipt="sent, id 77", data={"id": 77})


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (call("refuses", path="/srv"), {"field": "path", "reason": "is a folder", "hint": "Name a file"}),
        (call("refuses"), {"field": "path", "reason": "is missing", "hint": "Give a text"}),
        (
            call("refuses", pth="/"),
            {"field": "pth", "reason": "there is no such argument", "hint": "Did you mean path?"},
        ),
        (ToolCall("c1", "refuses", '{"path": "/sr'), {"field": "", "hint": "Send one JSON object"}),
        (
            ToolCall("c1", "refuse", "{}"),
            {"reason": "there is no tool 'refuse'", "hint": "Did you mean refuses or breaks?"},
        ),
        (call("breaks"), {"reason": "the tool failed: ZeroDivisionError: by zero"}),
        (call("leaves"), {"reason": "the tool failed: RuntimeError: SystemExit: 3"}),
        (call("hangs"), {"reason": "the tool failed: it did not finish within 0.2 seconds and was stopped"}),
        (call("blocks"), {"reason": "the tool failed: it did not finish within 0.2 seconds and was stopped"}),
    ],
)
@in_loop
async def test_a_call_that_goes_wrong_is_answered_with_a_structured_error(
    tmp_path: Path, asked: ToolCall, expected: dict[str, str]
) -> None:
    async with World(tmp_path, [asked, "sorry"], refuses, breaks, leaves, hangs, blocks) as world:
        assert await world.say("try") == "sorry"
        (_, _, segment, _) = world.raw()[0]
        assert world.statuses() == ["done"]
    answer = world.requests[-1].messages[-1]
    (problem, *_) = json.loads(answer.text.splitlines()[1])["error"]
    assert {name: problem[name] for name in expected} == expected
    assert segment.error
    assert segment.arguments == asked.arguments
    assert json.loads(segment.text)["error"][0] == problem


@in_loop
async def test_bytes_pictures_prints_and_receipts_are_all_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = tuple(
        call(name, number, **({"text": "hi"} if name == "sends" else {}))
        for number, name in enumerate(["pictures", "bytes_out", "prints", "sends"])
    )
    async with World(tmp_path, [Say(calls=calls), "done"], pictures, bytes_out, prints, sends) as world:
        await world.say("do it all")
        outputs = world.raw()[0][2:6]
    assert outputs[0].attachments == (Attachment("image/png", b"\x89PNG", "shot.png"),)
    assert outputs[1].text == "[3 bytes that are no text, kept as an attachment]"
    assert outputs[1].attachments[0].data == b"\xff\xfe\x00"
    assert outputs[2].text == "printed"
    assert json.loads(outputs[3].text)["echo"] == "hi"
    answers = [message.text for message in world.requests[-1].messages if message.role == "tool"]
    assert "sent, id 77" in answers[3]
    assert "echo" not in answers[3]
    assert [event.data for event in world.ui.of(ToolFinished)][3] == {"id": 77}  # type: ignore[union-attr]
    assert "to nobody" not in capsys.readouterr().out


@tool
def huge(letter: str = "x", size: int = 5_000_000) -> str:
    """Return a lot."""
    return "".join(f"{letter}{number:09}\n" for number in range(size // 11))


@in_loop
async def test_a_huge_result_is_kept_whole_and_shown_with_a_mark_and_a_way_to_read_on(tmp_path: Path) -> None:
    script = [
        call("huge"),
        call("read_more", 2, call="c1", offset=18_000),
        call("read_more", 3, call="c1", offset=99_999_999),
        call("read_more", 4, call="c9"),
        "read",
    ]
    async with World(tmp_path, script, huge) as world:
        await world.say("read it")
        segments = world.raw()[0]
        hidden = [row.decision for row in world.app.memory.computed(next(world.app.memory.turns()).turn_id)]
    whole = segments[2].text
    assert len(whole) > 4_900_000
    shown, more, beyond, unknown = [request.messages[-1].text for request in world.requests[1:]]
    assert len(shown) < 25_000
    start, end, length = 18_000, len(whole) - 6_000, len(whole)
    gap = f"characters {start:,} to {end:,} of {length:,} are left out here; read_more(call="
    assert f'{gap}"c1", offset=18000)' in shown
    assert whole[18_000:18_500] in more
    assert f"characters 34,000 to {length:,} follow: offset=34000" in more
    assert f"the result has {length} characters" in beyond
    assert "there is no result of a call 'c9' in view" in unknown
    assert hidden[4] == "hidden", "what is read again is not memorised again"


@pytest.mark.slow
@in_loop
async def test_fifty_megabytes_go_through(tmp_path: Path) -> None:
    async with World(tmp_path, [call("huge", size=50_000_000), "read", "ok"], huge) as world:
        await world.say("read it")
        assert len(world.raw()[0][2].text) > 49_000_000
        await world.say("and?")
    assert max(sum(len(message.text) for message in request.messages) for request in world.requests) < 60_000


# -- running several --------------------------------------------------------------------------------------------------


@in_loop
async def test_parallel_tools_run_at_the_same_time_and_answer_in_call_order(tmp_path: Path) -> None:
    running: list[str] = []
    most = 0

    @tool(parallel=True)
    async def waits(name: str, seconds: float) -> str:
        """Wait."""
        nonlocal most
        running.append(name)
        most = max(most, len(running))
        await asyncio.sleep(seconds)
        running.remove(name)
        return name

    @tool
    async def alone() -> str:
        """Be alone."""
        assert running == []
        return "alone"

    calls = (
        call("waits", 1, name="slow", seconds=0.3),
        call("waits", 2, name="fast", seconds=0.01),
        call("alone", 3),
        call("waits", 4, name="last", seconds=0.01),
    )
    async with World(tmp_path, [Say(calls=calls), "done"], waits, alone) as world:
        await world.say("all of it")
        kept = [each.text for each in world.raw()[0] if each.role == "tool"]
    answers = [message.text.splitlines()[1] for message in world.requests[-1].messages if message.role == "tool"]
    assert answers == ["slow", "fast", "alone", "last"]
    assert kept == ["fast", "slow", "alone", "last"], "each is in the log as soon as it is there"
    assert most == 2


@in_loop
async def test_the_same_call_again_and_again_is_refused(tmp_path: Path) -> None:
    count = 0

    @tool
    def polls(name: str) -> str:
        """Poll."""
        nonlocal count
        count += 1
        return "nothing new"

    script = [*[call("polls", number, name="x") for number in range(5)], call("polls", 9, name="y"), "done"]
    async with World(tmp_path, script, polls) as world:
        await world.say("poll")
    assert count == 4
    refused = [each.text for each in world.requests[-1].messages if "this very call was made 3 times" in each.text]
    assert len(refused) == 2


@in_loop
async def test_after_the_last_round_the_model_has_to_answer(tmp_path: Path) -> None:
    script = [call("files_read", number, path=f"/{number}") for number in range(2)]
    async with World(tmp_path, [*script, "enough"], rounds=3) as world:
        assert await world.say("go on for ever") == "enough"
    assert world.requests[-1].tools == ()
    assert "as often as you may" in world.requests[-1].messages[1].text
    assert world.requests[-2].tools


@in_loop
async def test_consent_and_progress_go_through_the_person(tmp_path: Path) -> None:
    @tool
    async def deletes(context: ToolContext, path: str) -> str:
        """Delete."""
        context.progress("looking")
        if not await context.ask(f"Delete {path}?"):
            raise ToolError("path", "the person said no")
        return "deleted"

    calls = [call("deletes", path="/a"), "no", call("deletes", path="/b"), "yes"]
    async with World(tmp_path, calls, deletes) as world:
        await world.say("delete a")
        assert world.ui.questions == ["Delete /a?"]
        assert [event.text for event in world.ui.of(ToolProgress)] == ["looking"]  # type: ignore[union-attr]
        world.ui.consent = True
        await world.say("delete b")
        outputs = [each.text for turn in world.raw() for each in turn if each.role == "tool"]
    assert "the person said no" in outputs[0]
    assert outputs[1] == "deleted"


# -- the model goes wrong ---------------------------------------------------------------------------------------------


@in_loop
async def test_when_the_model_is_down_the_words_are_kept_and_the_reason_is_shown(tmp_path: Path) -> None:
    down = ServerDownError("model source home", "can't be reached", "Start it")
    async with World(tmp_path, [down, "back again"]) as world:
        assert await world.say("root is the superuser") == ""
        (failed,) = world.ui.of(TurnFailed)
        assert failed.error is down  # type: ignore[union-attr]
        assert world.statuses() == ["failed"]
        assert world.hits("superuser")[0].text == "root is the superuser"
        assert await world.say("are you there") == "back again"
        assert world.statuses() == ["failed", "done"]


@in_loop
async def test_what_was_said_before_a_stream_broke_is_kept(tmp_path: Path) -> None:
    broken = Say("the answer is forty", error=ServerDownError("home", "gone", "Start it"))
    async with World(tmp_path, [broken]) as world:
        await world.say("what is the answer")
        assert [each.text for each in world.raw()[0]] == ["what is the answer", "the answer is forty"]
        assert world.statuses() == ["failed"]


@in_loop
async def test_a_cancelled_turn_is_interrupted_with_what_was_said_and_done(tmp_path: Path) -> None:
    @tool
    async def waits() -> str:
        """Wait."""
        started.set()
        await asyncio.sleep(60)
        return ""

    started = asyncio.Event()
    async with World(tmp_path, [Say("I will wait", (call("waits"),)), "fine"], waits) as world:
        turn = asyncio.create_task(world.say("wait"))
        await started.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert world.statuses() == ["interrupted"]
        segments = world.raw()[0]
        assert [each.role for each in segments] == ["user", "assistant", "tool"]
        assert (segments[2].text, segments[2].error) == ("[interrupted before it was finished]", True)
        ended = world.ui.events[-1]
        assert isinstance(ended, TurnEnded)
        assert ended.status == "interrupted"
        await world.say("what happened")
    roles = [message.role for message in world.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert world.requests[-1].messages[-2].text == NO_ANSWER


@in_loop
async def test_a_stream_that_is_cancelled_keeps_what_was_said(tmp_path: Path) -> None:
    async with World(tmp_path, ScriptedModel([Say("a long story about a cat" * 50)])) as world:
        turn = asyncio.create_task(world.say("tell me"))
        while not world.ui.of(TextDelta):
            await asyncio.sleep(0)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert world.statuses() == ["interrupted"]
        assert world.raw()[0][1].text.startswith("a long s")


@in_loop
async def test_two_chats_go_on_at_once_and_one_chat_waits_its_turn(tmp_path: Path) -> None:
    from homeagent.memory import Place

    script = ScriptedModel(lambda _request: Say("ok", pause=0.2))
    async with World(tmp_path, script) as world:
        started = time.perf_counter()
        await asyncio.gather(*(world.say("hi", place=Place("cli", name)) for name in ("a", "b", "c")))
        apart = time.perf_counter() - started
        await asyncio.gather(world.say("one"), world.say("two"))
        assert world.statuses() == ["done"] * 5
    assert apart < 5
    assert len(world.requests[-1].messages) == len(world.requests[-2].messages) + 2


@in_loop
async def test_nothing_of_a_private_turn_is_on_the_disk(tmp_path: Path) -> None:
    @tool
    async def notes(context: ToolContext, text: str) -> str:
        """Note."""
        return await context.memory.note(text)

    script = [call("notes", text="zqsecret88"), "zqsecret88 heard", "zqsecret88 again", "nothing"]
    async with World(tmp_path, script, notes) as world:
        await world.say("remember zqsecret88", private=True)
        await world.say("what did I say", private=True)
        assert "zqsecret88" in str(world.requests[-1].messages), "the private conversation goes on"
        await world.say("what did I say before")
        assert "zqsecret88" not in str(world.requests[-1].messages[:-1]), "and is gone after it"
        assert len(world.raw()) == 1
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"zqsecret88" not in path.read_bytes(), path


@in_loop
async def test_attachments_are_kept_and_go_to_models_that_take_them(tmp_path: Path) -> None:
    picture = Attachment("image/png", b"\x89PNG....", "cat.png")
    for takes, expected in ((frozenset({"image/*"}), 1), (frozenset(), 1)):
        home = tmp_path / str(len(takes))
        async with World(home, ScriptedModel(["a cat", "still"], takes=takes)) as world:
            await world.say("what is this", attachments=(picture,))
            await world.say("and now")
            assert world.raw()[0][0].attachments == (picture,)
        assert len(world.requests[-1].messages[1].attachments) == expected


@in_loop
async def test_a_stranger_who_calls_himself_owner_types_no_calls(tmp_path: Path) -> None:
    async with World(tmp_path, ScriptedModel(["no"])) as world:
        assert await world.say("/tool cmd_run echo typed", place=Place("mail", "anybody")) == "no"
        assert [each.role for each in world.raw()[0]] == ["user", "assistant"]
        assert "mail:owner" in world.requests[-1].messages[-1].text


@in_loop
async def test_a_typed_call_needs_no_model(tmp_path: Path) -> None:
    async with World(tmp_path, []) as world:
        assert await world.say("/tool cmd_run echo typed") == "typed\n"
        assert [each.role for each in world.raw()[0]] == ["user", "assistant", "tool", "assistant"]
        assert "there is no" in (await world.say("/tool cmd_rn x")).lower() or world.ui.events


@in_loop
async def test_what_is_forgotten_leaves_the_view_and_a_new_conversation_begins_empty(tmp_path: Path) -> None:
    async with World(tmp_path, ["one", "two", "three", "four"]) as world:
        await world.say("first")
        await world.say("second")
        taken = await world.app.agent.take_back(world.raw() and _here())
        assert taken is not None
        await world.say("third")
        assert "second" not in str(world.requests[-1].messages)
        assert "first" in str(world.requests[-1].messages)


def _here() -> object:
    from tests.agent.worlds import HERE

    return HERE


def test_the_small_tools_have_the_policies_of_the_real_ones() -> None:
    assert cmd_run.policy.no_memory
    assert files_read.policy.cleaner is not None
    assert Plugin("tools", "1", tools=[cmd_run, files_read])
