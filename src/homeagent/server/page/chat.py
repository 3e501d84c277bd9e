"""Talking: the chats of whoever looks, one of them on view, and the box to write in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from homeagent.server.chat_index import new_chat
from homeagent.server.page.chat_box import ChatBox
from homeagent.server.page.elements import attempting, block, button, disclosure, heading, link, text
from homeagent.server.page.first_start import first_start
from homeagent.server.page.frame import listen
from homeagent.server.routes import chats as chats_routes
from homeagent.server.routes import sources as sources_routes

if TYPE_CHECKING:
    from starlette.requests import Request

    from homeagent.server.hub import Notice
    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.chats import OwnChat

__all__ = ["build"]

_SHOWN = 60


async def build(visit: Visit, request: Request) -> None:
    """Show the chats and one of them: the one that is named, else a new one."""
    chats = (await chats_routes.chats(visit.asker, visit.daemon)).chats
    named = request.path_params.get("chat")
    if named is None and not chats and visit.is_owner and request.query_params.get("start") != "offline":
        known = await sources_routes.sources(visit.owner, visit.daemon)
        if not known.sources:
            first_start(visit)
            return
    chat = str(named) if named else new_chat()
    with block("div", "talk"):
        aside = block("aside", "chats", visit.say("chats"))
        with block("section", "conversation", visit.say("nav_chat")):
            heading(visit.say("nav_chat"))
            with disclosure(visit.say("chats"), "chats-small"):
                small = block("div")
            box = ChatBox(visit, chat, known=any(each.chat == chat for each in chats))
            await box.show()

    def relist(listed: list[OwnChat]) -> None:
        for place in (aside, small):
            place.clear()
            with place:
                _listed(visit, listed, chat)

    async def look_again() -> None:
        with attempting(visit):
            relist((await chats_routes.chats(visit.asker, visit.daemon)).chats)

    relist(chats)

    def heard(notice: Notice) -> None:
        if notice.kind == "turn_ended":
            ui.timer(0.2, look_again, once=True)
        if notice.data.get("chat") == box.place.chat and notice.data.get("channel") == box.place.channel:
            box.heard(notice)

    listen(visit, heard)


def _listed(visit: Visit, chats: list[OwnChat], chat: str) -> None:
    button(visit.say("new_chat"), lambda: ui.navigate.to(f"/chat/{new_chat()}"), "main wide", "add")
    if not chats:
        text("p", visit.say("no_chats"), "fine")
    for each in chats[:_SHOWN]:
        made = link(each.title or visit.say("untitled"), f"/chat/{each.chat}", "chat-entry")
        if each.chat == chat:
            made.classes("here")
            made.props["aria-current"] = "page"
        with made:
            when = visit.when(each.last)
            text("span", f"{when} · {visit.say('turns_count', count=each.turns)}", "fine")
    if len(chats) > _SHOWN:
        text("p", visit.say("more_chats", count=len(chats) - _SHOWN), "fine")
