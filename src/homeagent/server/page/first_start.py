"""The first look at a new home: a model's source, or going on without; and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from homeagent.server.page.elements import block, button, heading, link, text
from homeagent.server.page.source_form import SourceForm

if TYPE_CHECKING:
    from homeagent.server.page.visit import Visit

__all__ = ["first_start"]


def first_start(visit: Visit) -> None:
    """Show it here."""
    heading(visit.say("welcome"), visit.say("welcome_about"))
    with block("div", "cards two"):
        with block("section", "card"):
            text("h2", visit.say("with_model"))
            text("p", visit.say("with_model_about"))
            form = SourceForm(visit, name="main")
            form.show(lambda: _next(visit, done))
        with block("section", "card"):
            text("h2", visit.say("offline"))
            text("p", visit.say("offline_about"))
            button(visit.say("go_offline"), lambda: ui.navigate.to("/?start=offline"), "plain", "cloud_off")
    done = block("div")


def _next(visit: Visit, done: ui.element) -> None:
    done.clear()
    with done, block("section", "card"):
        text("h2", visit.say("model_answers"))
        text("p", visit.say("next_steps"))
        with block("ul", "steps"):
            for address, key in (
                ("/?start=offline", "step_talk"),
                ("/memory", "step_look"),
                ("/policies", "step_policy"),
            ):
                with block("li"):
                    link(visit.say(key), address)
