"""What the words of a question and of a turn look like: who is meant, what is asked for, which sentences ask."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.memory.compute import QueryText
from homeagent.memory.text.fold import fold_text
from homeagent.memory.text.speech import asks_about_self

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.memory.compute import ComputeText

__all__ = ["Cues", "Question", "question_cues", "said_by", "turn_cues", "without_names"]


@dataclass(frozen=True, slots=True)
class Question:
    """What a question wants, found by its words: about the asker, a time, a number, something the assistant said."""

    first_person: bool = False
    when: bool = False
    number: bool = False
    of_assistant: bool = False
    unknown_symbol: bool = False


_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[a-z0-9]+|[{_HAN}]", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|myself|i'm|i've|i'd|i'll|we|our|the user)\b|我|咱|用户")
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|recently|since|january|february|march|april|june|july|august|september"
    r"|october|november|december|\w+day|(?:last|next|this) (?:week|month|year|night|morning|afternoon|evening|spring"
    r"|summer|fall|autumn|winter)\w*|(?:days?|weeks?|months?|years?) later|in (?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)"
    r"|\d{1,2}(?::\d\d)? ?[ap]m|for \w+ (?:years?|months?|weeks?|days?))\b"
    r"|[昨今明前后][天年]|[上下]周|[上下]个|去年|周[一二三四五六日末]|星期|[\d一二三四五六七八九十][年月日号点]|早上|晚上|小时|分钟|[天周月年]前"
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|few|several|hundred|thousand|once|twice)\b"
    r"|[一二三四五六七八九十百千万两几][个只次人条件名位岁年天周月元块]"
)
_ASKS_WHEN = re.compile(
    r"\b(?:when|(?:what|which) (?:time|date|day|year|month)|how long|how many (?:days|weeks|months|years))\b"
    r"|什么时[候间]|何时|哪[天年]|几[点月号]|多久|时间是|日期"
)
_ASKS_NUMBER = re.compile(r"\bhow (?:many|much|old|often|far|big|large|tall)\b|多少|几|多[大高远重]|号码|规模")
_ASKS_ASSISTANT = re.compile(
    r"\b(?:did|have|had) you\b|\byou(?:r| had| have)? (?:recommend|suggest|advi[sc]e|explain|propos|told|tell|said"
    r"|mention|answer|repl)|你[^，。？]{0,4}(?:推荐|建议|说过|回答|解释|告诉)"
)


_LABEL = 100
_SAID_BY = re.compile(
    r"^[\s\-*•>#|]*(?:[\[(]?\d[\d/.:,\- ]*(?:[ap]m)?[\])]?[\s,\-]*)?"  # a bullet, the time
    r"[\[*<]*(?P<who>[^\W\d](?:[\w .'’-]{0,38}\w)?)[\]*>]*\s*[:：]\s*\S",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Cues:
    """What the words of a turn look like, see `turn_cues`."""

    words: float
    asks: float
    first_person: bool
    time: bool
    number: bool


def turn_cues(text: ComputeText) -> Cues:
    """Return the cues of a turn's words; costs about .1 ms for 200 characters, so keep them with the index.

    ``words``: English words, and Chinese characters at 1.6 a word. ``asks``: share of its characters that stand in
    sentences with a question mark. ``first_person``: I, we, 我, or "the user" as notes call him.
    """
    folded = fold_text(text.text)
    words = sum(1.0 if found.isascii() else 0.625 for found in _WORD.findall(folded))
    sentences = [part.strip() for part in _SENTENCE.findall(folded)]
    total = sum(len(part) for part in sentences if len(part) > 1)
    asking = sum(len(part) for part in sentences if len(part) > 1 and part[-1] in "?？")
    found = (pattern.search(folded) is not None for pattern in (_FIRST_PERSON, _TIME, _NUMBER))
    return Cues(words, asking / total if total else 0.0, *found)


def said_by(text: ComputeText) -> str:
    """Return who is named in front of the words of the first lines, folded; "" where nobody is.

    As transcripts, minutes and exported chats do it: "Ada: ...", "- [10:02] **Ada**: ...", "用户：...". A word before a
    colon that is no name does no harm: it is compared with people's names.
    """
    found = _SAID_BY.search(fold_text(text.text[:_LABEL]))
    return found["who"] if found else ""


def question_cues(text: QueryText, unknown_symbol: bool = False) -> Question:
    """Return what a question wants. ``unknown_symbol``: a number or identifier of it occurs nowhere in the memory."""
    folded = fold_text(text.text)
    return Question(
        first_person=asks_about_self(text),
        when=_ASKS_WHEN.search(folded) is not None,
        number=_ASKS_NUMBER.search(folded) is not None,
        of_assistant=_ASKS_ASSISTANT.search(folded) is not None,
        unknown_symbol=unknown_symbol,
    )


def without_names(text: QueryText, names: Iterable[str]) -> tuple[QueryText, tuple[str, ...]]:
    """Return the question without those of ``names`` that it holds, and these names.

    Embed and search what is left: in a dialogue nobody says his own name, so a name draws the turns that address its
    bearer and hides those in which he speaks (R@5 of the vectors on LoCoMo 18 -> 54). When nothing would be left, the
    question stays as it is.
    """
    left, named = text.text, []
    for name in sorted(set(names) - {""}, key=lambda each: (-len(each), each)):
        edge = r"(?<![a-z0-9])", r"(?:['’]s)?(?![a-z0-9])"
        pattern = re.compile(re.escape(name).join(edge) if name.isascii() else re.escape(name), re.IGNORECASE)
        shorter = pattern.sub(" ", left)
        if shorter != left:
            named.append(name)
            left = shorter
    left = " ".join(left.split())
    return (QueryText(left) if _WORD.search(left) else text), tuple(named)
