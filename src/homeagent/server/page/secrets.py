"""Where keys, passwords and card numbers stand in what was said, masked, with the way to erase them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from homeagent.server.page.elements import attempting, block, button, chip, link, text
from homeagent.server.routes import forgetting as forgetting_routes

if TYPE_CHECKING:
    from homeagent.server.page.visit import Visit

__all__ = ["show_secrets"]

_LISTED = 100


def show_secrets(visit: Visit) -> None:
    """Offer to look for secrets: the whole log is read for it, so it waits to be asked."""

    async def look() -> None:
        with attempting(visit):
            found = (await forgetting_routes.secrets(visit.owner, visit.daemon)).secrets
            shown.clear()
            with shown:
                text(
                    "p", visit.say("secrets_found" if found else "secrets_none", count=visit.number(len(found))), "lead"
                )
                with block("ul", "plain-list"):
                    for each in found[:_LISTED]:
                        with block("li", "flow"):
                            chip(visit.told(each.kind), "warn")
                            text("code", each.masked)
                            link(visit.say("open_turn"), f"/memory/{quote(each.turn)}", "link fine")
                            link(visit.say("erase"), f"/forget?turn={quote(each.turn)}", "link fine")
                if len(found) > _LISTED:
                    text("p", visit.say("and_more", count=visit.number(len(found) - _LISTED)), "fine")

    with block("section", "card"):
        text("h2", visit.say("secrets"))
        text("p", visit.say("secrets_about"), "fine")
        with block("div", "flow"):
            button(visit.say("secrets_look"), look, "plain", "key")
        shown = block("div", "secrets-found")
        shown.props["aria-live"] = "polite"
