"""Every view with its address; each is built anew for each look, for whoever looks."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from fastapi import HTTPException, Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.responses import RedirectResponse, Response
from nicegui import Client, ui
from nicegui import app as library

from homeagent.errors import HomeAgentError
from homeagent.server.page import (
    chat,
    documents,
    facts,
    forget,
    graph,
    models,
    people,
    plugins,
    policies,
    search,
    settings,
    timeline,
    turn,
)
from homeagent.server.page.elements import block, icon, link, problem_lines, text
from homeagent.server.page.entering import sign_in_address
from homeagent.server.page.frame import frame
from homeagent.server.page.signing import sign_in_view
from homeagent.server.page.visit import Visit, visit_of
from homeagent_sdk.errors import SdkError

__all__ = ["VIEWS", "View", "add_views"]

_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class View:
    """A view: where it is, the key of its title, what builds it, and whether it is for the owner only."""

    path: str
    title: str
    build: Callable[[Visit, Request], Awaitable[None]]
    owner: bool = False


VIEWS: Final = (
    View("/", "nav_chat", chat.build),
    View("/chat/{chat}", "nav_chat", chat.build),
    View("/memory", "nav_timeline", timeline.build),
    View("/memory/{turn}", "turn_title", turn.build),
    View("/search", "nav_search", search.build),
    View("/documents", "nav_documents", documents.build),
    View("/documents/{document}", "nav_documents", documents.build_one),
    View("/facts", "nav_facts", facts.build),
    View("/graph", "nav_graph", graph.build),
    View("/people", "nav_people", people.build, owner=True),
    View("/forget", "nav_forget", forget.build),
    View("/policies", "nav_policies", policies.build, owner=True),
    View("/plugins", "nav_plugins", plugins.build, owner=True),
    View("/plugins/{plugin}", "nav_plugins", plugins.build_one, owner=True),
    View("/models", "nav_models", models.build, owner=True),
    View("/settings", "nav_settings", settings.build, owner=True),
)
"""Every view."""


def add_views() -> None:
    """Make every view known to the page library."""
    ui.page("/sign-in", response_timeout=_SECONDS)(sign_in_view)
    library.exception_handler(404)(_missing)
    for view in VIEWS:
        ui.page(view.path, response_timeout=_SECONDS)(_shown(view))


def _shown(view: View) -> Callable[[Request], Awaitable[Response | None]]:
    async def shown(request: Request) -> Response | None:
        visit = visit_of(request)
        if visit is None:
            return RedirectResponse(sign_in_address(request), status_code=303)
        with frame(visit, request, view.title):
            try:
                if view.owner:
                    _ = visit.owner
                await view.build(visit, request)
            except (HomeAgentError, SdkError) as error:
                _trouble(visit, error)
        return None

    return shown


async def _missing(request: Request, error: Exception) -> Response:
    """Answer an address that is none of ours with a view like all others, in the language of who looks."""
    endpoint = request.scope.get("endpoint")
    if endpoint not in (None, library) and isinstance(error, HTTPException):
        return await http_exception_handler(request, error)
    visit = visit_of(request)
    if visit is None:
        return RedirectResponse(sign_in_address(request), status_code=303)
    with Client(ui.page(""), request=request) as client, frame(visit, request, "not_found"):
        _stopped(visit, visit.say("not_found_about"), visit.say("not_found_next"))
    return client.build_response(request, 404)


def _trouble(visit: Visit, error: HomeAgentError | SdkError) -> None:
    _stopped(visit, *problem_lines(visit, error))


def _stopped(visit: Visit, problem: str, step: str) -> None:
    """Say why there is nothing to see, and where to go on from here."""
    with block("div", "empty") as shown:
        shown.props["role"] = "alert"
        icon("error_outline")
        text("p", problem, "lead")
        text("p", step)
        with block("div", "flow"):
            link(visit.say("nav_search"), "/search", "button plain")
            link(visit.say("nav_chat"), "/", "button plain")
