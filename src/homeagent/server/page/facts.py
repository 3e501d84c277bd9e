"""Facts on a time line: what held when, with the words that say it one click away."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from homeagent.server.page.elements import (
    attempting,
    block,
    button,
    chip,
    disclosure,
    empty,
    entry,
    heading,
    link,
    text,
)
from homeagent.server.page.why import relation
from homeagent.server.routes import facts as facts_routes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from homeagent.server.memory_forms import FactForm
    from homeagent.server.page.visit import Visit

__all__ = ["build"]

_MOST = 200
_ENTER = "(event) => { if (event.key === 'Enter' && !event.isComposing) emit(event.target.value); }"


async def build(visit: Visit, request: Request) -> None:
    """Show what held, of all or of one subject."""
    heading(visit.say("nav_facts"), visit.say("facts_about"))
    subject = request.query_params.get("subject", "")[:400]
    current = request.query_params.get("current", "") == "1"
    asked = facts_routes._Asked(subject=subject, history=not current, limit=_MOST)
    found = await facts_routes.facts(visit.asker.viewer, visit.daemon, asked)
    with block("div", "flow tools"):
        box = entry(visit.say("facts_of"), value=subject, grow=True)
        box.on("keydown", lambda event: _go(str(event.args), current=current), js_handler=_ENTER)
        only = ui.switch(visit.say("facts_current"), value=current)
        only.on_value_change(lambda: _go(subject, current=bool(only.value)))
    if found.pending:
        text("p", visit.waiting("facts_pending", found.pending), "fine")
    if visit.is_owner:
        _writing(visit)
    if not found.facts:
        empty(visit, "empty_facts", symbol="fact_check", address="/")
        return
    if found.total > len(found.facts):
        text("p", visit.say("facts_cut", shown=len(found.facts), total=visit.number(found.total)), "fine")
    _lines(visit, found.facts)


def _go(subject: str, *, current: bool) -> None:
    ui.navigate.to(f"/facts?subject={quote(subject)}{'&current=1' if current else ''}")


def _lines(visit: Visit, facts: Sequence[FactForm]) -> None:
    first, last = _bounds(facts)
    groups: dict[str, list[FactForm]] = {}
    for each in facts:
        groups.setdefault(each.subject, []).append(each)
    for subject, listed in groups.items():
        with block("section", "card facts"):
            with block("h2"):
                link(listed[0].subject_name, f"/facts?subject={quote(subject)}")
            with block("div", "axis"):
                text("span", visit.when(first, day=True), "fine")
                text("span", visit.when(last, day=True), "fine")
            for each in listed:
                _fact(visit, each, first, last)


def _fact(visit: Visit, fact: FactForm, first: datetime, last: datetime) -> None:
    with block("div", f"fact is-{fact.state}"):
        with block("div", "flow"):
            text("span", relation(visit, fact.relation), "relation")
            text("strong", f"{visit.say('not')} {fact.value}" if fact.negative else fact.value)
            chip(visit.say(f"state_{fact.state}"), "good-chip" if fact.state == "holds" else "")
            since, until = visit.when(fact.since, day=True), visit.when(fact.until, day=True)
            text("span", f"{since or '…'} – {until or '…'}", "fine")
        _bar(fact, first, last)
        with disclosure(visit.say("evidence", count=len(fact.said))):
            text("p", visit.say("confidence", percent=round(fact.confidence * 100)), "fine")
            with block("ul", "plain-list"):
                for each in fact.said:
                    with block("li"):
                        text("q", each.text[:600])
                        text("span", f" {visit.when(each.at)} {each.by} ", "fine")
                        if each.turn:
                            link(visit.say("open_turn"), f"/memory/{quote(each.turn)}", "link fine")
                        else:
                            text("span", visit.say("written_on_purpose"), "fine")
            if visit.is_owner and not fact.retracted:
                _correcting(visit, fact)


def _bar(fact: FactForm, first: datetime, last: datetime) -> None:
    """Draw the time it held; what has no bound fades out."""
    whole = max((last - first).total_seconds(), 1.0)
    known = [_moment(each.at) for each in fact.said if each.at]
    start = _moment(fact.since) if fact.since else min(known, default=first)
    end = _moment(fact.until) if fact.until else last
    left = min(max((start - first).total_seconds() / whole, 0.0), 0.99)
    width = min(max((end - start).total_seconds() / whole, 0.01), 1 - left)
    with block("div", "track") as track:
        track.props["aria-hidden"] = "true"
        bar = block("div", "span" + ("" if fact.since else " open-start") + ("" if fact.until else " open-end"))
        bar.style(f"left: {left:.2%}; width: {width:.2%}")


def _bounds(facts: Sequence[FactForm]) -> tuple[datetime, datetime]:
    now = datetime.now(UTC)
    moments = [each for fact in facts for each in (fact.since, fact.until) if each]
    moments += [each.at for fact in facts for each in fact.said if each.at]
    known = [_moment(each) for each in moments]
    return min(known, default=now), max([*known, now])


def _moment(text_of_it: str) -> datetime:
    return datetime.fromisoformat(text_of_it)


def _correcting(visit: Visit, fact: FactForm) -> None:
    async def correct(value: str | None) -> None:
        with attempting(visit):
            wanted = facts_routes.Correction(value=value)
            await facts_routes.correct(fact.fact, wanted, visit.owner, visit.daemon)
            ui.navigate.reload()

    with block("div", "flow"):
        box = entry(visit.say("right_value"))
        button(visit.say("correct"), lambda: correct(str(box.value or "").strip() or None), "plain", "edit")
        button(visit.say("is_wrong"), lambda: correct(None), "quiet", "close")


def _writing(visit: Visit) -> None:
    async def write() -> None:
        with attempting(visit):
            wanted = facts_routes.NewFact(
                subject=str(subject.value or ""), relation=str(kind.value or ""), value=str(value.value or "")
            )
            await facts_routes.commit(wanted, visit.owner, visit.daemon)
            ui.navigate.reload()

    with disclosure(visit.say("write_fact")), block("div", "flow"):
        subject = entry(visit.say("subject"), placeholder=visit.say("subject_example"))
        kind = entry(visit.say("relation"), placeholder="lives_in")
        value = entry(visit.say("value"))
        button(visit.say("write_it"), write, "main", "add")
