from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from homeagent_sdk import (
    DeclarationError,
    Message,
    No,
    Output,
    Plugin,
    PluginContext,
    Prompt,
    Secret,
    SettingsError,
    ToolCall,
    ToolOutcome,
    TurnInfo,
    stage,
    tool,
)
from homeagent_sdk.settings import read_settings, settings_schema
from homeagent_sdk.stages import STAGES


@dataclass(frozen=True)
class Weather:
    city: Annotated[str, "where it is asked for"] = "Berlin"
    key: Annotated[Secret, "of the service"] = Secret()  # noqa: RUF009 - frozen, as its settings are
    days: int = 3


@tool
def forecast(days: int = 1) -> str:
    """Tell the weather."""
    return f"sunny for {days}"


@stage.on_input.decide
def allowed(message: Message, turn: TurnInfo) -> bool | No:
    return No("not now") if turn.private else bool(message.text)


@stage.before_toolcall.transform
async def milder(call: ToolCall) -> ToolCall:
    return call


def test_a_plugin_is_one_value_that_holds_everything() -> None:
    plugin = Plugin("weather", "1.0.0", tools=[forecast], stages=[allowed, milder], settings=Weather)
    assert [each.name for each in plugin.tools] == ["forecast"]
    assert [(each.stage, each.verb, each.takes) for each in plugin.stages] == [
        ("on_input", "decide", ("message", "turn")),
        ("before_toolcall", "transform", ("call",)),
    ]


def test_a_handler_can_be_called_as_the_function_it_is() -> None:
    turn = TurnInfo("t1", "cli", "main", "owner", private=True)
    assert allowed(Message("hi"), turn) == No("not now")


def test_the_stages_and_their_verbs_are_those_of_the_design() -> None:
    assert {shape.name: shape.verbs for shape in STAGES} == {
        "on_input": ("decide", "transform"),
        "pre_action": ("transform",),
        "post_action": ("decide", "transform", "observe"),
        "before_toolcall": ("decide", "transform"),
        "after_toolcall": ("transform", "observe"),
        "before_output": ("transform",),
        "after_output": ("observe",),
    }
    for shape in STAGES:
        decorators = getattr(stage, shape.name)
        assert {verb for verb in ("decide", "transform", "observe") if hasattr(decorators, verb)} == set(shape.verbs)


def unknown_argument(mesage: Message) -> bool:
    return True


def wrong_type(message: Output) -> bool:
    return True


def wrong_return(message: Message) -> str:
    return ""


def all_arguments(*message: Message) -> bool:
    return True


def wrong_value(prompt: Prompt) -> Message:
    return Message("")


def says_something(outcome: ToolOutcome) -> ToolOutcome:
    return outcome


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        (
            stage.on_input.decide(unknown_argument),
            (
                "on_input.decide unknown_argument: the stage has no argument 'mesage'. "
                "Did you mean message? There are message, turn, context"
            ),
        ),
        (
            stage.on_input.decide(wrong_type),
            "on_input.decide wrong_type: 'message' is no Output. Write message: Message",
        ),
        (
            stage.on_input.decide(wrong_return),
            "on_input.decide wrong_return: it returns str. Write -> bool or -> bool | No",
        ),
        (
            stage.on_input.decide(all_arguments),
            (
                "on_input.decide all_arguments: 'message' isn't an argument with a name. "
                "Take some of message, turn, context"
            ),
        ),
        (
            stage.pre_action.transform(wrong_value),
            "pre_action.transform wrong_value: it returns Message. Write -> Prompt",
        ),
        (
            stage.after_toolcall.observe(says_something),
            "after_toolcall.observe says_something: it returns ToolOutcome. Write -> None",
        ),
    ],
)
def test_a_handler_that_can_not_work_is_refused_with_the_plugin_named(handler: object, message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        Plugin("weather", "1.0.0", stages=[handler])  # type: ignore[list-item]
    assert str(caught.value) == f"plugin 'weather', {message}"


def two_arguments(one: object, two: object) -> None: ...


@dataclass
class Thawed:
    city: str = ""


@dataclass(frozen=True)
class WithoutDefault:
    city: str


@dataclass(frozen=True)
class Odd:
    thing: complex = 1j


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": "Weather"}, "this can't be its name"),
        ({"version": "new"}, "'new' is no version"),
        ({"tools": [len]}, "is no Tool. Put @tool on the function"),
        ({"tools": [forecast, forecast]}, "it has two tools named 'forecast'"),
        ({"stages": [forecast]}, "is no StageHandler"),
        ({"settings": Thawed}, "settings Thawed: it is no frozen dataclass"),
        ({"settings": WithoutDefault}, "'city' has no default"),
        ({"settings": Odd}, "complex is not supported"),
        ({"on_start": two_arguments}, "on_start: it doesn't take exactly one argument"),
    ],
)
def test_a_plugin_that_can_not_work_is_refused_where_it_is_written(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        Plugin(**{"name": "weather", "version": "1.0.0", **fields})  # type: ignore[arg-type]
    assert str(caught.value).startswith("plugin ")
    assert message in str(caught.value)


def test_settings_are_read_into_their_class() -> None:
    found = read_settings(Weather, {"city": "Wien", "key": "abc", "days": "5"}, "config")
    assert found == Weather("Wien", Secret("abc"), 5)
    assert read_settings(Weather, {}, "config") == Weather()


def test_everything_wrong_with_settings_is_said_with_its_key() -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(Weather, {"citty": "Wien", "days": "many", "key": 5}, "config.toml [plugins.weather]")
    assert [tuple(each) for each in caught.value.problems] == [
        ("citty", "there is no such setting", "Did you mean city?"),
        ("days", 'is "many"', "Give a whole number"),
        ("key", "a secret is a text", 'Write key = "..."'),
    ]
    assert str(caught.value).startswith("config.toml [plugins.weather]: citty: there is no such setting;")


def test_the_schema_of_settings_flags_secrets_and_never_shows_one() -> None:
    schema = settings_schema(Weather)
    assert schema["properties"] == {
        "city": {"type": "string", "description": "where it is asked for", "default": "Berlin"},
        "key": {"type": "string", "format": "password", "writeOnly": True, "description": "of the service"},
        "days": {"type": "integer", "default": 3},
    }


def test_a_secret_shows_itself_only_when_it_is_asked() -> None:
    secret = Secret("hunter2")
    assert "hunter2" not in f"{secret} {secret!r} {Weather(key=secret)}"
    assert secret.reveal() == "hunter2"
    assert secret
    assert not Secret()
    assert secret == Secret("hunter2")
    assert len({secret, Secret("hunter2")}) == 1


def test_only_a_function_can_be_a_handler() -> None:
    with pytest.raises(DeclarationError, match="is no function"):
        stage.on_input.decide(print)


def test_a_context_parameter_may_be_asked_for_by_a_hook() -> None:
    def start(context: PluginContext) -> str:
        return context.plugin

    assert Plugin("weather", "1", on_start=start).on_start is start
