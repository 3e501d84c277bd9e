"""Asking the model and running what it asks for, round by round, until it has answered."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from homeagent.agent.context import Limits, Parts, fit
from homeagent.agent.emptiness import ENDED_EARLY, empty_reply, is_empty
from homeagent.agent.events import Refused, Said, StatusLine, TextDelta, Thinking
from homeagent.agent.prompt import LAST_ROUND, NOTHING_SAID
from homeagent.agent.rendering import calls_as_json, spoken, unmarked, with_pictures
from homeagent.agent.tokens import prompt_tokens
from homeagent.memory import Segment
from homeagent.models import messages as said_by
from homeagent.models.errors import BrokenReplyError, ContextTooLongError, ModelError
from homeagent.models.messages import ModelRequest
from homeagent.models.offline import OfflineModel
from homeagent_sdk import Output, Reply
from homeagent_sdk import ToolCall as AskedCall
from homeagent_sdk.convert import parse_arguments
from homeagent_sdk.errors import ArgumentsError

if TYPE_CHECKING:
    from homeagent.agent.context import Fitted, Window
    from homeagent.agent.incoming import OpenTurn
    from homeagent.agent.recalling import Why
    from homeagent.agent.tokens import ModelTokens
    from homeagent.agent.toolbox import Toolbox
    from homeagent.memory import TurnId
    from homeagent.models.messages import ToolCall, ToolSpec
    from homeagent.models.protocol import Model
    from homeagent.plugins import StageEngine
    from homeagent_sdk import Message as CameIn

__all__ = ["Asked", "Conversation", "Setting"]

_CUT: Final = StatusLine("the answer was cut by its limit", "cut")
_SILENT: Final = StatusLine("the model said nothing more", "silent")
_HELD_BACK: Final = StatusLine("the answer was held back by the model or its server", "held_back")
_TIGHTER = 0.7
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """The model of a turn, and how its tokens are estimated."""

    model: Model
    tokens: ModelTokens


@dataclass(frozen=True, slots=True)
class Setting:
    """What surrounds one turn: the words around it, the tools, what is in view (a document may come back into it)."""

    instructions: str
    volatile: str
    tools: tuple[ToolSpec, ...]
    window: Window
    limits: Limits
    why: Why
    message: CameIn


@dataclass(frozen=True, slots=True)
class _Taken:
    """What is left of a reply after the stages: what was said, and the calls to run."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class Conversation:
    """One turn's exchange with the model."""

    def __init__(self, turn: OpenTurn, asked: Asked, stages: StageEngine, toolbox: Toolbox, rounds: int) -> None:
        self._turn = turn
        self._model = model = asked.model
        self._tokens = asked.tokens
        self._stages = stages
        self._toolbox = toolbox
        self._rounds = rounds
        self._offline = isinstance(model, OfflineModel)
        # What a plugin may still change or stop must not be on the screen already.
        self._buffered = stages.has("before_output", "transform") or stages.has("post_action", "decide", "transform")

    async def hold(self, setting: Setting) -> str:
        """Go round until the model has answered; return its last words."""
        offered = [tool.name for tool in setting.tools]
        taken = _Taken()
        for number in range(1, self._rounds + 1):
            last = number == self._rounds
            reply = await self._answered(replace(setting, tools=()) if last else setting, LAST_ROUND if last else "")
            taken = await self._take(reply, setting, number, may_call=not last)
            if not taken.calls:
                break
            self._turn.messages += await self._toolbox.run(taken.calls, offered)
        return taken.text

    async def _answered(self, setting: Setting, note: str) -> said_by.Reply:
        """Ask the model; when nothing comes of it, once more. Raises `EmptyReplyError` when nothing is said at all."""
        reply = await self._ask(setting, note)
        may_call = not note  # in the last round it may not, whatever it asks for
        if self._offline or not is_empty(reply, may_call=may_call):
            return reply
        if reply.reason not in ENDED_EARLY:  # the same would come again
            self._turn.spent.add(reply)
            reply = await self._ask(setting, "\n\n".join(filter(None, (note, NOTHING_SAID))))
        if is_empty(reply, may_call=may_call):
            if not any(each.role == "assistant" and each.text.strip() for each in self._turn.segments):
                self._turn.spent.add(reply)
                raise empty_reply(reply, self._model.name)
            if reply.reason not in ENDED_EARLY:  # which is said anyhow
                self._turn.ui.show(_SILENT)
        return reply

    async def _ask(self, setting: Setting, note: str) -> said_by.Reply:
        """Ask the model; when the server says that the prompt is too long after all, ask again with a shorter one."""
        limits = setting.limits
        for attempt in range(1, _TRIES + 1):
            volatile = "" if self._offline else "\n\n".join(filter(None, (setting.volatile, note)))
            parts = Parts(setting.instructions, setting.tools, tuple(self._turn.messages), volatile)
            fitted = fit(parts, setting.window.views, limits)
            if attempt == 1:
                self._say_what_is_left_out(fitted, setting)
            # A model that shows results as they are, to the person and not to itself, needs no delimiters.
            messages = tuple(map(unmarked, fitted.messages)) if self._offline else fitted.messages
            messages = with_pictures(messages, self._model.takes)
            request = ModelRequest(
                messages,
                fitted.tools,
                cache_key=f"{self._turn.info.channel}/{self._turn.info.chat}",
                recalled=setting.why.as_recalled(),
            )
            try:
                return await self._stream(request, _cites(setting))
            except ContextTooLongError as error:
                self._tokens.refused(request, error)
                if attempt == _TRIES:
                    raise
                limits = _tighter(limits, error, prompt_tokens(fitted.messages, fitted.tools, limits.count))
        raise AssertionError  # the last attempt returns or raises

    def _say_what_is_left_out(self, fitted: Fitted, setting: Setting) -> None:
        missing = len(setting.tools) - len(fitted.tools)
        if missing:
            self._turn.ui.show(
                StatusLine(f"{missing} tools don't fit into the model's window", "tools_out", str(missing))
            )
        if fitted.left_out:
            self._turn.ui.show(
                StatusLine(f"{fitted.left_out} older turns are out of view", "turns_out", str(fitted.left_out))
            )

    async def _stream(self, request: ModelRequest, cites: tuple[TurnId, ...]) -> said_by.Reply:
        written: list[str] = []
        ui = self._turn.ui
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    match event:
                        case said_by.TextDelta(text=text):
                            written.append(text)
                            if not self._buffered:
                                ui.show(TextDelta(text))
                        case said_by.ReasoningDelta(text=text):
                            ui.show(Thinking(text))
                        case said_by.ToolCallStarted(name=name):
                            ui.show(StatusLine(name, "calling", name))
                        case said_by.Reply():
                            if event.usage is not None:
                                self._tokens.observe(request, event.usage)
                            return event
        except (ModelError, asyncio.CancelledError):
            # What was on the screen was said, whole or not.
            text = "".join(written)
            if text.strip():
                self._turn.messages.append(spoken(text))
                await self._turn.add(Segment("assistant", text, error=True, cites=cites))  # it broke off
            raise
        raise BrokenReplyError(self._model.name, "the stream ended without a reply", "Try again")

    async def _take(self, reply: said_by.Reply, setting: Setting, number: int, *, may_call: bool) -> _Taken:
        """Take a reply through its stages, into the log and to the person."""
        self._turn.spent.add(reply)
        for note in reply.notes:
            self._turn.ui.show(StatusLine(note, "note", note))
        values = {"message": setting.message, "turn": self._turn.info}
        calls = reply.message.tool_calls if may_call else ()
        answer = Reply(reply.message.text, tuple(map(_asked, calls)), number)
        refused = await self._stages.decide("post_action", reply=answer, **values)
        if refused is not None:
            self._turn.ui.show(Refused(refused.reason))
            await self._turn.add(Segment("system", refused.reason, no_memory=True))
            return _Taken()
        answer = await self._stages.transform("post_action", "reply", answer, **values)
        await self._stages.observe("post_action", reply=answer, **values)
        output = Output(answer.text)
        if answer.text:
            output = await self._stages.transform("before_output", "output", output, turn=self._turn.info)
        kept = {call.call_id for call in answer.calls}
        taken = _Taken(output.text, tuple(call for call in calls if call.id in kept))
        await self._say(taken, reply, _cites(setting))
        return taken

    async def _say(self, taken: _Taken, reply: said_by.Reply, cites: tuple[TurnId, ...]) -> None:
        if taken.text or taken.calls:
            # First into the log: what a tool is about to do is known even if it never comes back.
            # An answer out of the memory itself is recalled memory, which is not memorised again.
            # Nor is its "noted", nor a tool's result that it repeats: of that the tool's policy decides.
            echo = self._offline and not taken.calls
            asked = calls_as_json(taken.calls)
            await self._turn.add(Segment("assistant", taken.text, arguments=asked, cites=cites, no_memory=echo))
            self._turn.messages.append(spoken(taken.text, taken.calls, reply.message.reasoning))
        if taken.text:
            if self._buffered:
                self._turn.ui.show(TextDelta(taken.text))
            self._turn.ui.show(Said(taken.text))
        if reply.reason in ("length", "refused"):
            self._turn.ui.show(_CUT if reply.reason == "length" else _HELD_BACK)


def _asked(call: ToolCall) -> AskedCall:
    try:
        arguments = parse_arguments(call.arguments)
    except ArgumentsError:
        arguments = {}
    return AskedCall(call.id, call.name, arguments)


def _cites(setting: Setting) -> tuple[TurnId, ...]:
    return tuple(hit.turn for hit in setting.why.shown)


def _tighter(limits: Limits, error: ContextTooLongError, estimated: int) -> Limits:
    """Return limits by what the server said: its window, and how far the estimate was from its count."""
    window = min(limits.window, error.window_tokens or limits.window)
    share = min(1.0, estimated / error.prompt_tokens) if error.prompt_tokens else 1.0
    return replace(limits, window=int(window * share * _TIGHTER))
