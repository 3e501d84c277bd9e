"""Compute text and questions as index terms: `passage_terms` and `query_terms`.

Three kinds of term, for three columns of the full text index. *Words*: English stems and Chinese dictionary words.
*Bigrams*: every two neighbouring Chinese characters, which find names that no dictionary knows, and single characters
(猫). *Symbols*: numbers, versions, identifiers, paths, emoji, found only exactly. Measured on 94,000 Chinese lines,
R@10 of words is .91 for keywords and .69 for substrings, of bigrams .94 and .97. Passages keep their function words,
so that a question of nothing else finds something; others are better asked by `QueryTerms.content` (R@5 +2 to +6).

A term holds no white space, no NUL and no surrogate, and at most 64 characters. It may hold any punctuation, so a
store must not cut it again (in FTS5: ``unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from homeagent.memory.compute import ComputeText, QueryText
from homeagent.memory.text import _chinese, _english
from homeagent.memory.text._numerals import numerals
from homeagent.memory.text._symbols import EMOJI, LONGEST, grouped_numbers, long_numbers, run_terms, without_groups
from homeagent.memory.text.fold import shape_text

__all__ = ["Computable", "QueryTerms", "Terms", "passage_terms", "query_terms"]

Computable = ComputeText | QueryText
"""What a computation may read."""

# What ends a run: white space, brackets, quotes, the operators of search engines, Chinese punctuation, skin tones.
_HARD = (
    r'\s"()\[\]{}<>,;|*^!`=?$&~\u00a1-\u00a9\u00ab-\u00b1\u00b6-\u00b8\u00bb\u00bf'
    r"\u2000-\u203b\u203d-\u2048\u204a-\u206f\u20a0-\u20cf\u3000-\u3004\u3008-\u3040\u3097-\u309c\u30a0\u30fb\ufe10-\ufe6f\U0001f3fb-\U0001f3ff"
)
_RUN = re.compile(f"[{_chinese.SCRIPT}]+|[{EMOJI}]|[^{_HARD}{_chinese.SCRIPT}{EMOJI}\ud800-\udfff]+")
_CHINESE = re.compile(f"[{_chinese.SCRIPT}]")
_EMOJI = re.compile(f"[{EMOJI}]")
# Wide punctuation divides (８８１，９９２); NFKC would make it narrow, and a narrow comma may group digits.
_WIDE = str.maketrans(dict.fromkeys("，；！？（）", " "))


@dataclass(frozen=True, slots=True)
class Terms:
    """The index terms of a text, by column, in the order of the text, as often as they occur."""

    words: tuple[str, ...]
    bigrams: tuple[str, ...]
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueryTerms(Terms):
    """The terms of a question, and which of them say nothing about its matter.

    ``stop`` holds the words and bigrams that are made of function words, question words and those time words (now,
    昨天) that `dates.query_window` reads.
    """

    stop: frozenset[str]

    @property
    def content(self) -> Terms:
        """The terms to search with: without those in ``stop``, or all of them when nothing else would remain."""
        words = tuple(word for word in self.words if word not in self.stop)
        bigrams = tuple(bigram for bigram in self.bigrams if bigram not in self.stop)
        if words or bigrams or self.symbols:
            return Terms(words, bigrams, self.symbols)
        return Terms(self.words, self.bigrams, self.symbols)


def passage_terms(text: ComputeText) -> Terms:
    """Return the terms a passage is found by. Linear in the length of the text; never raises."""
    words: list[str] = []
    bigrams: list[str] = []
    symbols: list[str] = []
    shaped = _shaped(text)
    symbols.extend(long_numbers(shaped))
    symbols.extend(numerals(shaped))
    plain: list[str] = []
    for run in _RUN.findall(shaped):
        if run.isascii() and run.isalpha() and run[1:].islower():  # most of English, so by the short way
            words.append(_english.stem(run.lower()))
        elif _CHINESE.match(run):
            words.extend(_chinese.segment(run))
            bigrams.extend(_chinese.pairs(run))
            bigrams.extend(_chinese.singles(run))
        elif _EMOJI.match(run):
            symbols.append(run)
        else:
            plain.clear()
            run_terms(run, plain, symbols, passage=True)
            words.extend(map(_english.stem, plain))
    return Terms(_short(words), tuple(bigrams), tuple(symbols))


def query_terms(text: QueryText) -> QueryTerms:
    """Return the terms of a question. Quotes, brackets and operators of search engines are just text."""
    words: list[str] = []
    bigrams: list[str] = []
    symbols: list[str] = []
    stop: set[str] = set()
    shaped = _shaped(text)
    symbols.extend(long_numbers(shaped))
    symbols.extend(numerals(shaped))
    for run in _RUN.findall(without_groups(shaped)):
        if _CHINESE.match(run):
            _chinese_question(run, words, bigrams, stop)
        elif _EMOJI.match(run):
            symbols.append(run)
        else:
            plain: list[str] = []
            run_terms(run, plain, symbols, passage=False)
            stop.update(_english.stem(word) for word in plain if word in _english.FUNCTION_WORDS)
            words.extend(map(_english.stem, plain))
    return QueryTerms(_short(words), tuple(bigrams), tuple(symbols), frozenset(stop))


def _chinese_question(run: str, words: list[str], bigrams: list[str], stop: set[str]) -> None:
    """Add the terms of a Chinese run of a question: singles only where a character stands for itself."""
    function = bytearray()
    for word in _chinese.segment(run):
        words.append(word)
        empty = word in _chinese.FUNCTION_WORDS
        function.extend((empty,) * len(word))
        if empty:
            stop.add(word)
        elif len(word) == 1:
            bigrams.append(word)
    stop.update(pair for at, pair in enumerate(_chinese.pairs(run)) if function[at] and function[at + 1])
    bigrams.extend(_chinese.pairs(run))
    if len(run) == 1 and run not in bigrams:
        bigrams.append(run)
        if function[0]:
            stop.add(run)


def _shaped(text: Computable) -> str:
    """Return the characters to cut: folded but for letter case, numbers without their grouping commas."""
    return grouped_numbers(shape_text(text.text.translate(_WIDE) if not text.text.isascii() else text.text))


def _short(words: list[str]) -> tuple[str, ...]:
    """Return the words, each cut to the longest a term may be, without empty ones."""
    return tuple(word[:LONGEST] for word in words if word)
