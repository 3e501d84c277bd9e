"""One turn as a chat shows it: what was said, what tools did, the answer, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.server.happenings import why_object
from homeagent.server.page.elements import (
    Act,
    Text,
    attempting,
    block,
    button,
    chip,
    disclosure,
    icon,
    link,
    problem_lines,
    text,
)
from homeagent.server.page.markup import show_markup
from homeagent.server.page.why import show_why

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nicegui.element import Element

    from homeagent.server.desk import TurnView
    from homeagent.server.memory_forms import SegmentForm, WholeTurn
    from homeagent.server.page.visit import Visit

__all__ = ["LiveTurn", "show_past", "show_said"]

_LONGEST: Final = 20_000


def show_said(visit: Visit, words: str, files: Sequence[str]) -> None:
    """Show what the person said."""
    with block("div", "bubble user"):
        text("p", visit.say("you"), "who")
        if words:
            text("p", words, "said")
        for name in files:
            with block("p", "file"):
                icon("attach_file")
                Text("span", name)


def show_past(visit: Visit, turn: WholeTurn) -> None:
    """Show a turn of the log."""
    for segment in turn.segments:
        if segment.role == "user":
            show_said(visit, segment.raw, [each.name or each.media_type for each in segment.attachments])
        elif segment.role == "tool":
            _show_call(visit, segment)
        elif segment.role == "assistant" and segment.raw:
            with block("div", "bubble assistant"):
                text("p", "HomeAgent", "who")
                show_markup(segment.raw)
    with block("div", "flow after"):
        if turn.forgotten:
            chip(visit.say("is_forgotten"), "warn")
        if turn.status != "done":
            chip(visit.say(f"status_{turn.status}"), "warn")
        text("span", visit.when(turn.at), "fine")
        link(visit.say("look_computed"), f"/memory/{turn.turn}", "link fine")


def _show_call(visit: Visit, segment: SegmentForm) -> None:
    with block("div", "tool failed" if segment.error else "tool"), disclosure(segment.tool or ""):
        if segment.arguments:
            text("p", visit.say("arguments"), "fine")
            _pre(segment.arguments)
        text("p", visit.say("output"), "fine")
        _pre(segment.raw)


def _pre(words: str) -> None:
    shown = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
    made = text("pre", shown, "output")
    made.props["tabindex"] = "0"


class LiveTurn:
    """A turn that runs: what happens is shown as it happens."""

    def __init__(self, visit: Visit, chat: str, again: Act) -> None:
        self._visit = visit
        self._chat = chat
        self._again = again
        self._calls: dict[str, tuple[Text, Text, Element]] = {}
        self._questions: dict[str, Element] = {}
        self._whole = block("div", "live")
        self._parts: list[str] = []
        with self._whole:
            self._status = text("p", visit.say("thinking"), "status")
            self._status.props["role"] = "status"
            self._body = block("div")
            self._writing: Text | None = None

    @property
    def is_gone(self) -> bool:
        """Whether nobody looks at it any more."""
        return self._whole.is_deleted or self._whole.client.is_deleted

    def take(self, kind: str, data: Mapping[str, object]) -> None:
        """Show one thing that happens."""
        match kind:
            case "recalled":
                found = data.get("passages")
                shown = [each for each in found if not each.get("left_out")] if isinstance(found, list) else []
                self._status.set_text(self._visit.say("recalled", count=len(shown)))
            case "thinking":
                self._status.set_text(self._visit.say("thinking"))
            case "delta" | "said" | "refused":
                self._say(kind, str(data.get("text") or data.get("reason") or ""))
            case "tool_started" | "tool_progress" | "tool_finished" | "call_refused":
                self._call(kind, data)
            case "question" | "question_closed":
                self._question(kind, data)
            case "status":
                self._status.set_text(str(data.get("text", "")))

    def end(self, view: TurnView) -> None:
        """Show what came of it."""
        visit = self._visit
        self._status.visible = False
        ended = view.ended
        with self._body:
            if view.error is not None:
                problem, step = problem_lines(visit, view.error)
                with block("div", "alert") as shown:
                    shown.props["role"] = "alert"
                    text("p", problem)
                    text("p", step, "fine")
            with block("div", "flow after"):
                if ended is None or ended.status == "interrupted":
                    chip(visit.say("status_interrupted"), "warn")
                if ended is not None and ended.usage is not None:
                    counted = ended.usage.prompt_tokens + ended.usage.completion_tokens
                    text("span", visit.say("tokens", count=visit.number(counted)), "fine")
                if ended is not None and ended.cost:
                    text("span", f"{ended.cost:.4f} {ended.currency}", "fine")
                if view.turn:
                    link(visit.say("look_computed"), f"/memory/{view.turn}", "link fine")
                button(visit.say("retry"), self._again, "quiet", "refresh")
            with disclosure(visit.say("why"), "why"):
                show_why(visit, why_object(view.why), view.why.facts)

    # -- inside --------------------------------------------------------------------------------------------------

    def _say(self, kind: str, words: str) -> None:
        if kind == "delta":
            if self._writing is None:
                with self._body, block("div", "bubble assistant") as self._bubble:
                    text("p", "HomeAgent", "who")
                    self._writing = text("p", "", "said")
                self._parts = []
                self._status.set_text(self._visit.say("writing"))
            self._parts.append(words)
            self._writing.set_text("".join(self._parts))
            return
        if self._writing is not None:
            self._bubble.delete()
            self._writing = None
        with self._body, block("div", "bubble assistant"):
            text("p", "HomeAgent", "who")
            show_markup(words)

    def _call(self, kind: str, data: Mapping[str, object]) -> None:
        call, tool = str(data.get("call")), str(data.get("tool"))
        if call not in self._calls:
            self._status.set_text(self._visit.say("tool_runs", tool=tool))
            with self._body, block("div", "tool running") as card, disclosure(tool):
                state = text("p", self._visit.say("running"), "fine")
                text("p", self._visit.say("arguments"), "fine")
                _pre(str(data.get("arguments", "")))
                text("p", self._visit.say("output"), "fine")
                output = text("pre", "", "output")
                output.props["tabindex"] = "0"
            self._calls[call] = (state, output, card)
        state, output, card = self._calls[call]
        words = str(data.get("text") or data.get("reason") or "")
        if kind == "tool_progress":
            state.set_text(words[-400:])
            self._status.set_text(f"{tool}: {words[-120:]}")
        elif kind in ("tool_finished", "call_refused"):
            failed = kind == "call_refused" or bool(data.get("error"))
            card.classes(remove="running", add="failed" if failed else "done")
            ended = self._visit.say("tool_failed" if failed else "tool_done", seconds=data.get("seconds", 0))
            state.set_text(ended)
            output.set_text(words[:_LONGEST])
            self._status.set_text(self._visit.say("thinking"))

    def _question(self, kind: str, data: Mapping[str, object]) -> None:
        name = str(data.get("question"))
        if kind == "question_closed":
            if name in self._questions:
                self._questions.pop(name).delete()
            return
        with self._body, block("div", "question") as asked:
            asked.props["role"] = "alertdialog"
            asked.props["aria-label"] = self._visit.say("question")
            text("p", self._visit.say("question"), "who")
            text("p", str(data.get("text", "")), "said")
            with block("div", "flow"):
                button(self._visit.say("agree"), lambda: self._answer(name, agree=True), "main")
                button(self._visit.say("decline"), lambda: self._answer(name, agree=False), "plain")
        self._questions[name] = asked

    def _answer(self, name: str, *, agree: bool) -> None:
        with attempting(self._visit):
            self._visit.daemon.desk.answer(name, self._visit.asker.person, agree=agree)
