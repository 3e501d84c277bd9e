"""Every turn that may be seen, newest first: a list that stays quick however long it is."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element

from homeagent.server.page import ROOT
from homeagent.server.page.elements import Text, block, choice, empty, heading, icon
from homeagent.server.page.places import places_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from homeagent.server.page.visit import Visit

__all__ = ["TimelineList", "build"]

_PAGE = 200
_CHOICES = 300
_LABELS = ("list", "forgotten", "interrupted", "failed", "open", "files", "silent", "undated", "all", "some", "lost")


class TimelineList(Element, component="files/timeline.js"):
    """The list itself: its rows are fetched by the browser, with the session of whoever looks."""

    def __init__(self, visit: Visit, place: str, names: Mapping[str, str]) -> None:
        super().__init__()
        channel, _, chat = place.partition("/")
        only = f"&in_channel={quote(channel)}&in_chat={quote(chat)}" if place else ""
        self.props["address"] = f"/api/memory/turns?limit={_PAGE}{only}"
        self.props["base"] = f"{ROOT}/memory/"
        self.props["names"] = dict(names)
        self.props["labels"] = {each: visit.say(f"timeline_{each}", count="{count}") for each in _LABELS}


async def build(visit: Visit, request: Request) -> None:
    """Show the list, of all chats or of one."""
    heading(visit.say("nav_timeline"), visit.say("timeline_about"))
    places = await places_of(visit)
    if not places.chats:
        empty(visit, "empty_memory", symbol="history", address="/")
        return
    place = request.query_params.get("chat", "")
    options = {"": visit.say("every_chat")}
    for each in places.chats[:_CHOICES]:
        name = places.name(each.place.channel, each.place.chat)
        options[f"{each.place.channel}/{each.place.chat}"] = f"{name} ({visit.number(each.turns)})"
    with block("div", "flow tools"):
        choice(visit.say("chat_of"), options, place, lambda to: ui.navigate.to(f"/memory?chat={quote(to)}"))
        block("span", "space")
        with block("a", "button plain") as export:
            export.props["href"] = "/api/memory/export"
            export.props["download"] = "homeagent.jsonl"
            icon("download")
            Text("span", visit.say("export"))
    TimelineList(visit, place if place in options else "", places.names)
