"""With whom a turn is shared on purpose: shown, added to, and taken back."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from homeagent.server.forms import Share
from homeagent.server.looking import seen_turn
from homeagent.server.page.elements import attempting, block, button, chip, disclosure, entry, text
from homeagent.server.routes import turns as turns_routes

if TYPE_CHECKING:
    from homeagent.server.page.visit import Visit

__all__ = ["show_sharing"]


async def show_sharing(visit: Visit, turn: str) -> None:
    """Show with whom a turn is shared, and let whoever said it change that."""
    shares = (await turns_routes.shares(turn, visit.asker, visit.daemon)).shares
    mine = await asyncio.to_thread(_said_it, visit, turn)
    if not (shares or mine):
        return
    count = visit.say("shared_with", count=len(shares)) if shares else visit.say("shared_with_nobody")
    with disclosure(count, "sharing"):
        text("p", visit.say("sharing_about" if mine else "sharing_not_yours"), "fine")
        for each in shares:
            with block("div", "flow"):
                chip(each.person or f"{each.channel}/{each.chat}")
                if mine:
                    take_back = partial(_change, visit, turn, each, False)
                    button(visit.say("unshare"), take_back, "quiet tiny", "close")
        if mine:
            _adding(visit, turn)


def _adding(visit: Visit, turn: str) -> None:
    async def add() -> None:
        channel, _, chat = str(place.value or "").strip().partition("/")
        await _change(visit, turn, Share(person=str(person.value or "").strip(), channel=channel, chat=chat), True)

    with block("div", "flow"):
        person = entry(visit.say("share_with_person"), placeholder="anna")
        place = entry(visit.say("share_with_chat"), placeholder="telegram/family")
        button(visit.say("share_do"), add, "plain", "share")


async def _change(visit: Visit, turn: str, share: Share, on: bool) -> None:
    with attempting(visit):
        do = turns_routes.share if on else turns_routes.unshare
        await do(share, turn, visit.asker, visit.daemon)
        ui.navigate.to(f"/memory/{turn}")


def _said_it(visit: Visit, turn: str) -> bool:
    memory = visit.daemon.app.memory
    row = seen_turn(memory, visit.asker, turn)
    return memory.timeline.sight(visit.asker.viewer).said_it(row)
