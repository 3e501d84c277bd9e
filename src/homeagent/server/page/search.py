"""Searching: what recall finds and what speaks for each hit; and why a sentence is, or is not, in memory."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import quote

from homeagent.server.memory_forms import segment_forms
from homeagent.server.page.elements import attempting, block, button, chip, entry, heading, link, text
from homeagent.server.page.held import HELD, take
from homeagent.server.page.looking_up import look_up
from homeagent.server.page.places import places_of
from homeagent.server.page.why import reasons
from homeagent.server.routes import search as search_routes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nicegui import ui
    from nicegui.element import Element
    from nicegui.events import GenericEventArguments
    from starlette.requests import Request

    from homeagent.server.memory_forms import HitForm
    from homeagent.server.page.looking_up import Spot
    from homeagent.server.page.places import Places
    from homeagent.server.page.visit import Visit

__all__ = ["build"]

_HITS = 20
_ENTER = "(event) => { if (event.key === 'Enter' && !event.isComposing) emit(" + HELD + "); }"


async def build(visit: Visit, request: Request) -> None:
    """Show both questions one can ask."""
    heading(visit.say("nav_search"), visit.say("search_about"))
    with block("section", "card"):
        text("h2", visit.say("search_memory"))
        await _searching(visit, request.query_params.get("q", ""))
    with block("section", "card"):
        text("h2", visit.say("why_not"))
        text("p", visit.say("why_not_about"))
        _explaining(visit)


async def _searching(visit: Visit, asked: str) -> None:
    async def search() -> None:
        words = str(box.value or "").strip()
        if not words:
            return
        with attempting(visit):
            found = await search_routes.search(visit.asker.viewer, visit.daemon, words[:4_000], _HITS, None)
            places = await places_of(visit)
            shown.clear()
            with shown:
                if found.nothing or not found.hits:
                    text("p", visit.say("found_nothing"), "lead")
                else:
                    text("p", visit.say("answerable", percent=round(found.answerable * 100)), "fine")
                if found.pending:
                    text("p", visit.waiting("search_pending", found.pending), "fine")
                with block("ol", "hits"):
                    for hit in found.hits:
                        _hit(visit, hit, places)

    box = _line(visit, "search_words", "search_do", search, asked)
    shown = _results()
    if asked:
        await search()


def _hit(visit: Visit, hit: HitForm, places: Places) -> None:
    with block("li", "hit"):
        with block("div", "flow"):
            where = f"{visit.when(hit.at)} · {hit.sender} · {places.name(hit.place.channel, hit.place.chat)}"
            link(where, f"/memory/{quote(hit.turn)}")
            if hit.superseded:
                chip(visit.say("older_value"), "warn")
        text("p", hit.text[:1_000], "said")
        with block("div", "flow"):
            text("span", visit.say("speaks_for_it"), "fine")
            reasons(visit, hit.why)


def _explaining(visit: Visit) -> None:
    async def explain() -> None:
        words = " ".join(str(box.value or "").split())
        if len(words) < 2:
            return
        with attempting(visit):
            spots = await asyncio.to_thread(look_up, visit.daemon.app.memory, visit.asker.viewer, words)
            shown.clear()
            with shown:
                if not spots:
                    text("p", visit.say("never_said"), "lead")
                    text("p", visit.say("never_said_next"))
                with block("ol", "hits"):
                    for spot in spots:
                        _spot(visit, spot)

    box = _line(visit, "sentence", "why_not_do", explain, "")
    shown = _results()


def _spot(visit: Visit, spot: Spot) -> None:
    form = segment_forms([spot.segment], [spot.computed] if spot.computed is not None else [])[0]
    with block("li", "hit"):
        with block("div", "flow"):
            chip(visit.say("in_memory" if spot.inside else "not_in_memory"), "good-chip" if spot.inside else "warn")
            if form.decision not in ("whole", "hidden"):  # those say no more than the first
                chip(visit.say(f"decision_{form.decision or 'waiting'}"), form.decision or "waiting")
            said = visit.say(f"role_{form.role}")
            text("span", f"{said} {form.tool or ''} · {visit.when(spot.at)}", "fine")
        with block("p", "said"):
            text("span", spot.before)
            text("mark", spot.words)
            text("span", spot.after)
        text("p", f"{visit.say('because')} {visit.told(form.reason)}", "reason")
        with block("div", "flow"):
            link(visit.say("open_turn"), f"/memory/{quote(spot.turn)}")
            if form.tool and visit.is_owner:
                link(visit.say("change_policy", tool=form.tool), f"/policies?tool={quote(form.tool)}")


def _line(visit: Visit, label: str, act: str, do: Callable[[], Awaitable[None]], value: str) -> ui.input:
    async def entered(event: GenericEventArguments) -> None:
        await take(event.args)
        await do()

    with block("div", "flow line-form"):
        box = entry(visit.say(label), value=value, grow=True)
        box.on("keydown", entered, js_handler=_ENTER)
        button(visit.say(act), do, "main", "search")
    return box


def _results() -> Element:
    made = block("div", "results")
    made.props["aria-live"] = "polite"
    return made
