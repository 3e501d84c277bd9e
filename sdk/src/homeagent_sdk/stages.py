"""The stages of a turn, as decorators whose name tells what happens when one fails.

``decide`` may stop what is about to happen: it returns True, False or ``No("why")``; an error or a time-out is a no.
``transform`` returns a new value; an error or a time-out keeps the old one. ``observe`` returns nothing; an error is
logged. A stage takes any subset of its arguments, by name::

    @stage.on_input.decide
    def not_at_night(message: Message, turn: TurnInfo) -> bool | No: ...
"""

from __future__ import annotations

import difflib
import inspect
import types
import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from homeagent_sdk.context import PluginContext
from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.stage_data import Message, No, Output, Prompt, Reply, ToolCall, ToolOutcome, TurnInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["STAGES", "StageHandler", "StageShape", "Stages", "Verb", "check_handler", "stage"]

Verb = Literal["decide", "transform", "observe"]
"""What a handler does; how it fails is in the name."""


@dataclass(frozen=True, slots=True)
class StageShape:
    """One stage: what may be done in it, and what its handlers may ask for by name.

    ``value`` is the name of the argument that a transform returns anew.
    """

    name: str
    verbs: tuple[Verb, ...]
    value: str
    arguments: tuple[tuple[str, type], ...]


_EVERYWHERE: Final = (("turn", TurnInfo), ("context", PluginContext))


def _shape(name: str, verbs: tuple[Verb, ...], *arguments: tuple[str, type]) -> StageShape:
    return StageShape(name, verbs, arguments[0][0], (*arguments, *_EVERYWHERE))


_MESSAGE: Final = ("message", Message)
_CALL: Final = ("call", ToolCall)

STAGES: Final = (
    _shape("on_input", ("decide", "transform"), _MESSAGE),
    _shape("pre_action", ("transform",), ("prompt", Prompt), _MESSAGE),
    _shape("post_action", ("decide", "transform", "observe"), ("reply", Reply), _MESSAGE),
    _shape("before_toolcall", ("decide", "transform"), _CALL),
    _shape("after_toolcall", ("transform", "observe"), ("outcome", ToolOutcome), _CALL),
    _shape("before_output", ("transform",), ("output", Output)),
    _shape("after_output", ("observe",), ("output", Output)),
)
"""Every stage, in the order in which a turn comes to them."""


@dataclass(frozen=True, eq=False)
class StageHandler:
    """A function that takes part in a stage; calling it calls the function. ``takes`` are the arguments it asks for."""

    stage: str
    verb: Verb
    function: Callable[..., object]
    takes: tuple[str, ...]

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.function, "__name__", repr(self.function))

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call the function, with its own arguments and result."""
        return self.function(*args, **kwargs)


def _handler(stage: str, verb: Verb, function: Callable[..., object]) -> StageHandler:
    if not inspect.isfunction(function):
        where = f"@stage.{stage}.{verb}"
        raise DeclarationError(where, f"{function!r} is no function", "Put it on a def or async def")
    return StageHandler(stage, verb, function, tuple(inspect.signature(function).parameters))


class _Stage:
    def __init__(self, name: str) -> None:
        self._name = name


class _Decide(_Stage):
    def decide(self, function: Callable[..., object]) -> StageHandler:
        """Say whether it goes on; an error or a time-out counts as no."""
        return _handler(self._name, "decide", function)


class _Transform(_Stage):
    def transform(self, function: Callable[..., object]) -> StageHandler:
        """Return a new value; an error or a time-out keeps the old one."""
        return _handler(self._name, "transform", function)


class _Observe(_Stage):
    def observe(self, function: Callable[..., object]) -> StageHandler:
        """Take note; an error or a time-out is logged."""
        return _handler(self._name, "observe", function)


class _DecideTransform(_Decide, _Transform):
    pass


class _TransformObserve(_Transform, _Observe):
    pass


class _DecideTransformObserve(_Decide, _Transform, _Observe):
    pass


class Stages:
    """The stages, each with the verbs it has: ``@stage.on_input.decide``."""

    on_input: Final = _DecideTransform("on_input")
    """Called when a message has come in, before anything else."""
    pre_action: Final = _Transform("pre_action")
    """Called once a turn, before the model is asked for the first time."""
    post_action: Final = _DecideTransformObserve("post_action")
    """Called after each answer of the model. A no ends the turn; a transform may take calls out."""
    before_toolcall: Final = _DecideTransform("before_toolcall")
    """Called before each call of a tool. The model is told a no; new arguments are checked again."""
    after_toolcall: Final = _TransformObserve("after_toolcall")
    """Called after each call. A transform changes what the model reads, never what is kept."""
    before_output: Final = _Transform("before_output")
    """Called before text goes to the person; with it the text is sent whole and not as it is written."""
    after_output: Final = _Observe("after_output")
    """Called when the answer has gone out."""


stage: Final = Stages()
"""The stages of a turn as decorators: ``@stage.on_input.decide``, ``@stage.before_output.transform``..."""


def check_handler(handler: StageHandler, where: str) -> None:
    """Raise ``DeclarationError``, beginning with ``where``, when a handler can't be called or says the wrong types."""
    place = f"{where}, {handler.stage}.{handler.verb} {handler.name}"
    shape = next(shape for shape in STAGES if shape.name == handler.stage)
    known = dict(shape.arguments)
    for name, parameter in inspect.signature(handler.function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise DeclarationError(place, f"{name!r} isn't an argument with a name", f"Take some of {_listed(known)}")
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            fix = f"Did you mean {close[0]}? There are {_listed(known)}" if close else f"There are {_listed(known)}"
            raise DeclarationError(place, f"the stage has no argument {name!r}", fix)
    hints = _hints(handler, place)
    for name, hint in hints.items():
        if name != "return" and hint is not known[name]:
            raise DeclarationError(place, f"{name!r} is no {_type_name(hint)}", f"Write {name}: {known[name].__name__}")
    if "return" in hints:
        _check_return(handler.verb, hints["return"], known[shape.value], place)


def _check_return(verb: Verb, hint: object, value: type, place: str) -> None:
    match verb:
        case "decide":
            arms = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
            if not set(arms) <= {bool, No}:
                raise DeclarationError(place, f"it returns {_type_name(hint)}", "Write -> bool or -> bool | No")
        case "transform":
            if hint is not value:
                raise DeclarationError(place, f"it returns {_type_name(hint)}", f"Write -> {value.__name__}")
        case "observe":
            if hint not in (None, type(None)):
                raise DeclarationError(place, f"it returns {_type_name(hint)}", "Write -> None")


def _hints(handler: StageHandler, place: str) -> dict[str, object]:
    try:
        return typing.get_type_hints(handler.function)
    except (NameError, TypeError, SyntaxError, AttributeError) as problem:
        raise DeclarationError(
            place, f"an annotation can't be resolved: {problem}", "Import the type at the top of the module"
        ) from None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _type_name(hint: object) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)
