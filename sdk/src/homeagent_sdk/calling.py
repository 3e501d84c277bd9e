"""Running the functions of a plugin: sync ones in a thread of their own, so that none of them holds up the loop."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import json
import threading
from typing import TYPE_CHECKING, TypeVar, cast

from homeagent_sdk.errors import ToolError
from homeagent_sdk.results import as_result

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from homeagent_sdk.context import ToolContext
    from homeagent_sdk.results import ToolResult
    from homeagent_sdk.tools import AnyTool

__all__ = ["call_function", "call_tool"]

T = TypeVar("T")


async def call_tool(tool: AnyTool, context: ToolContext, arguments: Mapping[str, object]) -> ToolResult:
    """Call a tool with converted ``arguments`` and return its result. Raises whatever the tool raises.

    A tool with ``confirm`` is called when the person says yes, and raises ``ToolError`` when they don't.
    """
    if tool.confirm and not await context.ask(_question(tool, arguments)):
        raise ToolError("", "the person did not agree to this", "Don't try it another way: ask what they want")
    given = dict(arguments)
    if tool.context_parameter is not None:
        given[tool.context_parameter] = context
    value = await call_function(lambda: tool(**given), is_async=tool.is_async)
    # A large result takes seconds to write as JSON or to decode.
    return await _in_thread(lambda: as_result(value)) if not isinstance(value, str) else as_result(value)


async def call_function(function: Callable[[], T | Awaitable[T]], *, is_async: bool) -> T:
    """Call a function, in a thread of its own unless it is async. Raises whatever it raises.

    When the caller is cancelled an async function is too; a thread can't be, it goes on unheard and keeps no process
    from ending.
    """
    if is_async:
        return await cast("Awaitable[T]", function())
    value = await _in_thread(function)
    # A sync function may hand back a coroutine: a lambda, a partial, a decorated one.
    return await value if inspect.isawaitable(value) else value


def _question(tool: AnyTool, arguments: Mapping[str, object]) -> str:
    """Ask in both languages, since a plugin does not know which one they speak, in words that hide nothing."""
    given = {**tool.defaults, **arguments}
    told = [(name, given[name]) for name in tool.parameter_types if name in given]
    lines = [f"  {name} = {json.dumps(value, ensure_ascii=False, default=str)}" for name, value in told]
    asked = "\n".join((f"May I do this? 可以这样做吗？ {tool.name}", *lines))
    return "".join(each if each.isprintable() or each == "\n" else _written_out(each) for each in asked)


def _written_out(character: str) -> str:
    r"""Return a character as ``\x1b`` or ``\u202e``: otherwise it could turn the words of the question around."""
    return character.encode("unicode_escape").decode("ascii")


async def _in_thread(function: Callable[[], T]) -> T:
    # Not asyncio.to_thread: its pool is small, and it waits for threads that hang when the loop ends.
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()
    surroundings = contextvars.copy_context()

    def settle(deliver: Callable[[], None]) -> None:
        def unless_settled() -> None:
            if not outcome.done():
                deliver()

        with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits
            loop.call_soon_threadsafe(unless_settled)

    def work() -> None:
        try:
            value = surroundings.run(function)
        except BaseException as error:  # noqa: BLE001 - handed on to whoever waits
            failed = error if isinstance(error, Exception) and not isinstance(error, StopIteration) else _tamed(error)
            settle(lambda: outcome.set_exception(failed))
        else:
            settle(lambda: outcome.set_result(value))

    threading.Thread(target=work, name="plugin", daemon=True).start()
    return await outcome


def _tamed(error: BaseException) -> RuntimeError:
    """Return what a loop can carry in place of sys.exit() and the like, which would end it."""
    tamed = RuntimeError(f"{type(error).__name__}: {error}")
    tamed.__cause__ = error
    return tamed
