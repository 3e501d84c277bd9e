"""Running the calls that a model asks for: checked, limited in time, kept in the log, answered whatever happens."""

from __future__ import annotations

import asyncio
import contextvars
import difflib
import json
import logging
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from homeagent.agent.consent import Consent
from homeagent.agent.events import CallRefused, ToolFinished, ToolProgress, ToolStarted
from homeagent.agent.rendering import tool_answer
from homeagent.agent.turn_memory import TurnMemory
from homeagent.errors import HomeAgentError
from homeagent.memory import Attachment, Segment, TurnId
from homeagent.plugins import CallSeat, Deadline, Failure, Interrupted, guarded
from homeagent_sdk import ArgumentsError, No, Problem, ToolCall, ToolError, ToolOutcome, ToolResult
from homeagent_sdk.convert import parse_arguments
from homeagent_sdk.results import error_result

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from homeagent import models
    from homeagent.agent.incoming import OpenTurn
    from homeagent.agent.ports import MemoryPort
    from homeagent.agent.settings import AgentSettings
    from homeagent.models.messages import Message
    from homeagent.plugins import Registry, StageEngine, ToolDeclaration

__all__ = ["Toolbox"]

_log = logging.getLogger("homeagent.agent")
_MOST_CHARACTERS = 200_000_000
_STOPPED = "[interrupted before it was finished]"
_ASK_AGAIN = "Do something else, or tell the person what is in the way"


@dataclass(frozen=True, slots=True)
class _Ran:
    """What came of a call: what is kept, and the call as it ran (None when it did not)."""

    result: ToolResult
    call: ToolCall | None
    seconds: float = 0.0


class Toolbox:
    """The tools of one turn."""

    def __init__(
        self, turn: OpenTurn, registry: Registry, stages: StageEngine, memory: MemoryPort, settings: AgentSettings
    ) -> None:
        self._turn = turn
        self._registry = registry
        self._stages = stages
        self._settings = settings
        self._memory = memory
        self._asked: Counter[tuple[str, str]] = Counter()

    async def run(self, calls: Sequence[models.messages.ToolCall], offered: Sequence[str]) -> list[Message]:
        """Run calls and return their answers, in the order of the calls.

        Neighbours that all allow it run at the same time. ``offered`` are the tools that the model may call.
        """
        answers: list[Message] = []
        for group in self._groups(calls):
            answers += await self._together(group, offered)
        return answers

    async def _together(self, group: Sequence[models.messages.ToolCall], offered: Sequence[str]) -> list[Message]:
        broken: BaseException | None = None
        running: list[asyncio.Task[Message]] = []
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(self._answer(call, offered)) for call in group]
        except* HomeAgentError as errors:  # the log can't be written
            broken = errors.exceptions[0]
        if broken is not None:
            raise broken
        return [task.result() for task in running]

    def _groups(self, calls: Sequence[models.messages.ToolCall]) -> list[list[models.messages.ToolCall]]:
        groups: list[list[models.messages.ToolCall]] = []
        open_to_more = False
        for call in calls:
            tool = self._registry.tools.get(call.name)
            parallel = tool is not None and tool.parallel
            if parallel and open_to_more:
                groups[-1].append(call)
            else:
                groups.append([call])
            open_to_more = parallel
        return groups

    async def _answer(self, call: models.messages.ToolCall, offered: Sequence[str]) -> Message:
        """Run one call; its output is in the log before anything else is made of it."""
        tool = self._registry.tools.get(call.name) if call.name in offered else None
        self._turn.ui.show(ToolStarted(call.id, call.name, call.arguments))
        try:
            ran = await self._run(call, tool) if tool is not None else _Ran(self._unknown(call.name, offered), None)
        except asyncio.CancelledError as interrupted:
            await self._turn.add(_segment(call, _so_far(interrupted), tool))
            raise
        await self._turn.add(_segment(_as_run(call, ran), ran.result, tool))
        outcome = await self._after(ran)
        self._turn.ui.show(
            ToolFinished(call.id, call.name, outcome.text, outcome.error, outcome.seconds, ran.result.data)
        )
        attachments = [Attachment(each.media_type, each.data, each.name) for each in ran.result.attachments]
        return tool_answer(call, outcome.text, attachments, self._settings.result_characters)

    async def _run(self, asked: models.messages.ToolCall, tool: ToolDeclaration) -> _Ran:
        started = time.monotonic()
        runner = self._registry.runner(tool.plugin)
        try:
            call = ToolCall(asked.id, asked.name, parse_arguments(asked.arguments))
            if (unfit := await self._unfit(runner.check(call), tool)) is not None:
                return _Ran(unfit, None)
            refused = self._too_often(call) or await self._stages.decide(
                "before_toolcall", call=call, turn=self._turn.info
            )
            if refused is not None:
                self._turn.ui.show(CallRefused(asked.id, asked.name, refused.reason))
                return _Ran(error_result([Problem("", f"not done: {refused.reason}", _ASK_AGAIN)]), None)
            call = await self._stages.transform("before_toolcall", "call", call, turn=self._turn.info)
            if (unfit := await self._unfit(runner.check(call), tool)) is not None:
                return _Ran(unfit, None)
        except ArgumentsError as error:
            return _Ran(error_result(error.problems), None)
        seat, deadline = self._seat(asked, tool.timeout or self._settings.tool_seconds)
        outcome = await guarded(runner.call(call, seat), deadline)
        if isinstance(outcome, Failure):
            outcome = self._failed(outcome, tool)
        elif len(outcome.text) > _MOST_CHARACTERS:
            reason = f"the tool returned {len(outcome.text):,} characters; nothing of them was kept"
            outcome = error_result([Problem("", reason, "Ask for less")])
        return _Ran(outcome, call, time.monotonic() - started)

    async def _unfit(self, check: Awaitable[None], tool: ToolDeclaration) -> ToolResult | None:
        """Return why a call can't be made: its arguments, or a plugin that is gone or silent; None if it can."""
        outcome = await guarded(check, tool.timeout or self._settings.tool_seconds)
        return self._failed(outcome, tool) if isinstance(outcome, Failure) else None

    def _seat(self, call: models.messages.ToolCall, seconds: float) -> tuple[CallSeat, Deadline]:
        deadline = Deadline(seconds)
        loop = asyncio.get_running_loop()
        ui = self._turn.ui
        ours = contextvars.copy_context()  # a tool's own context sends what is printed to its log, the person's too

        async def ask(question: str) -> bool:
            with deadline.paused():
                try:
                    async with asyncio.timeout(self._settings.ask_seconds):
                        return await loop.create_task(ui.ask(question), context=ours.copy())
                except TimeoutError:
                    return False

        def progress(text: str) -> None:
            if not seat.cancelled.is_set():
                event = ToolProgress(call.id, call.name, text)
                loop.call_soon_threadsafe(ui.show, event, context=ours.copy())

        consent = Consent(self._turn.incoming, ask, self._memory.knowledge.is_owner)
        memory = TurnMemory(self._turn, self._memory, consent)

        async def ask_owner(question: str) -> bool:
            return await consent.is_the_owners() and await ask(question)

        seat = CallSeat(self._turn.info, memory, ask_owner, progress)
        return seat, deadline

    def _too_often(self, call: ToolCall) -> No | None:
        key = (call.tool, json.dumps(call.arguments, sort_keys=True, ensure_ascii=False, default=str))
        self._asked[key] += 1
        if self._asked[key] <= self._settings.repeats:
            return None
        return No(f"this very call was made {self._settings.repeats} times in this turn, the answer stays the same")

    def _unknown(self, name: str, offered: Sequence[str]) -> ToolResult:
        near = difflib.get_close_matches(name, offered, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(offered) or 'no tools'}"
        return error_result([Problem("", f"there is no tool {name!r}", hint)])

    def _failed(self, failure: Failure, tool: ToolDeclaration) -> ToolResult:
        match failure.error:
            case ArgumentsError(problems=problems):
                return error_result(problems)
            case ToolError(field=field, reason=reason, hint=hint):
                return error_result([Problem(field, reason, hint)])
        if not self._turn.incoming.private:
            _log.warning("tool %s of plugin %r: %s\n%s", tool.name, tool.plugin, failure.message, failure.trace)
        return error_result([Problem("", f"the tool failed: {failure.message}", _ASK_AGAIN)])

    async def _after(self, ran: _Ran) -> ToolOutcome:
        text = ran.result.receipt or ran.result.text
        outcome = ToolOutcome(text, ran.result.error, ran.seconds)
        if ran.call is None:
            return outcome
        values = {"call": ran.call, "turn": self._turn.info}
        outcome = await self._stages.transform("after_toolcall", "outcome", outcome, **values)
        await self._stages.observe("after_toolcall", outcome=outcome, **values)
        return outcome


def _so_far(interrupted: asyncio.CancelledError) -> ToolResult:
    """Return what is kept of a call that was stopped: what the tool had by then, and that it is not all."""
    match interrupted:
        case Interrupted(so_far=ToolResult() as result) if len(result.text) <= _MOST_CHARACTERS:
            between = "" if not result.text or result.text.endswith("\n") else "\n"
            return replace(result, text=f"{result.text}{between}{_STOPPED}", error=True)
    return ToolResult(_STOPPED, error=True)


def _as_run(asked: models.messages.ToolCall, ran: _Ran) -> models.messages.ToolCall:
    """Return the call with the arguments it ran with: those that were sent, unless a plugin changed them."""
    if ran.call is None or ran.call.arguments == parse_arguments(asked.arguments):
        return asked
    return replace(asked, arguments=json.dumps(ran.call.arguments, ensure_ascii=False))


def _segment(call: models.messages.ToolCall, result: ToolResult, tool: ToolDeclaration | None) -> Segment:
    return Segment(
        "tool",
        result.text,
        tool=tool.policy_name if tool is not None else call.name or "unknown",
        call_id=call.id,
        arguments=call.arguments,
        error=result.error,
        plugin=tool.plugin if tool is not None else "",
        plugin_version=tool.plugin_version if tool is not None else "",
        attachments=tuple(Attachment(each.media_type, each.data, each.name) for each in result.attachments),
        cites=tuple(TurnId(turn) for turn in result.cites),
    )
