"""Questions that were asked before: a turn that says no more than the question does can't answer it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from homeagent.memory.compute import QueryText
from homeagent.memory.text.fold import fold_text
from homeagent.memory.text.speech import is_acknowledgement, is_question
from homeagent.memory.text.terms import query_terms

if TYPE_CHECKING:
    from homeagent.memory.compute import ComputeText

__all__ = ["asks_about_asking", "only_asks"]

_LONGEST: Final = 300
"""Characters of a turn: a longer one says more than it asks."""
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_ASKING: Final = re.compile(r"\bask(?:ed|ing)?\b|\bquestions?\b|问", re.IGNORECASE)
_EMPTY: Final = frozenset(
    """
    again once one thing same alreadi befor abov earlier still told tell said say mention know knew idea sure sorri
    found find look check see got get answer question least last time think remind anyth noth
    就是 还是 上次 早上 之前 那个 这个 一样 同样 前面 上面 告诉 提到 提过 讲 讲过 查到 找到 看到 清楚 忘 忘记 忘了 次 回
    就 那 这 查 找 看 问 答案 东西 知道 不知道 抱歉 对不起 稍等 刚 再 是 位 条
    """.split()  # noqa: SIM905 - a list of words reads as words
)
"""Words, as terms, that tell nothing about the matter: who said it and when, that it was looked for."""
_FUNCTION: Final = frozenset("的了是在有和也就都还又再不没我你他她它这那着过吗呢吧啊呀嘛么来去说要会能得")


def only_asks(turn: ComputeText, question: QueryText) -> bool:
    """Tell whether a turn asks, and holds no word about its matter that ``question`` does not hold as well.

    "Where was the key?" - "Where I told you." is no answer to who has the key; "With Mrs Adler." is one.
    """
    if len(turn) > _LONGEST:
        return False
    sentences = [QueryText(part.strip()) for part in _SENTENCE.findall(turn.text) if part.strip()]
    if not any(is_question(sentence) for sentence in sentences):
        return False
    asked = query_terms(question)
    known = {*asked.words, *asked.symbols, *_EMPTY}
    held = {*fold_text(question.text), *_FUNCTION}
    for sentence in sentences:
        if is_acknowledgement(sentence):
            continue
        terms = query_terms(sentence)
        said = {word for word in (*terms.words, *terms.symbols) if word not in terms.stop} - known
        if any(word.isascii() or not held.issuperset(word) for word in said):  # 顾姨来: a word of no dictionary
            return False
    return True


def asks_about_asking(question: QueryText) -> bool:
    """Tell whether a question is about what was asked."""
    return _ASKING.search(question.text) is not None
