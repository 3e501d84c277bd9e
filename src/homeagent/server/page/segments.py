"""A segment, raw beside computed: what of raw was left out is struck, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from homeagent.server.page.elements import Text, block, button, chip, disclosure, icon, link, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nicegui.element import Element

    from homeagent.server.memory_forms import SegmentForm, WholeTurn
    from homeagent.server.page.visit import Visit

__all__ = ["show_segment"]

_SHOWN: Final = 6_000


def show_segment(visit: Visit, turn: WholeTurn, segment: SegmentForm) -> None:
    """Show one segment here."""
    decision = segment.decision or "waiting"
    with block("section", f"segment is-{decision}") as made:
        made.props["aria-label"] = visit.say(f"role_{segment.role}")
        with block("div", "flow head"):
            text("h2", _title(visit, segment))
            chip(visit.say(f"decision_{decision}"), decision)
            if segment.error:
                chip(visit.say("tool_error"), "warn")
        with block("p", "reason"):
            icon("info")
            Text("span", f"{visit.say('because')} {visit.told(segment.reason)}")
        if segment.arguments:
            with disclosure(visit.say("arguments")):
                _pre(segment.arguments)
        with block("div", "beside"):
            with block("div", "side raw"):
                text("h3", visit.say("raw", count=visit.number(len(segment.raw))))
                _raw(visit, segment)
            with block("div", "side computed"):
                text("h3", visit.say("computed", count=visit.number(len(segment.computed))))
                _computed(visit, segment)
        _files(visit, turn, segment)
        with block("div", "flow after"):
            if segment.tool and visit.is_owner:
                words = visit.say("change_policy", tool=segment.tool)
                link(words, f"/policies?tool={quote(segment.tool)}", "link", "filter_alt")
            if segment.cites:
                text("span", visit.say("cites"), "fine")
                for each in segment.cites:
                    link(each[:12], f"/memory/{quote(each)}", "link fine")


def _title(visit: Visit, segment: SegmentForm) -> str:
    said = visit.say(f"role_{segment.role}")
    by = f" · {segment.plugin}" if segment.plugin else ""
    return f"{said}: {segment.tool}{by}" if segment.tool else said


def _raw(visit: Visit, segment: SegmentForm) -> None:
    if not segment.raw:
        text("p", visit.say("nothing_said"), "fine")
        return
    cuts = _cuts(segment)
    if segment.left_out is None and segment.decision == "cleaned":
        text("p", visit.say("rewritten"), "fine")
    with block("div", "text") as shown:
        shown.props["tabindex"] = "0"
        _marked(visit, segment, cuts, _SHOWN)
    if len(segment.raw) > _SHOWN:
        _whole(visit, shown, segment, cuts)


def _whole(visit: Visit, shown: Element, segment: SegmentForm, cuts: Sequence[tuple[int, int]]) -> None:
    def show() -> None:
        shown.clear()
        with shown:
            _marked(visit, segment, cuts, len(segment.raw))
        more.delete()

    more = button(visit.say("show_all", count=visit.number(len(segment.raw))), show, "quiet", "unfold_more")


def _cuts(segment: SegmentForm) -> list[tuple[int, int]]:
    """Return the ranges of raw of which nothing is computed: all of it where nothing is, and where it waits none."""
    if segment.decision is None:
        return []
    if not segment.computed and segment.raw:
        return [(0, len(segment.raw))]
    return list(segment.left_out if segment.left_out is not None else segment.cuts)


def _marked(visit: Visit, segment: SegmentForm, cuts: Sequence[tuple[int, int]], most: int) -> None:
    raw, at = segment.raw[:most], 0
    quotes = set(segment.cuts)
    for start, end in cuts:
        if start >= most:
            break
        if start > at:
            Text("span", raw[at:start])
        kind = "quote" if (start, end) in quotes or segment.decision == "quote" else segment.decision or ""
        cut = text("del", raw[start:end], f"cut is-{kind}")
        cut.props["title"] = f"{visit.say('left_out')}: {visit.told(segment.reason)}"
        at = end
    if at < len(raw):
        Text("span", raw[at:])
    if len(segment.raw) > most:
        Text("span", "…")


def _computed(visit: Visit, segment: SegmentForm) -> None:
    if segment.computed:
        shown = segment.computed if len(segment.computed) <= _SHOWN else f"{segment.computed[:_SHOWN]}…"
        made = text("div", shown, "text")
        made.props["tabindex"] = "0"
    else:
        text("p", visit.say("nothing_waits" if segment.decision is None else "nothing_computed"), "fine nothing")


def _pre(words: str) -> None:
    made = text("pre", words[:_SHOWN], "output")
    made.props["tabindex"] = "0"


def _files(visit: Visit, turn: WholeTurn, segment: SegmentForm) -> None:
    for number, each in enumerate(segment.attachments):
        with block("p", "file"):
            icon("attach_file")
            made = text("a", each.name or visit.say("unnamed_file"), "link")
            made.props["href"] = f"/api/memory/turns/{quote(turn.turn)}/attachments/{segment.position}/{number}"
            made.props["download"] = each.name or "file"
            text("span", f" {each.media_type} · {visit.number(each.bytes)} B", "fine")
