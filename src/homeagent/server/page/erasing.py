"""Deleting for good: what stays that says the same, the last question, and the proof."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from homeagent.server.forms import turn_form
from homeagent.server.looking import seen_turn
from homeagent.server.page.elements import attempting, block, button, chip, icon, link, named, text
from homeagent.server.routes import forgetting as forgetting_routes
from homeagent.server.routes.forgetting import EraseForm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nicegui.element import Element

    from homeagent.server.forms import TurnForm
    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.forgetting import ErasedForm, ProofForm, SurvivorForm, TargetForm

__all__ = ["confirm_erasure", "show_survivors"]

_LISTED = 50
_SHOWN = 200


async def show_survivors(visit: Visit, survivors: Sequence[SurvivorForm]) -> None:
    """Show what says the same and stays, turn by turn, so that nobody takes it for gone."""
    if not survivors:
        text("p", visit.say("no_survivors"), "fine")
        return
    why: dict[str, list[str]] = {}
    for each in survivors:
        said = visit.say("why_" + each.why.split()[0])
        reasons = why.setdefault(each.turn, [])
        if said not in reasons:
            reasons.append(said)
    turns = await asyncio.to_thread(_turns, visit, [turn for turn in why if turn][:_LISTED])
    text("h3", visit.say("survivors", count=visit.number(len(why))))
    text("p", visit.say("survivors_about"), "fine")
    with block("ul", "plain-list"):
        if "" in why:
            text("li", visit.say("survivor_written", why=", ".join(why[""])))
        for turn in turns:
            with block("li"):
                with block("div", "flow"):
                    link(f"{visit.when(turn.at)} · {turn.sender}", f"/memory/{quote(turn.turn)}")
                    for reason in why[turn.turn]:
                        chip(reason)
                text("p", turn.text[:_SHOWN], "said short")
    if len(why) > _LISTED:
        text("p", visit.say("and_more", count=visit.number(len(why) - _LISTED)), "fine")


def _turns(visit: Visit, names: Sequence[str]) -> list[TurnForm]:
    memory = visit.daemon.app.memory
    hidden = memory.timeline.forgotten()
    rows = [seen_turn(memory, visit.asker, each) for each in names]
    return [turn_form(row, memory.segments(row), forgotten=row.seq in hidden) for row in rows]


async def confirm_erasure(visit: Visit, target: TargetForm, shown: Element) -> None:
    """Ask once more, erase, and show the proof in ``shown``."""
    with ui.dialog() as dialog, block("div", "card dialog"):
        text("h2", visit.say("erase_sure"))
        text("p", visit.say("erase_sure_about"))
        with block("div", "flow"):
            button(visit.say("erase_yes"), lambda: dialog.submit(True), "danger", "delete_forever")
            button(visit.say("cancel"), lambda: dialog.submit(False), "plain")
    named(dialog, visit.say("erase_sure"))
    if not await dialog:
        return
    with attempting(visit):
        shown.clear()
        with shown, block("p", "fine") as working:
            working.props["role"] = "status"
            text("span", visit.say("erasing"))
        wanted = EraseForm(**target.model_dump(), confirm=True, prove=True)
        done = await forgetting_routes.erase(wanted, visit.owner, visit.daemon)
        shown.clear()
        with shown, block("section", "card"):
            await _erased(visit, done)
        ui.run_javascript("document.querySelector('.results').scrollIntoView()")


async def _erased(visit: Visit, done: ErasedForm) -> None:
    text("h2", visit.say("erased", turns=visit.number(len(done.turns)), writes=done.writes))
    if done.proof is not None:
        _proof(visit, done.proof)
    if done.copies:
        text("p", visit.say("erased_copies", count=done.copies), "fine")
    await show_survivors(visit, done.survivors)
    text("p", visit.say("erased_elsewhere"), "fine")


def _proof(visit: Visit, proof: ProofForm) -> None:
    with block("div", "alert proof" if proof.found else "good proof") as shown:
        shown.props["role"] = "status"
        icon("gpp_maybe" if proof.found else "verified_user")
        key = "proof_left" if proof.found else "proof_clean"
        size = f"{proof.bytes / 1_000_000:.1f}"
        text("p", visit.say(key, found=proof.found, files=visit.number(proof.files), size=size))
    text("p", visit.say("proof_about"), "fine")
    for each in proof.where[:20]:
        text("p", each, "fine")
    for each in proof.own_files[:20]:
        text("p", visit.say("proof_own_file", file=each), "fine")
