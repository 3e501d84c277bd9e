"""The haystack of a case: everyday sentences that have nothing to do with its questions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from homeagent.check.case import SOURCE, RecallCheck
from homeagent.errors import InputError
from homeagent.memory.compute import QueryText
from homeagent.memory.text.fold import fold_text
from homeagent.memory.text.terms import query_terms
from homeagent.memory.turn import Segment

if TYPE_CHECKING:
    from homeagent.check.case import Case
    from homeagent.memory.turn import Turn

__all__ = ["haystack", "sentences"]

_BEFORE: Final = timedelta(hours=5)
_AFTER: Final = timedelta(minutes=1)
_REPLIES: Final = {"zh": "好的。", "en": "Okay."}


@cache
def sentences(lang: str) -> tuple[str, ...]:
    """Return the 200 sentences of a language (``zh``, else English)."""
    name = "haystack_zh.txt" if lang == "zh" else "haystack_en.txt"
    return tuple(files("homeagent.check").joinpath(name).read_text(encoding="utf-8").splitlines())


def haystack(case: Case) -> tuple[list[Turn], list[Turn]]:
    """Return the turns to put before and after a case's own: as many as it asks for, about half on either side.

    They are said by the case's first speaker in his chat. A sentence that shares a content word with a question of the
    case is left out; when more are wanted than there are, they come again at other times.
    """
    if not case.haystack:
        return [], []
    content = _content(case)
    fitting = [text for text in sentences(case.lang) if not _shares(text, content)]
    if not fitting:
        step = "Ask fewer questions in one case"
        raise InputError(f"case {case.name}", "its questions share a word with every sentence of the haystack", step)
    first, last = case.turns[0], max(case.turns, key=lambda turn: turn.at.timestamp() if turn.at else 0.0)
    reply = Segment("assistant", _REPLIES.get(case.lang, _REPLIES["en"]))
    many = case.haystack // 2
    found: list[Turn] = []
    for number in range(case.haystack):
        text = fitting[number % len(fitting)]
        if number < many:
            at = first.at - _BEFORE * (many - number) if first.at else None
        else:
            at = last.at + _AFTER * (number - many + 1) if last.at else None
        turn = replace(first, segments=(Segment("user", text), reply), at=at)
        found.append(replace(turn, source=f"{SOURCE}-haystack", external_id=f"h{number}"))
    return found[:many], found[many:]


def _content(case: Case) -> frozenset[str]:
    """Return the content words of the case's questions."""
    queries = [check.query for check in case.checks if isinstance(check, RecallCheck)]
    return frozenset(word for query in queries for word in query_terms(QueryText(query)).content.words)


def _shares(text: str, content: frozenset[str]) -> bool:
    folded = fold_text(text)
    own = query_terms(QueryText(text)).words
    return any(word in own or (not word.isascii() and word in folded) for word in content)
