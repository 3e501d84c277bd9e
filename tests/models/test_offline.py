"""Without a model: answers out of memory, and tools that a person calls by hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from homeagent.models import (
    Message,
    ModelRequest,
    OfflineModel,
    Recalled,
    ToolCall,
    ToolSpec,
    answer_from_memory,
    complete,
    parse_tool_command,
)
from tests.models.server import in_loop


def tool(name: str, required: tuple[str, ...] = (), **properties) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return ToolSpec(name, "", schema)


TEXT = {"type": "string"}
RUN = tool("cmd_run", ("command",), command=TEXT, timeout={"type": "integer"})
MANY = tool(
    "many",
    (),
    text=TEXT,
    number={"type": "number"},
    flag={"type": "boolean"},
    tags={"type": "array", "items": {"type": "integer"}},
    maybe={"anyOf": [{"type": "array", "items": TEXT}, {"type": "null"}]},
    either={"anyOf": [{"type": "string"}, {"type": "integer"}]},
    unit={"type": "string", "enum": ["c", "f"]},
    table={"type": "object"},
    free={},
)
WRITE = tool("files_write", ("path", "text"), path=TEXT, text=TEXT)
SPECS = (RUN, MANY, WRITE)


@pytest.mark.parametrize(
    ("typed", "name", "arguments"),
    [
        ("/tool cmd_run command=id", "cmd_run", {"command": "id"}),
        ('/tool cmd_run command="ls -l /tmp" timeout=5', "cmd_run", {"command": "ls -l /tmp", "timeout": 5}),
        ("/tool cmd_run ls -l 'a b' --opt=x", "cmd_run", {"command": "ls -l 'a b' --opt=x"}),
        ("/tool cmd_run cat /etc/passwd | head", "cmd_run", {"command": "cat /etc/passwd | head"}),
        ("/tool cmd_run x=1 ./deploy", "cmd_run", {"command": "x=1 ./deploy"}),
        ('/tool cmd_run {"command": "id", "timeout": 3}', "cmd_run", {"command": "id", "timeout": 3}),
        (r"/tool many text=C:\dir\d+", "many", {"text": r"C:\dir\d+"}),
        ("/tool many text='a \"b\"'　number=1.5　flag=是", "many", {"text": 'a "b"', "number": 1.5, "flag": True}),
        ("/tool many text＝你好 flag=off", "many", {"text": "你好", "flag": False}),
        ("/tool many tags=1,2，3", "many", {"tags": [1, 2, 3]}),
        ("/tool many tags=1 tags=2", "many", {"tags": [1, 2]}),
        ("/tool many tags=[1,2]", "many", {"tags": [1, 2]}),
        ("/tool many maybe=null either=7 unit=c", "many", {"maybe": None, "either": 7, "unit": "c"}),
        ("/tool many maybe=a,b either=seven", "many", {"maybe": ["a", "b"], "either": "seven"}),
        ("/tool many table='{\"a\": [1]}' free=x=y text=", "many", {"table": {"a": [1]}, "free": "x=y", "text": ""}),
        ("  /tool   many  ", "many", {}),
        ("/tool files_write path=a.txt text='1\n2'", "files_write", {"path": "a.txt", "text": "1\n2"}),
    ],
)
def test_a_command_is_read_by_the_tools_schema(typed, name, arguments) -> None:
    call = parse_tool_command(typed, SPECS)

    assert isinstance(call, ToolCall), call
    assert (call.name, json.loads(call.arguments)) == (name, arguments)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/tool", "There are: cmd_run, files_write, many."),
        ("/tool cmdrun id", "There is no tool cmdrun. Did you mean cmd_run?"),
        ("/tool cmd_run", "command is missing. It takes command, [timeout]."),
        ("/tool cmd_run command=id timeout=soon", "timeout must be integer, not 'soon'"),
        ("/tool cmd_run command='id", "a quotation mark is not closed"),
        ("/tool cmd_run command=a command=b", "command is given twice"),
        ("/tool cmd_run command=a b", "'b' is not key=value"),
        ("/tool cmd_run {oops}", "are no JSON"),
        ("/tool many flg=1", "there is no argument flg. Did you mean flag?"),
        ("/tool many unit=k", "unit must be c, f, not 'k'"),
        ("/tool many tags=1,x", "each item must be integer, not 'x'"),
        ("/tool many tags=[1", "is no JSON list"),
        ("/tool files_write path=a", "text is missing. It takes path, text."),
    ],
)
def test_a_wrong_command_is_answered_with_what_is_wrong(typed, said) -> None:
    answer = parse_tool_command(typed, SPECS)

    assert isinstance(answer, str)
    assert said in answer


def test_an_answer_lists_what_memory_holds_in_the_language_of_the_question() -> None:
    recalled = (Recalled("root, uid 0, is the superuser ", "cli", datetime(2026, 3, 1, tzinfo=UTC)), Recalled("小满"))

    assert answer_from_memory("谁是超级管理员", recalled).splitlines() == [
        "记忆里有这些：",
        "- root, uid 0, is the superuser (2026-03-01, cli)",
        "- 小满",
    ]
    assert answer_from_memory("who is root", recalled).startswith("This is what I remember:\n- root")
    assert answer_from_memory("who", ()) == "I find nothing about that in my memory."
    assert answer_from_memory("谁", ()) == "我的记忆里没有相关的内容。"


@in_loop
async def test_a_conversation_without_a_model() -> None:
    model = OfflineModel(lambda question, recalled: f"{question}: {len(recalled)}", new_id=lambda: "c1")
    command = ModelRequest((Message("user", "/tool cmd_run id"),), SPECS)
    called = (await complete(model, command)).message
    output = Message("tool", "x" * 5000, tool_call_id="c1", name="cmd_run")
    shown = (await complete(model, ModelRequest((*command.messages, called, output), SPECS))).message.text

    assert called.tool_calls == (ToolCall("c1", "cmd_run", '{"command": "id"}'),)
    assert shown == "x" * 4000 + "\n[... 1,000 more characters; the whole output is kept with this turn]"
    assert (await complete(model, ModelRequest((Message("user", "hi"),)))).message.text == "hi: 0"
    assert "There is no tool" in (await complete(model, ModelRequest((Message("user", "/tool x"),)))).message.text
    assert (await complete(model, ModelRequest(()))).message.text == ": 0"
