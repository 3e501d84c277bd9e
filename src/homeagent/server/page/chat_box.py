"""One chat on view: what was said, the turn that runs, and the box to write the next message in."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nicegui import events, ui

from homeagent.agent import Incoming
from homeagent.server.access import own_place
from homeagent.server.chat_index import Match
from homeagent.server.page import ROOT
from homeagent.server.page.attaching import Attaching
from homeagent.server.page.chat_turn import LiveTurn, show_past, show_said
from homeagent.server.page.elements import attempting, block, button, chip, empty, icon, named, text
from homeagent.server.page.held import HELD, held, take
from homeagent.server.routes import chats as chats_routes

if TYPE_CHECKING:
    from homeagent.memory import Attachment
    from homeagent.server.hub import Notice
    from homeagent.server.memory_forms import WholeTurn
    from homeagent.server.page.visit import Visit

__all__ = ["ChatBox"]

_PAGE: Final = 20
_WORDS: Final = "document.querySelector('.composer textarea').value"
"""What stands in the box, which goes along with the key or the button that sends it, as the switches do."""
_TO_THE_END: Final = "window.scrollTo(0, document.body.scrollHeight)"


@dataclass
class _Last:
    """What was said last here, and in which turn: None until it has begun, empty for a private one."""

    words: str
    files: tuple[Attachment, ...]
    turn: str | None = None


class ChatBox:
    """One chat of whoever looks, on view."""

    def __init__(self, visit: Visit, chat: str, *, known: bool) -> None:
        self.visit = visit
        self.chat = chat
        self.place = own_place(visit.person, chat)
        self._known = known
        self._before: int | None = None
        self._mine: set[str] = set()
        self._last: _Last | None = None

    async def show(self) -> None:
        """Show it here."""
        visit = self.visit
        with block("div", "older") as self._older:
            button(visit.say("older_turns"), self._show_older, "plain", "expand_less")
        self._older.visible = False
        self._log = block("div", "log", visit.say("said_so_far"))
        self._log.props["role"] = "log"
        self._elsewhere = block("div", "notice")
        self._elsewhere.visible = False
        with self._elsewhere:
            text("p", visit.say("runs_elsewhere"))
            button(visit.say("stop"), self.stop, "plain", "stop")
        self._composer()
        if self._known:
            await self._load()
        elif not await self._load():
            with self._log, block("div") as self._hello:
                empty(visit, "empty_chat", symbol="forum")
        if visit.daemon.desk.is_running(self.place):
            self._elsewhere.visible = True

    async def _load(self) -> bool:
        page = await chats_routes.turns(self.chat, self.visit.asker, self.visit.daemon, before=None, limit=_PAGE)
        self._before = page.next
        self._older.visible = page.next is not None
        with self._log:
            for turn in reversed(page.turns):
                self._past(turn)
        if page.turns:
            self._last = _Last(page.turns[0].text, (), page.turns[0].turn)
            ui.timer(0.2, lambda: ui.run_javascript(_TO_THE_END), once=True)
        return bool(page.turns)

    async def _show_older(self) -> None:
        with attempting(self.visit):
            page = await chats_routes.turns(
                self.chat, self.visit.asker, self.visit.daemon, before=self._before, limit=_PAGE
            )
            self._before = page.next
            self._older.visible = page.next is not None
            with self._log:
                for place, turn in enumerate(reversed(page.turns)):
                    self._past(turn).move(target_index=place)

    def _past(self, turn: WholeTurn) -> ui.element:
        with block("article", "turn") as made:
            show_past(self.visit, turn)
        return made

    # -- writing -------------------------------------------------------------------------------------------------

    def _composer(self) -> None:
        visit = self.visit
        with block("div", "composer", visit.say("write")) as self._form:
            self._form.props["role"] = "group"
            with block("p", "private-note") as self._note:
                icon("visibility_off")
                text("span", visit.say("private_note"))
            self._note.visible = False
            self._attaching = Attaching(visit)
            self._words = ui.textarea(placeholder=visit.say("write_here")).classes("words")
            self._words.props("autogrow outlined dense input-class=words-input")
            named(self._words, visit.say("write_here"))
            self._words.on(
                "keydown",
                self.send,
                js_handler="(event) => { if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) "
                f"{{ event.preventDefault(); emit({_WORDS}, {HELD}); }} }}",
            )
            with block("div", "flow"):
                self._attaching.button()
                self._private = ui.switch(visit.say("private"), on_change=self._private_changed)
                self._no_memory = ui.switch(visit.say("not_computed"))
                held(self._private)
                held(self._no_memory)
                self._no_memory.tooltip(visit.say("not_computed_about"))
            with block("div", "sending"):
                text("p", visit.say("write_help"), "fine keys")
                self._stop = button(visit.say("stop"), self.stop, "plain stop", "stop")
                self._stop.visible = False
                send = button(visit.say("send"), None, "main send", "send")
                send.on("click", self.send, js_handler=f"() => emit({_WORDS}, {HELD})")

    def _private_changed(self) -> None:
        self._note.visible = bool(self._private.value)
        if self._private.value:
            self._form.classes("is-private")
        else:
            self._form.classes(remove="is-private")

    async def send(self, sent: events.GenericEventArguments) -> None:
        """Say what was in the box when it was sent."""
        words, switches = str(sent.args[0] or ""), sent.args[1]
        await take(switches)
        files = self._attaching.files
        if not words.strip() and not files:
            return
        with attempting(self.visit):
            self._words.set_value(words)  # it may have been sent before the box was told: only a change empties it
            self._words.set_value("")
            self._attaching.clear()
            await self._say(words, files)

    async def retry(self) -> None:
        """Take the last turn back and say the same once more."""
        if self._last is not None:
            with attempting(self.visit):
                await self._say(self._last.words, self._last.files, instead=self._last.turn)

    async def stop(self) -> None:
        """Stop what runs in this chat."""
        with attempting(self.visit):
            await chats_routes.stop(self.chat, self.visit.asker, self.visit.daemon)

    async def _say(self, words: str, files: tuple[Attachment, ...], instead: str | None = None) -> None:
        asker, daemon = self.visit.asker, self.visit.daemon
        private = bool(self._private.value)
        incoming = Incoming(
            words, self.place, asker.person, attachments=files, no_memory=bool(self._no_memory.value), private=private
        )
        hello = getattr(self, "_hello", None)
        if hello is not None and not hello.is_deleted:
            hello.delete()
            ui.navigate.history.replace(f"{ROOT}/chat/{self.chat}")  # so that it is there again after a reload
        running = await daemon.talks.begin(
            asker.person, Match(self.chat, words, instead=instead), incoming, streaming=True, answering=True
        )
        self._last = last = _Last(words, files)
        with self._log, block("article", "turn private" if private else "turn"):
            if private:
                chip(self.visit.say("private_kept"), "warn")
            show_said(self.visit, words, [each.name or each.media_type for each in files])
            live = LiveTurn(self.visit, self.chat, self.retry)
        self._busy(busy=True)
        try:
            async for kind, data in running.happenings():
                if live.is_gone:
                    return  # nobody looks any more: the turn goes on, and is in the log
                live.take(kind, data)
                if kind == "turn_started":
                    last.turn = str(data.get("turn") or "")
                    self._mine.add(last.turn)
            await asyncio.wait({running.task})
            live.end(running.view)
        finally:
            if not live.is_gone:
                self._busy(busy=daemon.desk.is_running(self.place))

    def _busy(self, *, busy: bool) -> None:
        self._stop.visible = busy
        ui.run_javascript(_TO_THE_END)

    # -- what happens elsewhere ----------------------------------------------------------------------------------

    def heard(self, notice: Notice) -> None:
        """Take what happens in this chat: a turn of another window of it is shown when it has ended."""
        if notice.kind == "turn_ended":
            self._elsewhere.visible = False
            turn = str(notice.data.get("turn"))
            if turn and turn not in self._mine:
                self._mine.add(turn)
                ui.timer(0.1, lambda: self._add(turn), once=True)

    async def _add(self, turn: str) -> None:
        page = await chats_routes.turns(self.chat, self.visit.asker, self.visit.daemon, before=None, limit=_PAGE)
        for each in page.turns:
            if each.turn == turn:
                with self._log:
                    self._past(each)
