"""Why an answer is as it is: what was recalled for it, what speaks for each passage, and which of it the model got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.server.page.elements import block, chip, link, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from homeagent.memory import Fact
    from homeagent.server.page.visit import Visit

__all__ = ["reasons", "relation", "show_why"]


def show_why(visit: Visit, why: Mapping[str, object], facts: Sequence[Fact]) -> None:
    """Show what was recalled here."""
    passages = why.get("passages")
    if not isinstance(passages, list) or not (passages or facts):
        text("p", visit.say("nothing_recalled"))
        return
    question = str(why.get("question", ""))
    text("p", visit.say("recalled_for", question=question[:300]), "fine")
    if why.get("nothing"):
        text("p", visit.say("nothing_to_the_point"), "fine")
    with block("ol", "hits"):
        for each in passages:
            with block("li", "hit" if not each["left_out"] else "hit left"):
                with block("div", "flow"):
                    chip(visit.say("given") if not each["left_out"] else visit.say("not_given"))
                    if each["left_out"]:
                        text("span", visit.told(each["left_out"]), "fine")
                    if each["superseded"]:
                        chip(visit.say("older_value"), "warn")
                text("p", str(each["text"])[:600], "said")
                with block("div", "flow"):
                    text("span", f"{visit.when(each['at'])} {each['sender']}", "fine")
                    reasons(visit, each["why"])
                    link(visit.say("open_turn"), f"/memory/{each['turn']}", "link fine")
    if facts:
        text("p", visit.say("facts_given"), "fine")
        with block("ul", "plain-list"):
            for fact in facts:
                text("li", f"{fact.subject_name} · {relation(visit, fact.relation)} · {fact.value}")


def relation(visit: Visit, name: str) -> str:
    """Return what a relation is called."""
    key = f"relation_{name}"
    return visit.say(key) if visit.has(key) else name.replace("_", " ")


def reasons(visit: Visit, why: Sequence[str]) -> None:
    """Show what speaks for a hit."""
    for each in why:
        kind, _, rest = each.partition(" ")
        key = f"hit_{kind}"
        chip(f"{visit.say(key)} {rest}" if visit.has(key) else visit.told(each), "reason")
