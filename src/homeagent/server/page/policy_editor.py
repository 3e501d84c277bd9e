"""Trying a policy out before it is set, and following how what was computed under the old one is computed anew."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Literal

from nicegui import ui

from homeagent.server.page.elements import attempting, block, button, chip, choice, disclosure, entry, link, text
from homeagent.server.page.frame import listen
from homeagent.server.routes import policies as policies_routes
from homeagent.server.routes.policies import TriedPolicy, WantedPolicy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from homeagent.server.hub import Notice
    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.policies import ExampleForm, PolicyForm, TrialForm

__all__ = ["PolicyEditor"]

_SHOWN: Final = 1_500
_TREATMENTS: Final = ("hidden", "cleaner", "plain")


class PolicyEditor:
    """The form of one policy; ``changed`` is awaited when one was set, and when all is computed under it."""

    def __init__(self, visit: Visit, changed: Callable[[], Awaitable[None]]) -> None:
        self._visit = visit
        self._changed = changed
        self._following = False
        self._kind = "tool"
        self._treatment = "hidden"

    def show(self, row: PolicyForm | None, kind: str, name: str) -> None:
        """Show it here, filled in with the policy in force where there is one."""
        self._whole = block("div", "fields")
        self._shown = block("div", "results")
        self._shown.props["aria-live"] = "polite"
        self._progress = text("p", "", "status")
        self._progress.props["role"] = "status"
        self._fill(row.kind if row else kind, row.name if row else name, row)
        listen(self._visit, self._heard)

    def take(self, row: PolicyForm) -> None:
        """Fill the form in with a policy of the list, and bring it into view."""
        self._shown.clear()
        self._fill(row.kind, row.name, row)
        ui.run_javascript("document.getElementById('editor').scrollIntoView()")

    def _fill(self, kind: str, name: str, row: PolicyForm | None) -> None:
        say = self._visit.say
        self._kind = kind
        self._treatment = row.treatment if row and row.treatment in _TREATMENTS else "hidden"
        self._whole.clear()
        with self._whole:
            with block("div", "flow"):
                kinds = {"tool": say("tool"), "channel": say("channel")}
                choice(say("policy_kind"), kinds, kind, lambda to: setattr(self, "_kind", to))
                self._name = entry(say("policy_name"), value=name, placeholder="web_*")
            treatments = {each: say(f"treatment_{each}") for each in _TREATMENTS}
            choice(say("policy_what"), treatments, self._treatment, self._chosen)
            with block("div") as self._cleaning:
                held = row.cleaner if row else ""
                self._cleaner = entry(say("cleaner"), held, placeholder="json(content) | head(4000)")
            self._cleaning.visible = self._treatment == "cleaner"
            with block("div", "flow"):
                button(say("try_policy"), self._try, "main", "science")
                if row is not None and row.origin == "override":
                    button(say("unset_policy"), self._unset, "quiet", "undo")
            text("p", say("try_policy_about"), "fine")

    def _chosen(self, treatment: str) -> None:
        self._treatment = treatment
        self._cleaning.visible = treatment == "cleaner"

    def _wanted(self) -> TriedPolicy:
        kind: Literal["tool", "channel"] = "channel" if self._kind == "channel" else "tool"
        cleaner = str(self._cleaner.value or "").strip() if self._treatment == "cleaner" else ""
        return TriedPolicy(
            kind=kind,
            name=str(self._name.value or "").strip(),
            no_memory=self._treatment == "hidden",
            cleaner=cleaner,
        )

    async def _try(self) -> None:
        visit = self._visit
        with attempting(visit):
            wanted = self._wanted()
            self._shown.clear()
            with self._shown:
                text("p", visit.say("working_out"), "fine")
            told = await policies_routes.tried(wanted, visit.owner, visit.daemon)
            self._shown.clear()
            with self._shown:
                self._trial(told, wanted)

    def _trial(self, told: TrialForm, wanted: TriedPolicy) -> None:
        visit = self._visit
        with block("div", "trial"):
            text("h3", visit.say("would", name=wanted.name))
            if not (told.segments or told.replies):
                text("p", visit.say("would_nothing"))
            for words in _changes(visit, told):
                text("p", words, "lead")
            if told.examples:
                with disclosure(visit.say("show_examples", count=len(told.examples)), "examples"):
                    for each in told.examples:
                        _example(visit, each)
            with block("div", "flow"):
                button(visit.say("set_policy"), lambda: self._set(wanted), "main", "check")
            text("p", visit.say("set_policy_about"), "fine")

    async def _set(self, wanted: TriedPolicy) -> None:
        visit = self._visit
        with attempting(visit):
            policy = WantedPolicy(no_memory=wanted.no_memory, cleaner=wanted.cleaner)
            done = await policies_routes.change(wanted.kind, wanted.name, policy, visit.owner, visit.daemon)
            await self._after(done.queued)

    async def _unset(self) -> None:
        visit = self._visit
        with attempting(visit):
            wanted = self._wanted()
            done = await policies_routes.unset(wanted.kind, wanted.name, visit.owner, visit.daemon)
            await self._after(done.queued)

    async def _after(self, queued: int) -> None:
        visit = self._visit
        self._shown.clear()
        with self._shown, block("div", "good"):
            text("p", visit.say("policy_set", count=visit.number(queued)))
        # The button that was pressed is gone with what it stood in: what follows belongs to the form.
        with self._shown:
            link(visit.say("see_policies"), "/policies", "button plain")
            ui.run_javascript("document.getElementById('editor').scrollIntoView()")
            ui.timer(0.5, self._look, once=True)
        self._following = True
        await self._changed()

    async def _look(self) -> None:
        pending = await asyncio.to_thread(self._visit.daemon.app.memory.pending)
        if self._told(pending) and self._following:
            self._following = False
            self._progress.set_text(self._visit.say("derived"))
            await self._changed()

    def _heard(self, notice: Notice) -> None:
        found = notice.data.get("pending")
        if notice.kind == "pending" and isinstance(found, dict):
            done = self._told({str(key): int(value) for key, value in found.items()})
            if done and self._following:
                with self._shown:
                    ui.timer(0.1, self._look, once=True)

    def _told(self, pending: dict[str, int]) -> bool:
        """Show what waits to be computed; return whether nothing does."""
        visit = self._visit
        waiting = [f"{visit.say(f'step_of_{step}')} {visit.number(count)}" for step, count in pending.items() if count]
        if waiting:
            self._progress.set_text(visit.say("deriving", steps=", ".join(waiting)))
        return not waiting


def _changes(visit: Visit, told: TrialForm) -> list[str]:
    """Return what would change, a sentence for each kind of thing."""
    number = visit.number
    lines: list[str] = []
    if told.segments:
        key = "would_drop" if told.characters_after < told.characters_before else "would_add"
        lines.append(
            visit.say(
                key,
                segments=number(told.segments),
                before=number(told.characters_before),
                after=number(told.characters_after),
            )
        )
    if told.replies:
        lines.append(
            visit.say(
                "would_replies",
                replies=number(told.replies),
                before=number(told.reply_characters_before),
                after=number(told.reply_characters_after),
            )
        )
    if told.facts_going or told.facts_coming:
        lines.append(visit.say("would_facts", going=number(told.facts_going), coming=number(told.facts_coming)))
    return lines


def _example(visit: Visit, each: ExampleForm) -> None:
    with block("div", "example"):
        with block("div", "flow"):
            chip(visit.say(f"role_{each.role}"))
            if each.tool:
                chip(each.tool)
            chip(visit.say(f"decision_{each.decision}"), each.decision)
            link(visit.say("open_turn"), f"/memory/{each.turn}", "link fine")
        with block("div", "beside"):
            for key, words in (("computed_now", each.before), ("computed_then", each.after)):
                with block("div", "side"):
                    text("h4", visit.say(key))
                    if words:
                        made = text("div", words[:_SHOWN], "text")
                        made.props["tabindex"] = "0"
                    else:
                        text("p", visit.say("nothing_computed"), "fine nothing")
