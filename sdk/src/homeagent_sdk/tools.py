"""``@tool``: a typed function is the whole declaration of a tool; a gap in it is an error when it is imported."""

from __future__ import annotations

import copy
import difflib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, ParamSpec, TypedDict, TypeVar, Unpack, overload

from homeagent_sdk.cleaner_language import parse_cleaner
from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.pipeline import Cleaner
from homeagent_sdk.policy import MemoryPolicy
from homeagent_sdk.signature import Signature, place_of, read_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from homeagent_sdk.schema import JsonSchema

__all__ = ["AnyTool", "Tool", "ToolOptions", "tool"]

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_LONGEST_TIMEOUT = 86_400


@dataclass(frozen=True, eq=False)
class Tool(Generic[P, R]):
    """A declared tool; calling it calls the function.

    ``version`` is the number the author raises when the tool's results mean something else; ``parallel`` allows calls
    at the same time; ``returns_memory`` marks outputs that are recalled memory and must not be memorised again;
    ``timeout`` is how many seconds a call may take, None for what the host allows; ``confirm`` asks the person before.
    """

    function: Callable[P, R]
    name: str
    policy: MemoryPolicy
    returns_memory: bool
    parallel: bool
    version: int
    signature: Signature = field(repr=False)
    timeout: float | None = None
    confirm: bool = False

    def __post_init__(self) -> None:
        # So that inspect, help() and doctest see the function behind the tool.
        vars(self).update(
            __wrapped__=self.function,
            __doc__=self.function.__doc__,
            __name__=self.function.__name__,
            __qualname__=self.function.__qualname__,
            __module__=self.function.__module__,
        )

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function, with its own arguments and result."""
        return self.function(*args, **kwargs)

    @property
    def description(self) -> str:
        """What the tool does, for the model: the docstring without its parameter part."""
        return self.signature.description

    @property
    def parameters(self) -> JsonSchema:
        """The JSON schema of the arguments, a fresh copy; unknown arguments are refused by it."""
        return copy.deepcopy(self.signature.parameters)

    @property
    def defaults(self) -> Mapping[str, object]:
        """What the arguments that may be left out are then, as JSON values."""
        properties = self.signature.parameters.get("properties")
        found = properties.items() if isinstance(properties, dict) else ()
        return {str(name): each["default"] for name, each in found if isinstance(each, dict) and "default" in each}

    @property
    def parameter_types(self) -> Mapping[str, object]:
        """The resolved type of each parameter in ``parameters``, to convert JSON values with."""
        return dict(self.signature.types)

    @property
    def context_parameter(self) -> str | None:
        """The name of the parameter that takes the ``ToolContext``, or None."""
        return self.signature.context_parameter

    @property
    def is_async(self) -> bool:
        """Whether calling it gives a coroutine."""
        return self.signature.is_async


AnyTool = Tool[..., object]
"""A tool of whatever signature."""


class ToolOptions(TypedDict, total=False):
    """What may be written in ``@tool(...)``; each has a default."""

    name: str
    """The name the model sees; the function's name if left out."""
    no_memory: bool
    """Neither output nor arguments enter computation."""
    cleaner: Cleaner | Callable[[str], str] | str | None
    """Only its result enters computation: a ``Cleaner``, a function, or a text such as ``html() | head(4000)``."""
    returns_memory: bool
    """The output is recalled memory, which is never memorised again."""
    parallel: bool
    """Calls may run at the same time."""
    version: int
    """Raise it when the tool's results mean something else; from 1 on."""
    timeout: float | None
    """How many seconds a call may take; the host's limit (60) if left out."""
    confirm: bool
    """The person is asked before each call and shown its arguments; without a yes it is not made."""


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...


@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Callable[P, R]], Tool[P, R]]: ...


def tool(
    function: Callable[P, R] | None = None, /, **options: Unpack[ToolOptions]
) -> Tool[P, R] | Callable[[Callable[P, R]], Tool[P, R]]:
    """Declare a typed function, sync or async, as a tool: ``@tool`` or ``@tool(no_memory=True)``.

    Its name, docstring and signature are what the model sees; see ``ToolOptions`` for the rest. Raises
    ``DeclarationError`` for any gap.
    """
    if function is not None:
        return _declare(function, options)
    return lambda declared: _declare(declared, options)


def _declare(function: Callable[P, R], options: ToolOptions) -> Tool[P, R]:
    where = place_of(function)
    _check_options(where, options)
    signature = read_signature(function, where)
    name = options.get("name", function.__name__)
    if not _NAME.fullmatch(str(name)):
        raise DeclarationError(
            where,
            f"{name!r} can't be the name of a tool",
            "Use at most 64 letters, digits, _ or -, the first one a letter",
        )
    return Tool(
        function,
        name,
        _policy(where, options),
        returns_memory=options.get("returns_memory", False),
        parallel=options.get("parallel", False),
        version=options.get("version", 1),
        signature=signature,
        timeout=options.get("timeout"),
        confirm=options.get("confirm", False),
    )


def _check_options(where: str, options: ToolOptions) -> None:
    known = ToolOptions.__annotations__
    for option in options:
        if option not in known:
            close = difflib.get_close_matches(option, known, n=1)
            fix = f"Did you mean {close[0]}?" if close else f"There are {', '.join(known)}"
            raise DeclarationError(where, f"there is no option {option!r}", fix)
    version: object = options.get("version", 1)
    if type(version) is not int or version < 1:
        raise DeclarationError(where, f"version is {version!r}", "Write a whole number from 1 on")
    timeout: object = options.get("timeout")
    if timeout is not None and not _is_timeout(timeout):
        raise DeclarationError(where, f"timeout is {timeout!r}", "Write seconds, more than 0 and at most a day")
    flags: dict[str, object] = {
        "confirm": options.get("confirm", False),
        "parallel": options.get("parallel", False),
        "returns_memory": options.get("returns_memory", False),
    }
    for option, value in flags.items():
        if not isinstance(value, bool):
            raise DeclarationError(where, f"{option} is {value!r}", "Write True or False")


def _is_timeout(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _LONGEST_TIMEOUT


def _policy(where: str, options: ToolOptions) -> MemoryPolicy:
    try:
        return MemoryPolicy(options.get("no_memory", False), _cleaner(options.get("cleaner")))
    except DeclarationError as error:
        raise DeclarationError(f"{where}, {error.where}", error.problem, error.next_step) from None


def _cleaner(cleaner: Cleaner | Callable[[str], str] | str | None) -> Cleaner | None:
    if cleaner is None or isinstance(cleaner, Cleaner):
        return cleaner
    if isinstance(cleaner, str):
        return parse_cleaner(cleaner)
    from homeagent_sdk.function_cleaners import function_cleaner

    return function_cleaner(cleaner)
