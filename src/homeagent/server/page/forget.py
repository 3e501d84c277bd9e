"""Taking back: hiding what was said, bringing it back, and deleting it for good with a proof that it is gone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import quote

from homeagent.server.looking import seen_turn
from homeagent.server.page.elements import attempting, block, button, chip, entry, heading, icon, link, text
from homeagent.server.page.erasing import confirm_erasure, show_survivors
from homeagent.server.page.secrets import show_secrets
from homeagent.server.routes import forgetting as forgetting_routes
from homeagent.server.routes.forgetting import ChosenForm, TargetForm

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from starlette.requests import Request

    from homeagent.server.forms import TurnForm
    from homeagent.server.page.visit import Visit

__all__ = ["build"]

_LISTED = 100


async def build(visit: Visit, request: Request) -> None:
    """Ask what is meant, show it, and do what is wanted."""
    heading(visit.say("nav_forget"), visit.say("forget_about"))
    with block("div", "cards three explained"):
        for key, symbol in (("forget", "visibility_off"), ("bring_back", "undo"), ("erase", "delete_forever")):
            with block("section", "card"):
                with block("h2"):
                    icon(symbol)
                    text("span", visit.say(key))
                text("p", visit.say(f"{key}_explained"))
    form = _Form(visit, request.query_params.get("turn", "")[:400])
    form.show()
    if request.query_params.get("turn"):
        await form.look()
    await _forgotten(visit)
    if visit.is_owner:
        show_secrets(visit)


class _Form:
    """What is meant: by a sentence, by names of turns, by a person, by a stretch of time."""

    def __init__(self, visit: Visit, turn: str) -> None:
        self._visit = visit
        self._turn = turn

    def show(self) -> None:
        visit, say = self._visit, self._visit.say
        with block("section", "card"):
            text("h2", say("what_is_meant"))
            with block("div", "fields"):
                self._turns = entry(say("by_turns"), value=self._turn)
                if visit.is_owner:
                    self._words = entry(say("by_words"))
                    self._person = entry(say("by_person"))
                    with block("div", "flow"):
                        self._since = entry(say("since"), kind="date")
                        self._until = entry(say("until"), kind="date")
                else:
                    text("p", say("members_own_turns"), "fine")
            with block("div", "flow"):
                button(say("show_meant"), self.look, "main", "preview")
        self._shown = block("div", "results")
        self._shown.props["aria-live"] = "polite"

    def _target(self) -> TargetForm:
        names = [each for each in str(self._turns.value or "").replace(",", " ").split() if each]
        if not self._visit.is_owner:
            return TargetForm(turns=names)
        return TargetForm(
            turns=names,
            text=str(self._words.value or "").strip(),
            person=str(self._person.value or "").strip(),
            since=_day(self._since.value),
            until=_day(self._until.value),
        )

    async def look(self) -> None:
        """Show what is meant, and what may be done with it."""
        visit = self._visit
        with attempting(visit):
            target = self._target()
            self._shown.clear()
            if visit.is_owner:
                chosen = await forgetting_routes.preview(target, visit.owner, visit.daemon)
                with self._shown, block("section", "card"):
                    await self._chosen(chosen)
                open_left = chosen.writes > 0 or any(not each.forgotten for each in chosen.turns)
                self._offer(target, forget=open_left, bring_back=bool(chosen.forgotten), erase=_is_some(chosen))
            else:
                hidden = await asyncio.to_thread(_are_forgotten, visit, target.turns)
                self._offer(target, forget=not hidden or not all(hidden), bring_back=any(hidden), erase=False)

    def _offer(self, target: TargetForm, *, forget: bool, bring_back: bool, erase: bool) -> None:
        """Offer what may be done with what is meant, and no more than can be."""
        visit = self._visit
        with self._shown, block("div", "flow tools"):
            if forget:
                button(visit.say("forget"), lambda: self._change(target, undo=False), "plain", "visibility_off")
            if bring_back:
                button(visit.say("bring_back"), lambda: self._change(target, undo=True), "plain", "undo")
            if erase:
                button(visit.say("erase_now"), lambda: self._erase(target), "danger", "delete_forever")

    async def _chosen(self, chosen: ChosenForm) -> None:
        visit = self._visit
        if _is_some(chosen):
            text("h2", visit.say("meant", turns=visit.number(len(chosen.turns)), writes=chosen.writes))
            self._listed(chosen.turns)
        listed = {each.turn for each in chosen.turns}
        if hidden := [each for each in chosen.forgotten if each.turn not in listed]:
            text("h2", visit.say("meant_forgotten", turns=visit.number(len(hidden))))
            self._listed(hidden)
        await show_survivors(visit, chosen.survivors)

    def _listed(self, turns: Sequence[TurnForm]) -> None:
        visit = self._visit
        with block("ul", "plain-list"):
            for each in turns[:_LISTED]:
                with block("li"):
                    with block("div", "flow"):
                        link(f"{visit.when(each.at)} · {each.sender}", f"/memory/{quote(each.turn)}")
                        if each.forgotten:
                            chip(visit.say("is_forgotten"), "warn")
                    text("p", each.text, "said short")
        if len(turns) > _LISTED:
            text("p", visit.say("and_more", count=visit.number(len(turns) - _LISTED)), "fine")

    async def _change(self, target: TargetForm, *, undo: bool) -> None:
        visit = self._visit
        with attempting(visit):
            do = forgetting_routes.undo if undo else forgetting_routes.forget
            done = await do(target, visit.asker, visit.daemon)
            self._shown.clear()
            with self._shown, block("p", "good") as told:
                told.props["role"] = "status"
                key = "brought_back" if undo else "forgotten_now"
                text("span", visit.say(key, turns=visit.number(len(done.turns))))

    async def _erase(self, target: TargetForm) -> None:
        await confirm_erasure(self._visit, target, self._shown)


def _is_some(chosen: ChosenForm) -> bool:
    return bool(chosen.turns or chosen.writes)


def _are_forgotten(visit: Visit, turns: Sequence[str]) -> list[bool]:
    """Return for each turn whether it is forgotten now. Raises `NotFoundError` for one that may not be seen."""
    memory = visit.daemon.app.memory
    hidden = memory.timeline.forgotten()
    return [seen_turn(memory, visit.asker, each).seq in hidden for each in turns]


def _day(value: object) -> datetime | None:
    from datetime import datetime as moment

    return moment.fromisoformat(str(value)).astimezone() if value else None


async def _forgotten(visit: Visit) -> None:
    """List what is forgotten now, so that it can be found and brought back."""
    memory = visit.daemon.app.memory

    def looked() -> list[tuple[str, str, str]]:
        sight = memory.timeline.sight(visit.asker.viewer)
        hidden = memory.timeline.forgotten()
        rows = (row for row in memory.turns() if row.seq in hidden and sight.sees(row)) if hidden else ()
        found: list[tuple[str, str, str]] = []
        for row in rows:
            at = row.at.datetime() if row.at is not None else None
            found.append((row.turn_id, visit.when(at), memory.timeline.words(row.seq)[:200]))
            if len(found) == _LISTED:
                break
        return found

    found = await asyncio.to_thread(looked)
    text("h2", visit.say("forgotten_list"))
    if not found:
        text("p", visit.say("forgotten_none"), "fine")
    with block("ul", "plain-list"):
        for turn, when, words in found:
            with block("li"):
                link(when or turn[:12], f"/memory/{quote(turn)}")
                text("p", words, "said short")
