"""Asking the model and running what it asks for, round by round, until it has answered."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from homeagent.agent.context import Limits, Parts, fit
from homeagent.agent.events import Refused, Said, StatusLine, TextDelta, Thinking
from homeagent.agent.prompt import LAST_ROUND
from homeagent.agent.rendering import calls_as_json, spoken
from homeagent.agent.tokens import prompt_tokens
from homeagent.memory import Segment
from homeagent.models import messages as said_by
from homeagent.models.errors import BrokenReplyError, ContextTooLongError, ModelError
from homeagent.models.messages import Message, ModelRequest, ToolCall
from homeagent_sdk import Output, Reply
from homeagent_sdk import ToolCall as AskedCall
from homeagent_sdk.convert import parse_arguments
from homeagent_sdk.errors import ArgumentsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.agent.context import View
    from homeagent.agent.incoming import OpenTurn
    from homeagent.agent.recalling import Why
    from homeagent.agent.settings import AgentSettings
    from homeagent.agent.toolbox import Toolbox
    from homeagent.models.messages import ToolSpec
    from homeagent.models.protocol import Model
    from homeagent.plugins import StageEngine
    from homeagent_sdk import Message as CameIn

__all__ = ["Conversation", "Setting"]

_log = logging.getLogger("homeagent.agent")
_TIGHTER = 0.7
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Setting:
    """What stays the same through the rounds of one turn: the words around it, the tools, what is in view."""

    instructions: str
    volatile: str
    tools: tuple[ToolSpec, ...]
    views: Sequence[View]
    limits: Limits
    why: Why
    message: CameIn


class Conversation:
    """One turn's exchange with the model."""

    def __init__(
        self, turn: OpenTurn, model: Model, stages: StageEngine, toolbox: Toolbox, settings: AgentSettings
    ) -> None:
        self._turn = turn
        self._model = model
        self._stages = stages
        self._toolbox = toolbox
        self._settings = settings
        # What a plugin may still change or stop must not be on the screen already.
        self._buffered = stages.has("before_output", "transform") or stages.has("post_action", "decide", "transform")

    async def hold(self, setting: Setting) -> str:
        """Go round until the model has answered; return its last words."""
        for number in range(1, self._settings.rounds + 1):
            last = number == self._settings.rounds
            reply = await self._ask(replace(setting, tools=()) if last else setting, LAST_ROUND if last else "")
            stopped = await self._take(reply, setting, number)
            if stopped or not self._turn.messages[-1].tool_calls or last:
                break
            calls = self._calls
            self._turn.messages += await self._toolbox.run(calls, [tool.name for tool in setting.tools])
        return self._text

    _text = ""
    _calls: tuple[ToolCall, ...] = ()

    async def _ask(self, setting: Setting, note: str) -> said_by.Reply:
        """Ask the model; when the server says that the prompt is too long after all, ask again with a shorter one."""
        limits = setting.limits
        for attempt in range(1, _TRIES + 1):
            volatile = "\n\n".join(filter(None, (setting.volatile, note)))
            parts = Parts(setting.instructions, setting.tools, tuple(self._turn.messages), volatile)
            fitted = fit(parts, setting.views, limits)
            if fitted.left_out and attempt == 1:
                self._turn.ui.show(StatusLine(f"{fitted.left_out} older turns are out of view"))
            request = ModelRequest(
                fitted.messages,
                fitted.tools,
                cache_key=f"{self._turn.info.channel}/{self._turn.info.chat}",
                recalled=setting.why.as_recalled(),
            )
            try:
                return await self._stream(request)
            except ContextTooLongError as error:
                if attempt == _TRIES:
                    raise
                limits = _tighter(limits, error, prompt_tokens(fitted.messages, fitted.tools, limits.count))
        raise AssertionError  # the last attempt returns or raises

    async def _stream(self, request: ModelRequest) -> said_by.Reply:
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
                            ui.show(StatusLine(name))
                        case said_by.Reply():
                            return event
        except (ModelError, asyncio.CancelledError):
            # What was on the screen was said, whole or not.
            if "".join(written).strip():
                await self._turn.add(Segment("assistant", "".join(written), cites=self._cites(request)))
            raise
        raise BrokenReplyError(self._model.name, "the stream ended without a reply", "Try again")

    async def _take(self, reply: said_by.Reply, setting: Setting, number: int) -> bool:
        """Take a reply through its stages, into the log and to the person; return whether a plugin stopped it."""
        self._turn.spent.add(reply)
        for note in reply.notes:
            self._turn.ui.show(StatusLine(note))
        values = {"message": setting.message, "turn": self._turn.info}
        answer = Reply(reply.message.text, tuple(map(_asked, reply.message.tool_calls)), number)
        refused = await self._stages.decide("post_action", reply=answer, **values)
        if refused is not None:
            self._turn.ui.show(Refused(refused.reason))
            await self._turn.add(Segment("system", refused.reason, no_memory=True))
            return True
        answer = await self._stages.transform("post_action", "reply", answer, **values)
        await self._stages.observe("post_action", reply=answer, **values)
        kept = {call.call_id for call in answer.calls}
        self._calls = tuple(call for call in reply.message.tool_calls if call.id in kept)
        output = Output(answer.text)
        if answer.text:
            output = await self._stages.transform("before_output", "output", output, turn=self._turn.info)
        await self._say(output.text, reply, setting)
        return False

    async def _say(self, text: str, reply: said_by.Reply, setting: Setting) -> None:
        if text and self._buffered:
            self._turn.ui.show(TextDelta(text))
        if text or self._calls:
            cites = tuple(hit.turn for hit in setting.why.shown)
            await self._turn.add(Segment("assistant", text, arguments=calls_as_json(self._calls), cites=cites))
        if text:
            self._text = text
            self._turn.ui.show(Said(text))
        if reply.reason in ("length", "refused"):
            what = "cut by its limit" if reply.reason == "length" else "held back by the model or its server"
            self._turn.ui.show(StatusLine(f"the answer was {what}"))
        self._turn.messages.append(spoken(text, self._calls, reply.message.reasoning))
