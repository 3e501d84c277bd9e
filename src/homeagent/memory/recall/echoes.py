"""Questions that were asked before: a turn in which nobody says what is asked for, or only the assistant does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.memory.compute import QueryText
from homeagent.memory.text.fold import fold_text
from homeagent.memory.text.speech import is_acknowledgement, is_question
from homeagent.memory.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.memory.recall.cues import Question
    from homeagent.memory.store.records import Computed

__all__ = ["Asking", "asks_about_asking"]

_LONGEST: Final = 600
"""Characters of a turn: a longer one says more than it asks."""
_SHORT: Final = 48
"""Characters of a question that says nothing beside it; a Chinese one counts as two."""
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_ASKING: Final = re.compile(r"\bask(?:ed|ing)?\b|\bquestions?\b|问", re.IGNORECASE)
_EMPTY: Final = frozenset(
    """
    again once one thing same alreadi befor abov earlier still told tell said say mention know knew idea sure sorri
    found find look check see got get answer question least last time think remind anyth noth place
    就是 还是 上次 早上 之前 那个 这个 一样 同样 前面 上面 告诉 提到 提过 讲 讲过 查到 找到 看到 清楚 忘 忘记 忘了 次 回
    就 那 这 查 找 看 问 答案 东西 知道 不知道 抱歉 对不起 稍等 刚 再 是 位 条 位置 地方 那里 这里 那儿
    """.split()  # noqa: SIM905 - a list of words reads as words
)
"""Words, as terms, that tell nothing about the matter: who said it and when, that it was looked for."""
_FUNCTION: Final = frozenset("的了是在有和也就都还又再不没我你他她它这那着过吗呢吧啊呀嘛么来去说要会能得")


@dataclass(frozen=True, slots=True)
class Asking:
    """Tells of turns whether their people only ask what ``question`` asks.

    "Where was the key?" - "Where I told you." is no answer to who has the key. "With Mrs Adler." is one, and whoever
    told that Mrs Adler has it says it better. ``cues`` are those of the question.
    """

    question: QueryText
    cues: Question

    def is_empty(self, turn: Sequence[Computed]) -> bool:
        """Tell whether a turn asks, and holds no word about its matter that the question does not hold as well.

        Only of what was asked of the assistant: between people the next to speak answers, and his turn is another.
        """
        if not any(row.role == "assistant" and row.text for row in turn):
            return False
        sentences = [sentence for row in turn for sentence in _sentences(row)]
        length = sum(len(row.text) for row in turn)
        return length <= _LONGEST and any(map(is_question, sentences)) and not self._says_more(sentences)

    def is_answered(self, turn: Sequence[Computed]) -> bool:
        """Tell whether in a turn only the assistant says what is asked for: its people only ask that.

        Where the question is about the asker himself, any short question of theirs is meant: what the assistant says of
        them then is its guess.
        """
        asked = [sentence for row in turn if row.role == "user" for sentence in _sentences(row)]
        if self.cues.of_assistant or not asked or any(row.role == "tool" and row.text for row in turn):
            return False
        if not any(row.role == "assistant" and row.text for row in turn):
            return False
        if self.cues.first_person:
            short = sum(len(sentence.text) * (1 if sentence.text.isascii() else 2) for sentence in asked) <= _SHORT
            return short and all(map(is_question, asked))
        return any(map(is_question, asked)) and not self._says_more(asked)

    def _says_more(self, sentences: Sequence[QueryText]) -> bool:
        asked = query_terms(self.question)
        known = {*asked.words, *asked.symbols, *_EMPTY}
        held = {*fold_text(self.question.text), *_FUNCTION}
        for sentence in sentences:
            if is_acknowledgement(sentence):
                continue
            terms = query_terms(sentence)
            said = {word for word in (*terms.words, *terms.symbols) if word not in terms.stop} - known
            if any(word.isascii() or not held.issuperset(word) for word in said):  # 顾姨来: a word of no dictionary
                return True
        return False


def _sentences(row: Computed) -> list[QueryText]:
    return [QueryText(part.strip()) for part in _SENTENCE.findall(row.text.text[:_LONGEST]) if part.strip()]


def asks_about_asking(question: QueryText) -> bool:
    """Tell whether a question is about what was asked."""
    return _ASKING.search(question.text) is not None
