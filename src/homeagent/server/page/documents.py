"""Documents: conversations that were put away, by what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from homeagent.server.page.elements import attempting, block, button, chip, empty, entry, heading, link, text
from homeagent.server.page.places import places_of
from homeagent.server.routes import documents as documents_routes

if TYPE_CHECKING:
    from starlette.requests import Request

    from homeagent.server.memory_forms import DocumentForm
    from homeagent.server.page.places import Places
    from homeagent.server.page.visit import Visit

__all__ = ["build", "build_one"]

_PAGE = 50
_ENTER = "(event) => { if (event.key === 'Enter' && !event.isComposing) emit(event.target.value); }"


async def build(visit: Visit, request: Request) -> None:
    """List them, all or about something."""
    heading(visit.say("nav_documents"), visit.say("documents_about"))
    asked = request.query_params.get("q", "")
    start = request.query_params.get("from", "0")
    offset = int(start) if start.isdecimal() and len(start) < 7 else 0
    found = await documents_routes.documents(visit.asker.viewer, visit.daemon, asked[:4_000], _PAGE, offset)

    async def archive() -> None:
        with attempting(visit):
            await documents_routes.archive(visit.owner, visit.daemon)
            ui.navigate.to("/documents")

    with block("div", "flow tools"):
        box = entry(visit.say("documents_search"), value=asked, grow=True)
        box.on("keydown", lambda event: ui.navigate.to(f"/documents?q={quote(str(event.args))}"), js_handler=_ENTER)
        if visit.is_owner:
            button(visit.say("archive_now"), archive, "plain", "archive")
    if not found.documents:
        if asked:
            text("p", visit.say("found_nothing"), "lead")
        else:
            empty(visit, "empty_documents", symbol="description")
    places = await places_of(visit)
    with block("ul", "cards"):
        for each in found.documents:
            with block("li", "card"):
                _short(visit, each, places)
    if offset + _PAGE < found.total:
        link(visit.say("more"), f"/documents?q={quote(asked)}&from={offset + _PAGE}", "button plain")


def _short(visit: Visit, document: DocumentForm, places: Places) -> None:
    with block("h2"):
        link(document.title or visit.say("untitled"), f"/documents/{quote(document.document)}")
    first, last = visit.when(document.first, day=True), visit.when(document.last, day=True)
    turns = visit.say("turns_count", count=len(document.turns))
    text("p", f"{first} – {last} · {places.name(document.channel, document.chat)} · {turns}", "fine")
    if document.pending:
        text("p", visit.say("document_pending"), "fine")
    for each in document.summary:
        text("p", each)
    with block("div", "flow"):
        for tag in document.tags:
            chip(tag)
        for name in document.entities:
            chip(name, "reason")


async def build_one(visit: Visit, request: Request) -> None:
    """Show one with its text."""
    name = str(request.path_params["document"])
    document = await documents_routes.document(name, visit.asker, visit.daemon)
    link(visit.say("back_to_documents"), "/documents", "link back", "arrow_back")
    heading(document.title or visit.say("untitled"))
    with block("section", "card"):
        _short(visit, document, await places_of(visit))
    text("h2", visit.say("document_turns"))
    with block("div", "flow"):
        for number, turn in enumerate(document.turns, 1):
            link(f"{number}", f"/memory/{quote(turn)}", "chip")
    text("h2", visit.say("document_text"))
    made = text("div", document.text, "text tall")
    made.props["tabindex"] = "0"
