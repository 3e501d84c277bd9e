"""Models: the sources that answer, whether each would, adding one; and what was used and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from homeagent.server.page.elements import attempting, block, button, chip, heading, text
from homeagent.server.page.source_form import SourceForm, show_check
from homeagent.server.routes import sources as sources_routes

if TYPE_CHECKING:
    from starlette.requests import Request

    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.sources import SourceForm as Source
    from homeagent.server.routes.sources import UsageForm

__all__ = ["build"]


async def build(visit: Visit, _request: Request) -> None:
    """Show the sources and the usage."""
    heading(visit.say("nav_models"), visit.say("models_about"))
    found = await sources_routes.sources(visit.owner, visit.daemon)
    text("h2", visit.say("sources"))
    if not found.sources:
        text("p", visit.say("no_sources"))
    with block("ul", "cards two"):
        for each in found.sources:
            with block("li", "card"):
                _source(visit, each)
    _checking(visit, any_there=bool(found.sources))
    with block("section", "card"):
        text("h2", visit.say("add_source"))
        SourceForm(visit).show(lambda: ui.navigate.to("/models"))
    text("h2", visit.say("usage"))
    _usage(visit, await sources_routes.usage(visit.owner, visit.daemon, 31))


def _source(visit: Visit, source: Source) -> None:
    async def delete() -> None:
        with attempting(visit):
            await sources_routes.delete(source.name, visit.owner, visit.daemon)
            ui.navigate.to("/models")

    with block("div", "flow"):
        text("h3", source.name)
        chip(source.model)
        block("span", "space")
        label = f"{visit.say('remove')}: {source.name}"
        button(visit.say("remove"), delete, "quiet tiny", "delete", label=label)
    text("p", source.base_url, "fine")
    key = visit.say("has_key" if source.has_key else "has_no_key")
    text("p", f"{key} · {visit.say('window', count=visit.number(source.window))}", "fine")
    if source.prompt_price is not None or source.completion_price is not None:
        prices = f"{source.prompt_price or 0:g} / {source.completion_price or 0:g} {source.currency}"
        text("p", visit.say("prices", prices=prices), "fine")


def _checking(visit: Visit, *, any_there: bool) -> None:
    if not any_there:
        return

    async def check() -> None:
        with attempting(visit):
            shown.clear()
            with shown:
                text("p", visit.say("trying"), "fine")
            checks = (await sources_routes.checked(visit.owner, visit.daemon)).checks
            shown.clear()
            with shown:
                for each in checks:
                    show_check(visit, each)

    with block("div", "flow"):
        button(visit.say("check_sources"), check, "plain", "bolt")
    shown = block("div", "results")
    shown.props["role"] = "status"


def _usage(visit: Visit, usage: UsageForm) -> None:
    if not usage.used:
        text("p", visit.say("no_usage"), "fine")
        return
    number = visit.number
    with block("div", "scroll", visit.say("usage")) as around, block("table", "table"):
        around.props["tabindex"] = "0"
        around.props["role"] = "region"
        with block("thead"), block("tr"):
            for key in ("day", "source", "turns", "prompt_tokens", "completion_tokens", "cost"):
                text("th", visit.say(key)).props["scope"] = "col"
        with block("tbody"):
            for each in usage.used:
                with block("tr"):
                    text("td", each.day)
                    text("td", visit.say("source_none") if each.source == "none" else each.source)
                    for amount in (each.turns, each.prompt_tokens, each.completion_tokens):
                        text("td", number(amount), "number")
                    text("td", f"{each.cost:.4f} {each.currency}" if each.cost else "–", "number")
