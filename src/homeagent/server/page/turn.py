"""One turn: each segment raw beside what is computed of it, what was left out and why; and what may be done to it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from homeagent.server.page.elements import attempting, block, button, chip, disclosure, heading, icon, link, text
from homeagent.server.page.places import places_of
from homeagent.server.page.segments import show_segment
from homeagent.server.page.sharing import show_sharing
from homeagent.server.routes import forgetting as forgetting_routes
from homeagent.server.routes import turns as turns_routes
from homeagent.server.routes.forgetting import TargetForm

if TYPE_CHECKING:
    from starlette.requests import Request

    from homeagent.server.memory_forms import WholeTurn
    from homeagent.server.page.visit import Visit

__all__ = ["build"]


async def build(visit: Visit, request: Request) -> None:
    """Show the turn that is named."""
    name = str(request.path_params["turn"])
    turn = await turns_routes.turn(name, visit.asker, visit.daemon, source=None)
    places = await places_of(visit)
    link(visit.say("back_to_timeline"), "/memory", "link back", "arrow_back")
    heading(visit.say("turn_title"), visit.say("turn_about"))
    with block("dl", "about-turn"):
        for key, value in (
            ("when", visit.when(turn.at) or visit.say("timeline_undated")),
            ("where", places.name(turn.place.channel, turn.place.chat)),
            ("who", turn.sender),
            ("present", ", ".join(turn.members)),
            ("status", visit.say(f"status_{turn.status}")),
            ("turn_id", turn.turn),
        ):
            if value:
                with block("div"):
                    text("dt", visit.say(key))
                    text("dd", value)
    if turn.forgotten:
        with block("p", "alert"):
            icon("visibility_off")
            text("span", visit.say("is_forgotten_about"))
    _actions(visit, turn)
    await show_sharing(visit, turn.turn)
    with disclosure(visit.say("legend"), "legend"), block("dl", "legend-list"):
        for each in ("whole", "cleaned", "quote", "hidden", "failed", "empty", "forgotten"):
            with block("div"):
                with block("dt"):
                    chip(visit.say(f"decision_{each}"), each)
                text("dd", visit.say(f"decision_{each}_about"))
    for segment in turn.segments:
        show_segment(visit, turn, segment)


def _actions(visit: Visit, turn: WholeTurn) -> None:
    target = TargetForm(turns=[turn.turn])

    async def forget() -> None:
        with attempting(visit):
            await forgetting_routes.forget(target, visit.asker, visit.daemon)
            ui.navigate.to(f"/memory/{turn.turn}")

    async def bring_back() -> None:
        with attempting(visit):
            await forgetting_routes.undo(target, visit.asker, visit.daemon)
            ui.navigate.to(f"/memory/{turn.turn}")

    with block("div", "flow tools"):
        if turn.forgotten:
            button(visit.say("bring_back"), bring_back, "plain", "undo")
        else:
            button(visit.say("forget"), forget, "plain", "visibility_off")
        if visit.is_owner:
            link(visit.say("erase"), f"/forget?turn={quote(turn.turn)}", "button danger", "delete_forever")
