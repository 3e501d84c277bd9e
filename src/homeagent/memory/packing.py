"""From hits and facts to a text for a prompt: never more than its budget, nothing twice, long passages cut with a mark.

Facts get a share of the budget of their own, so that neither crowds out the other; what one does not need the other may
take. Hits that stood next to each other become one block in the order in which they were said. A passage that is too
long is cut around what matched, and the mark names the turn, so that the rest can be read. What is left at the end goes
to the turns beside the best hits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from homeagent.memory.knowledge.results import Fact
    from homeagent.memory.results import Hit, Neighbour, Recall
    from homeagent.memory.turn import TurnId

__all__ = ["LeftOut", "Pack", "pack"]

LeftOut = Literal["in view", "no room"]
"""Why a hit is not in the pack: its turn stands in the prompt anyway, or others filled the budget."""

_SHARE_OF_FACTS: Final = 0.25
_SHARE_OF_ONE: Final = 0.5
"""No passage takes more of the budget than this while others wait."""
_LEAST_CUT: Final = 80
"""Characters of a passage that are worth showing at least."""
_WITH_NEIGHBOURS: Final = 3
"""The turns beside so many of the best hits are shown where there is room."""


@dataclass(frozen=True, slots=True)
class Pack:
    """What goes into the prompt.

    ``text`` is all of it, ``tokens`` what it takes by the given count, never more than the budget. ``hits`` and
    ``facts`` are what is in it, ``cut`` the turns of which only a part is shown; ``left_out`` are the other hits.
    """

    text: str = ""
    tokens: int = 0
    hits: tuple[Hit, ...] = ()
    facts: tuple[Fact, ...] = ()
    cut: frozenset[TurnId] = frozenset()
    left_out: tuple[tuple[Hit, LeftOut], ...] = ()


@dataclass(frozen=True, slots=True)
class _Draft:
    """What was taken so far: shown texts by turn, in order of rank; neighbours by turn."""

    shown: dict[TurnId, str] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    beside: tuple[tuple[Hit, Neighbour], ...] = ()


def pack(
    recall: Recall,
    facts: Sequence[Fact] = (),
    *,
    budget: int,
    count: Callable[[str], int],
    in_view: Collection[str] = (),
) -> Pack:
    """Fill ``budget`` tokens, as ``count`` counts them, with the best hits and facts; both are taken in their order.

    Turns that are ``in_view`` are left out: the model sees them anyway.
    """
    packer = _Packer({hit.turn: hit for hit in recall.hits}, budget, count)
    draft = packer.with_facts(_Draft(), facts, int(budget * _SHARE_OF_FACTS))
    left_out: list[tuple[Hit, LeftOut]] = []
    wanted = [hit for hit in recall.hits if hit.turn not in in_view]
    for place, hit in enumerate(wanted):
        draft, taken = packer.with_hit(draft, hit, others=place + 1 < len(wanted))
        if not taken:
            left_out.append((hit, "no room"))
    draft = packer.with_facts(draft, facts[len(draft.facts) :], budget)
    draft = packer.with_neighbours(draft, wanted[:_WITH_NEIGHBOURS], in_view)
    text = packer.text(draft)
    hits = tuple(hit for hit in recall.hits if hit.turn in draft.shown)
    cut = frozenset(hit.turn for hit in hits if draft.shown[hit.turn] != hit.text)
    seen: list[tuple[Hit, LeftOut]] = [(hit, "in view") for hit in recall.hits if hit.turn in in_view]
    return Pack(text, count(text) if text else 0, hits, draft.facts, cut, (*seen, *left_out))


class _Packer:
    """Adds to a draft what still fits."""

    def __init__(self, hits: dict[TurnId, Hit], budget: int, count: Callable[[str], int]) -> None:
        self._hits = hits
        self._budget = budget
        self._count = count

    def with_facts(self, draft: _Draft, facts: Sequence[Fact], most: int) -> _Draft:
        for fact in facts:
            more = replace(draft, facts=(*draft.facts, fact))
            if not self._fits(more, most):
                break
            draft = more
        return draft

    def with_hit(self, draft: _Draft, hit: Hit, *, others: bool) -> tuple[_Draft, bool]:
        """Add a hit, cut where it is too long; tell whether that could be done."""
        alone = self._count(_line(hit, hit.text))
        if not others or alone <= self._budget * _SHARE_OF_ONE:
            whole = self._showing(draft, hit, hit.text)
            if self._fits(whole, self._budget):
                return whole, True
        most = int(self._budget * _SHARE_OF_ONE) if others else self._budget
        low, high = _LEAST_CUT, len(hit.text) - 1
        best: _Draft | None = None
        while low <= high:
            middle = (low + high) // 2
            shown = _cut(hit, middle)
            tried = self._showing(draft, hit, shown)
            if self._count(_line(hit, shown)) <= most and self._fits(tried, self._budget):
                best, low = tried, middle + 1
            else:
                high = middle - 1
        return (draft, False) if best is None else (best, True)

    def with_neighbours(self, draft: _Draft, hits: Sequence[Hit], in_view: Collection[str]) -> _Draft:
        there = {*draft.shown, *in_view}
        for hit in hits:
            if hit.turn not in draft.shown:
                continue
            for neighbour in hit.neighbours:
                more = replace(draft, beside=(*draft.beside, (hit, neighbour)))
                if neighbour.turn not in there and self._fits(more, self._budget):
                    draft = more
                    there.add(neighbour.turn)
        return draft

    def text(self, draft: _Draft) -> str:
        """Return the draft as text: the facts, then the blocks of turns, the best first."""
        parts = [_fact_line(fact) for fact in draft.facts]
        parts += ["\n".join(self._lines(block, draft)) for block in self._blocks(draft)]
        return "\n".join(parts)

    def _showing(self, draft: _Draft, hit: Hit, text: str) -> _Draft:
        return replace(draft, shown={**draft.shown, hit.turn: text})

    def _fits(self, draft: _Draft, most: int) -> bool:
        return self._count(self.text(draft)) <= min(most, self._budget)

    def _blocks(self, draft: _Draft) -> list[list[TurnId]]:
        """Return the turns that are shown, those that stood next to each other together, in the order of time."""
        blocks: list[list[TurnId]] = []
        placed: set[TurnId] = set()
        for turn in draft.shown:
            if turn in placed:
                continue
            block = [turn]
            for step in (-1, 1):
                while (other := self._beside(block[0 if step < 0 else -1], step)) in draft.shown and other not in block:
                    block.insert(0 if step < 0 else len(block), other)
            placed.update(block)
            blocks.append(block)
        return blocks

    def _beside(self, turn: TurnId, step: int) -> TurnId | None:
        return next((each.turn for each in self._hits[turn].neighbours if each.offset == step), None)

    def _lines(self, block: list[TurnId], draft: _Draft) -> list[str]:
        lines: list[str] = []
        for turn in block:
            beside = {near.offset: near.text for hit, near in draft.beside if hit.turn == turn}
            lines += [f"  (before) {beside[-1]}"] if -1 in beside else []
            lines.append(_line(self._hits[turn], draft.shown[turn]))
            lines += [f"  (after) {beside[1]}"] if 1 in beside else []
        return lines


def _line(hit: Hit, text: str) -> str:
    when = hit.at.strftime("%Y-%m-%d %H:%M") if hit.at is not None else "?"
    older = ", an older value" if hit.superseded else ""
    return f"[{when}, {hit.place.channel}/{hit.place.chat}, {hit.sender}{older}] {text}"


def _fact_line(fact: Fact) -> str:
    since = f" since {fact.since:%Y-%m-%d}" if fact.since is not None else ""
    told = {saying.by for saying in fact.said if saying.voice == "assistant"}
    guess = ", the assistant's guess" if told and len(told) == len({saying.by for saying in fact.said}) else ""
    no = "not " if fact.negative else ""
    return f"[known{since}{guess}] {fact.subject_name} - {fact.relation} - {no}{fact.value}"


def _cut(hit: Hit, length: int) -> str:
    """Return ``length`` characters of a hit around what matched, with a mark that says how to read on."""
    start = _best_start(hit.text, _matched(hit), length)
    end = start + length
    before, after = "... " if start else "", " ..." if end < len(hit.text) else ""
    mark = f"[{length} of {len(hit.text)} characters; the rest: memory_read {hit.turn}]"
    return f"{before}{hit.text[start:end]}{after} {mark}"


def _matched(hit: Hit) -> list[str]:
    """Return the terms that spoke for a hit, out of its reasons."""
    return [term for reason in hit.why for term in reason.partition(": ")[2].split()]


def _best_start(text: str, terms: Sequence[str], length: int) -> int:
    """Return where the stretch of ``length`` characters begins that holds most of the different terms."""
    folded = text.casefold()
    places = sorted((at, term) for term in set(terms) for at in _finds(folded, term))
    best, most = 0, 0
    for at, _ in places:
        held = len({term for place, term in places if at <= place <= at + length - len(term)})
        if held > most:
            best, most = at, held
    start = max(0, min(best - length // 4, len(text) - length))
    if start and text[start - 1].isascii() and text[start - 1].isalnum():
        space = text.find(" ", start, start + length // 8)
        start = space + 1 if space >= 0 else start
    return min(start, max(0, len(text) - length))


def _finds(text: str, term: str) -> list[int]:
    found, at = [], text.find(term)
    while at >= 0:
        found.append(at)
        at = text.find(term, at + 1)
    return found
