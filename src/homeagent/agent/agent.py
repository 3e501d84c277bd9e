"""The agent. A turn reads like its paragraph in the design: open, recall, stages, model, tools, close."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from homeagent.agent.chats import Chats
from homeagent.agent.context import Limits, Parts, history_room, view_of
from homeagent.agent.conversation import Asked, Conversation, Setting
from homeagent.agent.events import Recalled, Refused, SilentUi, StatusLine, TurnEnded, TurnFailed, TurnStarted
from homeagent.agent.incoming import OpenTurn
from homeagent.agent.prompt import instructions, volatile_lines
from homeagent.agent.pruning import Present
from homeagent.agent.recalling import LOOK_AT, Why, asks, chosen, quotable, recall_for, with_facts
from homeagent.agent.rendering import ON_INPUT, resumed, said, whole
from homeagent.agent.settings import AgentSettings
from homeagent.agent.tokens import ModelTokens
from homeagent.agent.toolbox import Toolbox
from homeagent.errors import HomeAgentError, NotFoundError
from homeagent.memory import Attachment, Segment, TurnId
from homeagent.models.messages import ToolSpec
from homeagent.models.offline import OfflineModel
from homeagent.plugins import StageEngine
from homeagent_sdk import Attachment as CameWith
from homeagent_sdk import Message, Output, Prompt

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from homeagent.agent.chats import Chat
    from homeagent.agent.context import Window
    from homeagent.agent.incoming import Incoming
    from homeagent.agent.ports import MemoryPort, PastTurn, Ui
    from homeagent.memory import Place
    from homeagent.models.protocol import Model
    from homeagent.models.tokens import TokenEstimator
    from homeagent.plugins import Registry

__all__ = ["Agent", "AgentParts"]

_log = logging.getLogger("homeagent.agent")
_SHARE_OF_RECALLED = 0.12
_SHARE_OF_BROUGHT_BACK = 0.5


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


def _ended(turn: OpenTurn, seconds: float) -> TurnEnded:
    spent = turn.spent
    return TurnEnded(turn.id, turn.status, seconds, spent.usage, spent.cost, spent.currency, spent.source, spent.model)


@dataclass(frozen=True, slots=True)
class AgentParts:
    """What an agent is made of. ``estimator`` counts tokens, ``clock`` gives the present moment with its zone."""

    memory: MemoryPort
    model: Model
    registry: Registry
    estimator: TokenEstimator
    clock: Callable[[], datetime] = _now


class Agent:
    """Answers messages, in as many chats at once as there are, one turn at a time in each."""

    def __init__(self, parts: AgentParts, settings: AgentSettings | None = None) -> None:
        self._parts = parts
        self._model = parts.model
        self._settings = settings or AgentSettings()
        self._stages = StageEngine(parts.registry, seconds=self._settings.stage_seconds)
        self._tokens = ModelTokens(parts.estimator, parts.model)
        self._offline = OfflineModel()
        self._chats = Chats(parts.memory, self._tokens, self._settings.result_characters)

    async def respond(self, incoming: Incoming, ui: Ui | None = None) -> str:
        """Run one turn and return the answer; what happens on the way is shown to ``ui``.

        However the turn ends, its words and what its tools did are in the log, and it is closed as what it was: done,
        failed (the reason is shown), or interrupted when this call is cancelled. Raises only when nothing could be
        kept: `StoreError` or `HomeError`.
        """
        at = incoming.at or self._parts.clock()
        at = at if at.tzinfo is not None else at.astimezone()
        turn = await OpenTurn.open(incoming, at, ui or SilentUi(), self._parts.memory)
        try:
            turn.ui.show(TurnStarted(turn.info.turn_id))
            chat = await self._chats.at(incoming.place)
            async with chat.lock:
                return await self._respond(turn, chat)
        except asyncio.CancelledError:
            turn.interrupted()
            raise
        finally:
            await turn.close()

    async def _respond(self, turn: OpenTurn, chat: Chat) -> str:
        started = time.monotonic()
        await self._chats.refresh(chat, turn.incoming.place)
        chat.present = turn.segments
        answer = ""
        try:
            answer = await self._take_turn(turn, chat)
            turn.status = "done"
        except asyncio.CancelledError:
            turn.interrupted()
            raise
        except HomeAgentError as error:
            turn.ui.show(TurnFailed(error))
        finally:
            await turn.close()
            self._show_in_window(turn, chat)
            turn.ui.show(_ended(turn, time.monotonic() - started))
        await self._archive(chat)
        return answer

    async def _take_turn(self, turn: OpenTurn, chat: Chat) -> str:
        message = await self._come_in(turn)
        if message is None:
            return ""
        window = chat.window_for(private=turn.incoming.private)
        # A typed call needs neither model nor memory; only the owner types one.
        typed = turn.incoming.is_typed_call
        chat.why = Why(message.text, nothing=False) if typed else await self._recall(turn, message.text, window)
        turn.ui.show(Recalled(chat.why))
        setting = await self._set(turn, message, chat, window)
        turn.bring_back, turn.look_again = partial(self._bring_back, turn, chat), self.look_again
        toolbox = Toolbox(turn, self._parts.registry, self._stages, self._parts.memory, self._settings)
        asked = Asked(self._offline if typed else self._model, self._tokens)
        conversation = Conversation(turn, asked, self._stages, toolbox, self._settings.rounds)
        answer = await conversation.hold(setting)
        turn.status = "done"  # whatever comes now, the answer was given
        if answer:
            await self._stages.observe("after_output", output=Output(answer), turn=turn.info)
        return answer

    async def _come_in(self, turn: OpenTurn) -> Message | None:
        """Take what came in through its stage; None when a plugin stops it."""
        incoming = turn.incoming
        attachments = tuple(CameWith(each.media_type, each.data, each.name) for each in incoming.files)
        message = Message(incoming.words, attachments, incoming.no_memory, incoming.injected)
        refused = await self._stages.decide("on_input", message=message, turn=turn.info)
        if refused is not None:
            turn.ui.show(Refused(refused.reason))
            await turn.add(Segment("system", refused.reason, plugin=ON_INPUT, no_memory=True))
            return None
        if incoming.resumes:
            quotes = isinstance(self._model, OfflineModel)  # it reads no conversation, only what is said now
            turn.messages.append(said(message.text, (), incoming.speaker) if quotes else resumed(incoming.text))
            return message
        made = await self._stages.transform("on_input", "message", message, turn=turn.info)
        made = replace(made, no_memory=message.no_memory, injected=message.injected)
        kept = tuple(Attachment(each.media_type, each.data, each.name) for each in made.attachments)
        if made != message:
            new = tuple(each for each in kept if each not in incoming.files)
            await turn.add(Segment("user", made.text, plugin=ON_INPUT, attachments=new, no_memory=message.no_memory))
        words = said(made.text, kept, incoming.speaker, name=incoming.name, injected=incoming.injected)
        turn.messages.append(words)
        return made

    async def _recall(self, turn: OpenTurn, text: str, window: Window) -> Why:
        """Return what the memory has to say, and what of it the model gets."""
        limit = self._settings.recall_limit
        quotes = isinstance(self._model, OfflineModel)
        if quotes and not asks(text):
            return Why(text, nothing=False)
        try:
            looked_at = limit * LOOK_AT if quotes else limit
            found = await recall_for(turn.incoming, text, turn.at, self._parts.memory, looked_at)
            if not quotes:
                found = await with_facts(found, turn.incoming, turn.at, self._parts.memory)
        except HomeAgentError as error:  # without its memory it can still answer
            turn.ui.show(StatusLine(f"nothing could be recalled: {error}", "no_recall", str(error)))
            return Why(text)
        if quotes:
            return quotable(found, limit)
        return chosen(found, window.turns, int(self._limits().room * _SHARE_OF_RECALLED), self._tokens)

    async def _set(self, turn: OpenTurn, message: Message, chat: Chat, window: Window) -> Setting:
        """Return what surrounds the turn's words; turns for which there is no room leave the window."""
        tools = {name: tool for name, tool in self._parts.registry.tools.items() if turn.incoming.may_use(name)}
        prompt = Prompt(instructions(self._settings), (), tuple(tools))
        prompt = await self._stages.transform("pre_action", "prompt", prompt, message=message, turn=turn.info)
        specs = tuple(
            ToolSpec(tool.name, tool.description, tool.parameters)
            for name in prompt.tools
            if (tool := tools.get(name)) is not None
        )
        volatile = volatile_lines(turn.incoming, turn.at, chat.why.as_text(), prompt.volatile)
        limits = self._limits()
        parts = Parts(prompt.instructions, specs, tuple(turn.messages), volatile)
        chat.room = history_room(parts, limits)
        self._prune(turn, chat, window, ())
        return Setting(prompt.instructions, volatile, specs, window, limits, chat.why, message)

    def _prune(self, turn: OpenTurn, chat: Chat, window: Window, wanted: Collection[str]) -> None:
        found = () if chat.why.nothing else [each.hit.turn for each in chat.why.passages]
        left = window.prune(chat.room, Present(turn.incoming.words, found, wanted))
        if not turn.incoming.private:
            chat.leaving += left

    def _bring_back(self, turn: OpenTurn, chat: Chat, past: Sequence[PastTurn]) -> bool:
        """Show archived turns of this chat again, each at its own time; False when there is no room for them."""
        window = chat.window_for(private=turn.incoming.private)
        views = self._chats.views(turn.incoming.place, past)
        if sum(view.tokens for view in views) > chat.room * _SHARE_OF_BROUGHT_BACK:
            return False
        window.bring_back(views)
        self._prune(turn, chat, window, [view.turn for view in views if view.turn is not None])
        return True

    def _limits(self) -> Limits:
        cap = self._settings.window_tokens or self._tokens.window
        return Limits(min(cap, self._tokens.window), self._settings.reply_tokens, self._tokens)

    def _show_in_window(self, turn: OpenTurn, chat: Chat) -> None:
        if turn.messages:
            view = view_of(turn.id, whole(turn.messages), self._tokens, turn.at)
            chat.window_for(private=turn.incoming.private).add(view)

    async def _archive(self, chat: Chat) -> None:
        """Put away what has left the window. When that fails it is tried again after the next turn."""
        if not chat.leaving:
            return
        try:
            await asyncio.to_thread(self._parts.memory.archive, tuple(chat.leaving))
            chat.leaving.clear()
        except HomeAgentError as error:
            _log.warning("turns that left the window could not be archived: %s", error)

    # -- what a UI may ask for ------------------------------------------------------------------------------------

    def use(self, model: Model, settings: AgentSettings) -> None:
        """Answer with this model and these settings from the next turn of each chat on."""
        self._model, self._settings = model, settings
        self._tokens.use(model)

    async def why(self, place: Place) -> Why:
        """Return what the last turn of a chat recalled, and why."""
        return (await self._chats.at(place)).why

    async def output(self, place: Place, call_id: str) -> str | None:
        """Return the whole output of a call that is in view, the newest of that id; None when there is none."""
        chat = await self._chats.at(place)
        views = (chat.private or chat.window).views
        turns = [view.turn for view in reversed(views) if view.turn is not None]
        segments: Sequence[Segment] = chat.present
        while True:
            for segment in reversed(segments):
                if segment.role == "tool" and segment.call_id == call_id:
                    return segment.text
            if not turns:
                return None
            segments = await asyncio.to_thread(self._parts.memory.segments, turns.pop(0))

    async def start_anew(self, place: Place) -> int:
        """Begin a new conversation: archive what is in view; return how many turns that was."""
        chat = await self._chats.at(place)
        async with chat.lock:
            left = chat.window.clear()
            chat.private = None
            chat.leaving += left
            await self._archive(chat)
            return len(left)

    async def go_on_from(self, place: Place, before: Sequence[PastTurn]) -> None:
        """Show these turns before those of the chat at a place: it goes on from a conversation that was held elsewhere.

        Harmless when it is said again.
        """
        chat = await self._chats.at(place)
        async with chat.lock:
            if chat.before != tuple(before):
                chat.before, chat.stale = tuple(before), True

    def is_busy(self) -> bool:
        """Whether a turn is under way in any chat."""
        return self.talking() > 0

    def talking(self) -> int:
        """Return in how many chats a turn is under way."""
        return self._chats.locked()

    def look_again(self) -> None:
        """Read every window from the log again: for when something was forgotten, erased or archived elsewhere."""
        self._chats.forget_windows()

    async def take_back(self, place: Place, *, private: bool = False) -> TurnId | None:
        """Forget the last turn of a chat that is in view (``Memory.undo`` brings it back); return its id.

        Of a private conversation only its own turns, whose id is empty. None when there is none to take back.
        """
        chat = await self._chats.at(place)
        async with chat.lock:
            await self._chats.refresh(chat, place)
            if private and not chat.has_private_turns:
                return None
            view = chat.window_for(private=private).drop_last()
            if view is None:
                return None
            if view.turn is None:
                return TurnId("")
            await asyncio.to_thread(self._parts.memory.forget, view.turn)
            return view.turn

    async def set_aside(self, place: Place, turn: str, *, private: bool) -> None:
        """Take a turn of a chat out of the way, because the same message is said again; empty is the last private one.

        It is forgotten (``Memory.undo`` brings it back), in view or not. Where it is said again in ``private`` nothing
        is: that leaves no trace, so the turn leaves the view of the private conversation alone.
        """
        chat = await self._chats.at(place)
        async with chat.lock:
            await self._chats.refresh(chat, place)
            if private and not turn:
                if chat.has_private_turns:
                    chat.window_for(private=True).drop_last()
            elif turn:
                chat.window_for(private=private).drop(TurnId(turn))
                if not private:
                    with contextlib.suppress(NotFoundError):  # it was erased since
                        await asyncio.to_thread(self._parts.memory.forget, turn)
