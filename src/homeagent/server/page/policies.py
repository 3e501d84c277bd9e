"""Policies: what of each tool and channel is computed, what another policy would do, and setting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.server.page.elements import block, button, chip, disclosure, heading, text
from homeagent.server.page.policy_editor import PolicyEditor
from homeagent.server.routes import policies as policies_routes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nicegui.element import Element
    from starlette.requests import Request

    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.policies import PolicyForm

__all__ = ["build"]


async def build(visit: Visit, request: Request) -> None:
    """Show every policy and the form to change one."""
    heading(visit.say("nav_policies"), visit.say("policies_about"))
    with disclosure(visit.say("policies_how"), "legend"), block("dl", "legend-list"):
        for each in ("hidden", "cleaner", "plain", "default"):
            with block("div"):
                with block("dt"):
                    chip(visit.say(f"treatment_{each}"), each)
                text("dd", visit.say(f"treatment_{each}_about"))
    found = await policies_routes.listed(visit.owner, visit.daemon)
    lists: list[Element] = []

    async def refresh() -> None:
        rows = (await policies_routes.listed(visit.owner, visit.daemon)).policies
        for each in lists:
            each.clear()
            with each:
                _lists(visit, rows, editor)

    editor = PolicyEditor(visit, refresh)
    wanted = request.query_params.get("tool", "")[:400] or request.query_params.get("channel", "")[:400]
    kind = "channel" if "channel" in request.query_params else "tool"
    known: dict[tuple[str, str], PolicyForm] = {(each.kind, each.name): each for each in found.policies}
    with block("section", "card") as card:
        card.props["id"] = "editor"
        text("h2", visit.say("policy_change"))
        editor.show(known.get((kind, wanted)), kind, wanted)
    lists.append(block("div"))
    with lists[0]:
        _lists(visit, found.policies, editor)


def _lists(visit: Visit, policies: Sequence[PolicyForm], editor: PolicyEditor) -> None:
    for kind, title in (("tool", "tools"), ("channel", "channels")):
        rows = [each for each in policies if each.kind == kind]
        if not rows:
            continue
        text("h2", visit.say(title))
        rows.sort(key=lambda each: (-each.segments, each.name))
        with block("ul", "policy-list"):
            for row in rows:
                with block("li", "policy"):
                    _policy(visit, row, editor)


def _policy(visit: Visit, row: PolicyForm, editor: PolicyEditor) -> None:
    with block("div", "flow"):
        text("h3", row.name)
        chip(visit.say(f"treatment_{row.treatment}") if visit.has(f"treatment_{row.treatment}") else row.treatment,
             row.treatment)  # fmt: skip
        if row.cleaner:
            text("code", row.cleaner, "fine")
        block("span", "space")
        label = visit.say("change_policy", tool=row.name)
        button(visit.say("change"), lambda: editor.take(row), "plain", "tune", label=label)
    text("p", f"{visit.say('because')} {visit.told(row.why)}", "fine")
    if row.segments:
        text(
            "p",
            visit.say(
                "policy_amounts",
                segments=visit.number(row.segments),
                raw=visit.number(row.raw),
                computed=visit.number(row.computed),
            ),
            "fine",
        )
        with block("div", "meter") as meter:
            meter.props["aria-hidden"] = "true"
            block("div", "filled").style(f"width: {min(1.0, row.computed / max(row.raw, 1)):.1%}")
