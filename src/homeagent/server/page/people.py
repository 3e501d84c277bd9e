"""Who is who: the senders of channels, the persons they are, and names that may be one and the same."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from homeagent.server.page.elements import attempting, block, button, chip, empty, entry, heading, link, text
from homeagent.server.routes import facts as facts_routes
from homeagent.server.routes import people as people_routes

if TYPE_CHECKING:
    from starlette.requests import Request

    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.facts import SuggestionForm
    from homeagent.server.routes.people import PersonForm

__all__ = ["build"]

_MOST = 500


async def build(visit: Visit, _request: Request) -> None:
    """Show persons with their senders, and change who is who."""
    heading(visit.say("nav_people"), visit.say("people_about"))
    found = (await people_routes.people(visit.owner, visit.daemon)).people
    if not found:
        empty(visit, "empty_people", symbol="people", address="/")
        return
    _linking(visit)
    with block("ul", "cards"):
        for person in found[:_MOST]:
            with block("li", "card"):
                _person(visit, person)
    suggestions = (await facts_routes.suggestions(visit.owner, visit.daemon)).suggestions
    if suggestions:
        text("h2", visit.say("maybe_one"))
        text("p", visit.say("maybe_one_about"), "fine")
        with block("ul", "cards"):
            for each in suggestions[:50]:
                with block("li", "card"):
                    _suggestion(visit, each)


def _person(visit: Visit, person: PersonForm) -> None:
    async def unlink(channel: str, sender: str) -> None:
        with attempting(visit):
            wanted = people_routes.SenderForm(channel=channel, sender=sender)
            await people_routes.unlink(wanted, visit.owner, visit.daemon)
            ui.navigate.to("/people")

    with block("div", "flow"):
        text("h2", person.person)
        text("span", visit.say("turns_count", count=visit.number(person.turns)), "fine")
        link(visit.say("facts_of_person"), f"/facts?subject={person.person}", "link fine")
    for each in person.senders:
        with block("div", "flow"):
            chip(f"{each.channel}/{each.sender}")
            if person.person not in (each.sender, f"{each.channel}:{each.sender}"):
                button(
                    visit.say("unlink"),
                    partial(unlink, each.channel, each.sender),
                    "quiet tiny",
                    "link_off",
                    label=visit.say("unlink_of", sender=f"{each.channel}/{each.sender}"),
                )


def _linking(visit: Visit) -> None:
    async def link_them() -> None:
        with attempting(visit):
            wanted = people_routes.LinkForm(
                channel=str(channel.value or ""), sender=str(sender.value or ""), person=str(person.value or "")
            )
            await people_routes.link(wanted, visit.owner, visit.daemon)
            ui.navigate.to("/people")

    async def undo() -> None:
        with attempting(visit):
            await people_routes.undo(visit.owner, visit.daemon)
            ui.navigate.to("/people")

    with block("section", "card"):
        text("h2", visit.say("link_people"))
        with block("div", "flow"):
            channel = entry(visit.say("channel"), placeholder="telegram")
            sender = entry(visit.say("sender"))
            person = entry(visit.say("is_person"))
            button(visit.say("link_do"), link_them, "main", "link")
            button(visit.say("link_undo"), undo, "quiet", "undo")


def _suggestion(visit: Visit, pair: SuggestionForm) -> None:
    async def merge() -> None:
        with attempting(visit):
            wanted = facts_routes.MergeForm(into=pair.into.entity, other=pair.other.entity)
            made = await facts_routes.merge(wanted, visit.owner, visit.daemon)
            asking.clear()
            with asking, block("div", "flow"):
                text("span", visit.say("merged"), "good").props["role"] = "status"
                button(visit.say("unmerge"), partial(unmerge, made.merge), "quiet", "undo")

    async def unmerge(merge: int) -> None:
        with attempting(visit):
            await facts_routes.unmerge(merge, visit.owner, visit.daemon)
            ui.navigate.to("/people")

    one, other = (", ".join(each.names[:3]) or each.entity for each in (pair.into, pair.other))
    text("p", f"{one} = {other}?")
    text("p", f"{visit.told(pair.why)} ({round(pair.score * 100)} %)", "fine")
    asking = block("div")
    with asking:
        button(visit.say("merge"), merge, "plain", "merge")
