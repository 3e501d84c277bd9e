"""What an erased text may leave behind: its runs of characters in each way of writing them, and its index terms."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.memory.door.door import label
from homeagent.memory.erasing.finding import LEAST
from homeagent.memory.text.fold import fold_text
from homeagent.memory.text.terms import passage_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from homeagent.memory.erasing.targets import Chosen
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore

__all__ = ["Traces", "spellings", "terms_of"]

_RUN: Final = 24
_STEP: Final = 12
_VECTOR: Final = 32


@dataclass(frozen=True, slots=True)
class Traces:
    """What to look for. ``runs`` and ``terms`` give each way of writing it as bytes, with what it is a writing of.

    ``words`` are the index terms themselves, short ones too. ``vectors`` are beginnings of its vectors.
    """

    runs: dict[bytes, str]
    terms: dict[bytes, str]
    words: frozenset[str]
    vectors: frozenset[bytes]

    @staticmethod
    def of(log: LogStore, derived: DerivedStore, chosen: Chosen) -> Traces:
        """Return the traces of what is about to be erased: raw, compute text, arguments, attachments, facts."""
        texts = list(dict.fromkeys(text for text in _texts(log, derived, chosen) if text))
        runs = {run for text in texts for run in _runs(text)}
        terms = frozenset(term for text in texts for term in terms_of(text))
        model = derived.meta("model") or ""
        rows = derived.vectors(model, [row.seq for row in chosen.turns])
        return Traces(
            {written: run for run in runs for written in spellings(run)},
            {written: term for term in terms for written in spellings(term)},
            terms,
            frozenset(data[:_VECTOR] for _, _, data in rows if len(data) >= _VECTOR),
        )


def terms_of(text: str) -> set[str]:
    """Return the index terms of a text: words, Chinese character pairs, symbols."""
    terms = passage_terms(label(text))
    return {*terms.words, *terms.bigrams, *terms.symbols}


def spellings(text: str) -> set[bytes]:
    """Return a text as bytes in each way a file may hold it: UTF-8, UTF-16, escaped for JSON, folded for the index."""
    forms = {text, fold_text(text)}
    forms |= {json.dumps(form, ensure_ascii=ascii_)[1:-1] for form in list(forms) for ascii_ in (True, False)}
    written = {form.encode("utf-8", "surrogatepass") for form in forms}
    written |= {form.encode(code, "surrogatepass") for form in forms for code in ("utf-16-le", "utf-16-be")}
    return {each for each in written if len(each) >= LEAST}


def _runs(text: str) -> Iterator[str]:
    """Yield overlapping runs of each line, so that any 35 characters in a row hold one whole."""
    for line in text.splitlines():
        stripped = line.strip()
        if len(stripped.encode("utf-8", "surrogatepass")) < _STEP:
            continue
        yield stripped[:_RUN]
        for start in range(_STEP, len(stripped) - _RUN + 1, _STEP):
            yield stripped[start : start + _RUN]
        yield stripped[-_RUN:]


def _texts(log: LogStore, derived: DerivedStore, chosen: Chosen) -> Iterator[str]:
    seqs = [row.seq for row in chosen.turns]
    for seq in seqs:
        for row in log.segments(seq):
            yield row.segment.text
            yield row.segment.arguments or ""
            for attachment in row.segment.attachments:
                yield attachment.name
                yield attachment.data.decode("utf-8", "replace").replace("\ufffd", "\n")
        for computed in derived.computed_of(seq):
            yield computed.text.text
    for fact in derived.facts_in([*seqs, *(row.seq for row in chosen.writes)]):
        yield from (fact.value.text, fact.subject.name.text, fact.evidence.text)
    for written in chosen.writes:
        yield from _strings(json.loads(written.payload))


def _strings(value: object) -> Iterable[str]:
    match value:
        case str():
            return [value]
        case dict():
            return [text for each in value.values() for text in _strings(each)]
        case list():
            return [text for each in value for text in _strings(each)]
        case _:
            return []
