"""The baseline's own words and BM25, apart from the product's, so that the two can disagree.

Words: jieba's "search mode" (long words and the words inside them) for Chinese, Snowball stems for the rest, both
without function words. BM25: Robertson and Zaragoza (2009), k1 1.2, b .75, the idf that is never negative.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np
import rjieba
from Stemmer import Stemmer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Bm25", "bigrams", "words"]

_K1: Final = 1.2
_B: Final = 0.75

_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_RUN = re.compile(r"[\u4e00-\u9fff]+|[a-z0-9]+")
_STEMMER = Stemmer("english")

_FUNCTION_WORDS: Final = frozenset(
    """
    a an the of to in on at for and or is are was were be been do does did what when where who how which why with by
    from i you he she it they we me my your his her their our its this that these those there has have had will would
    can could should may might about into than then so not no if as but s t m re ve d ll any some
    的 了 是 在 和 与 跟 也 都 就 还 又 很 太 把 被 给 对 从 到 向 吗 呢 吧 啊 呀 嘛 什么 哪 哪里 哪个 哪些 谁 怎么
    怎样 如何 为什么 多少 几 时候 什么时候 有 会 要 能 可以 我 你 他 她 它 我们 你们 他们 她们 这 那 个 一个 一 不 没
    没有 过 着 去 来 做 于 为 之 其 所
    """.split()  # noqa: SIM905 - a list of words reads as words
)


def words(text: str) -> list[str]:
    """Return the words of a text that say something, as often as they occur."""
    found: list[str] = []
    for run in _RUN.findall(text.lower()):
        parts = rjieba.cut_for_search(run) if _CHINESE.match(run) else [run]
        found.extend(_STEMMER.stemWord(part) for part in parts if part not in _FUNCTION_WORDS)
    return found


def bigrams(text: str) -> list[str]:
    """Return every two neighbouring Chinese characters."""
    return [run[at : at + 2] for run in _CHINESE.findall(text) for at in range(len(run) - 1)]


class Bm25:
    """An index over documents, each a list of terms. ``behind`` puts the documents after those of another index.

    ``count`` is how many documents it scores.
    """

    count: int
    _lengths: NDArray[np.float64]

    def __init__(self, documents: Sequence[Sequence[str]], behind: Bm25 | None = None) -> None:
        self._behind = behind
        first = behind.count if behind is not None else 0
        self.count = first + len(documents)
        own = np.array([len(document) for document in documents], np.float64)
        self._lengths = own if behind is None else np.concatenate([behind._lengths, own])
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, document in enumerate(documents, first):
            for term, times in Counter(document).items():
                self._postings[term].append((place, times))

    def scores(self, question: Sequence[str]) -> NDArray[np.float64]:
        """Return the score of every document, float64 (count,); a term that is asked twice counts twice."""
        total = np.zeros(self.count)
        average = max(1.0, float(self._lengths.mean())) if self.count else 1.0
        for term in question:
            places, times = self._posting(term)
            if not len(places):
                continue
            idf = math.log(1 + (self.count - len(places) + 0.5) / (len(places) + 0.5))
            size = _K1 * (1 - _B + _B * self._lengths[places] / average)
            total[places] += idf * times * (_K1 + 1) / (times + size)
        return total

    def _posting(self, term: str) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        found = self._postings.get(term, [])
        if self._behind is not None:
            found = [*self._behind._postings.get(term, []), *found]
        return np.array([place for place, _ in found], np.intp), np.array([times for _, times in found], np.float64)
