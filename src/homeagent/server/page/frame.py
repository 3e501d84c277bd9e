"""What every view stands in: the bar on top, the list of views, language and theme, and what waits to be computed."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from nicegui import background_tasks, ui

from homeagent.server.page import ROOT
from homeagent.server.page.elements import block, button, chip, icon, link, named, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.requests import Request

    from homeagent.server.hub import Notice
    from homeagent.server.page.visit import Visit

__all__ = ["NAVIGATION", "Entry", "bare", "frame", "listen"]

Entry = tuple[str, str, str, bool]
"""Address, key of its name, symbol, and whether only the owner is shown it."""

NAVIGATION: Final[tuple[tuple[str, tuple[Entry, ...]], ...]] = (
    ("nav_talk", (("/", "nav_chat", "chat", False),)),
    (
        "nav_memory",
        (
            ("/memory", "nav_timeline", "history", False),
            ("/search", "nav_search", "search", False),
            ("/documents", "nav_documents", "description", False),
            ("/facts", "nav_facts", "fact_check", False),
            ("/graph", "nav_graph", "hub", False),
            ("/people", "nav_people", "people", True),
            ("/forget", "nav_forget", "delete_sweep", False),
        ),
    ),
    (
        "nav_home",
        (
            ("/policies", "nav_policies", "filter_alt", True),
            ("/plugins", "nav_plugins", "extension", True),
            ("/models", "nav_models", "smart_toy", True),
            ("/settings", "nav_settings", "settings", True),
        ),
    ),
)
"""Every view by group."""


def bare(language: str, theme: str) -> None:
    """Prepare a document: styles, colours, theme."""
    ui.add_head_html(f'<link rel="stylesheet" href="{ROOT}/files/styles.css">')
    ui.colors(primary="#1f6f5c", secondary="#385f71", negative="#b3261e", positive="#1f6f5c", dark_page="#14181a")
    ui.dark_mode({"light": False, "dark": True}.get(theme))
    del language


@contextmanager
def frame(visit: Visit, request: Request, title: str) -> Iterator[None]:
    """Stand a view inside the frame."""
    bare(visit.language, visit.theme)
    ui.page_title(f"{visit.say(title)} · HomeAgent")
    # Open by itself where there is room; the library would ask the browser for that, and log it when that takes long.
    with ui.left_drawer(value=False).classes("drawer") as drawer:
        drawer.props("show-if-above width=250 breakpoint=1000 no-swipe-open")
        _navigation(visit, request.url.path.removeprefix(ROOT) or "/")
    with ui.header().classes("bar"):
        button("", drawer.toggle, "quiet menu", "menu", label=visit.say("menu"))
        with link("HomeAgent", "/", "brand"):
            pass
        block("span", "space")
        _pending(visit)
        _choices(visit, request)
    with block("div", "view") as view:
        ui.skip_link(visit.say("skip"), target=view).classes("skip")
        yield


def _navigation(visit: Visit, here: str) -> None:
    with block("nav", "navigation", visit.say("nav")):
        for group, entries in NAVIGATION:
            shown = [each for each in entries if visit.is_owner or not each[3]]
            if not shown:
                continue
            text("p", visit.say(group), "group")
            for address, name, symbol, _ in shown:
                made = link(visit.say(name), address, "entry", symbol)
                inside = here == address or (address == "/" and here.startswith("/chat/"))
                if inside or (address != "/" and here.startswith(f"{address}/")):
                    made.classes("here")
                    made.props["aria-current"] = "page"


def _choices(visit: Visit, request: Request) -> None:
    back = quote(str(request.url.path))
    other = "en" if visit.language == "zh" else "zh"
    made = link("中文" if other == "zh" else "English", f"/choose?language={other}&to={back}", "button quiet language")
    made.props["lang"] = "zh-CN" if other == "zh" else "en"
    following = {"auto": "dark", "dark": "light", "light": "auto"}[visit.theme]
    symbol = {"auto": "brightness_auto", "dark": "dark_mode", "light": "light_mode"}[visit.theme]
    theme = block("a", "button quiet")
    theme.props["href"] = f"{ROOT}/choose?theme={following}&to={back}"
    theme.props["title"] = visit.say(f"theme_{visit.theme}")
    named(theme, visit.say(f"theme_{visit.theme}"))
    with theme:
        icon(symbol)
    with block("form", "leave") as form:
        form.props["method"] = "post"
        form.props["action"] = f"{ROOT}/sign-out"
        leave = block("button", "button quiet", visit.say("sign_out", person=visit.person))
        leave.props["type"] = "submit"
        leave.props["title"] = visit.say("sign_out", person=visit.person)
        with leave:
            icon("logout")
            text("span", visit.person, "person")


def _pending(visit: Visit) -> None:
    """Show how much waits to be computed, as it changes; and what is asked in chats that are not on view."""
    shown = chip("", "pending")
    shown.props["role"] = "status"
    shown.visible = False

    def told(pending: dict[str, int]) -> None:
        waiting = max(pending.values(), default=0)
        shown.visible = bool(waiting)
        shown.set_text(visit.waiting("pending", waiting) if waiting else "")

    async def first() -> None:
        told(await asyncio.to_thread(visit.daemon.app.memory.pending))

    def heard(notice: Notice) -> None:
        if notice.kind == "pending":
            found = notice.data.get("pending")
            told({str(key): int(value) for key, value in found.items()} if isinstance(found, dict) else {})

    ui.timer(0.1, first, once=True)
    listen(visit, heard)


def listen(visit: Visit, heard: Callable[[Notice], None]) -> None:
    """Hand on what happens in the home and may be known, as long as the page is open and the token holds."""
    client = ui.context.client

    async def follow() -> None:
        async for notice in visit.daemon.hub.follow(visit.person):
            if client.is_deleted or not visit.holds:
                return
            with client:
                heard(notice)

    task = background_tasks.create(follow(), name="homeagent page listens")
    client.on_delete(lambda: task.cancel())
