"""What is said but not claimed: questions, conditions, wishes, hearsay, jokes, other people's words in quotes."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["corrects", "is_idle", "is_joke", "is_over", "is_planned", "is_unreal", "without_quotes", "worth"]

_UNREAL: Final = re.compile(
    r"如果|要是|假如|假设|倘若|万一|的话(?=[,，、。]|$)|就好了|但愿|希望|多想|想象一下|比如说|打个比方|梦见|做梦"
    r"|听说|据说|传说|[他她](?:们)?(?:说|觉得|认为|以为)|有人说|人家说"
    r"|(?:朋友|同事|妈妈|爸爸|老婆|老公|医生|老师|网上|新闻|[一-鿿]{1,3})(?:说过?|告诉我)(?=[,，:：我他她])(?<!我说)(?<!我说过)(?<!话说)"
    r"|\b(?:if|unless|suppose|supposing|imagine|what if|i wish|pretend|dreamt|dreamed|let's say|for example|e\.g)\b"
    r"|\b(?:he|she|they|it|somebody|someone|people|everyone|[A-Z][a-z]+) (?:also )?(?:says?|said|tells?|told|thinks?|thought"
    r"|claims?|claimed|believes?|believed|heard|reckons?|insists?)\b(?! (?:goodbye|hello|hi)\b)"
    r"|\bi(?: have|'ve)? (?:heard|read) (?:that|about)\b|\bapparently\b|\brumou?r|\baccording to\b"
    r"|^(?:can|could|will|would|should|shall|do|does|did|is|are) (?:i|you|we|he|she|it|they|the|my|there)\b",
    re.IGNORECASE,
)
_IDLE: Final = re.compile(
    r"可能|也许|或许|说不定|没准|大概会|记成|当成|以为|误以为|差点|差一点|不知道|想不起|不确定|是不是|要不要|会不会|该不该|想不想|考虑"
    r"|我想(?:要|养|买|换|去|学|当|做|搬)|不用(?:帮|给|去|管|担心|麻烦|了)|不要(?!叫|再叫)|(?<![特分性区级类差告个识鉴派])别(?!叫|再叫|墅|针|克|名)"
    r"|^(?:请|帮我|提醒我|给我|替我)(?!叫)"
    r"|\b(?:would|could have|should have|might|may be|may|maybe|perhaps|wonder|hopefully|i hope)\b"
    r"|\b(?:i|we) (?:don't|do not) (?:want|need|know|think|remember)\b|\b(?:i|we) (?:want|need|would like|'d like|hope|wish)\b(?! to .*\b(?:today"
    r"|tonight|tomorrow|on \w+day|at \d))|^(?:no|nope)\b|\bno(?:,)? thanks?\b|\bremind me\b|^please (?!(?:don't )?call)\b|^let's\b",
    re.IGNORECASE,
)
_JOKE: Final = re.compile(
    r"开玩笑|骗你的|逗你(?:玩|的)|闹着玩|愚人节|\b(?:just )?(?:kidding|joking)\b|\bjust a joke\b|\bjk\b|\bi made that up\b",
    re.IGNORECASE,
)
_CORRECTS: Final = re.compile(
    r"说错了?|搞错了?|记错了?|弄错了?|打错了?|更正|纠正一下|不对[,，]|应该是|\bi (?:was|am) wrong\b|\bcorrection\b|\bi misspoke\b"
    r"|\bi meant\b|\bactually\b|\bsorry, (?:it|that)\b|\bmy mistake\b",
    re.IGNORECASE,
)
_HEDGED: Final = re.compile(
    r"好像|似乎|估计|大概|感觉像|应该|我猜|我觉得|印象中|\b(?:i think|i guess|i believe|i suppose|probably|likely|seems?|looks like|if i"
    r" remember)\b",
    re.IGNORECASE,
)
_OVER: Final = re.compile(
    r"以前|从前|曾经|过去|原来(?!是)|原先|小时候|那时候?|当年|上大学时|年轻时|之前(?!.{0,6}是)|\bused to\b|\bformerly\b|\bpreviously\b"
    r"|\bas a (?:child|kid|student)\b|\bback then\b|\byears ago\b|\bex-",
    re.IGNORECASE,
)
_PLANNED: Final = re.compile(
    r"(?:要|准备|打算|计划|将|将要|快要|马上要|会)(?:搬|移居|去|换|改|入职|跳槽|调|住|毕业|结婚|迁)|\b(?:will|going to|gonna|plan(?:ning)? to|about to)\b"
    r"|\b(?:am|'m|is|are|'re) (?:moving|leaving|starting|switching)\b|'ll\b",
    re.IGNORECASE,
)
_QUOTE: Final = re.compile(r"“[^”]{3,}”|「[^」]{3,}」|『[^』]{3,}』|\"[^\"]{3,}\"|(?<![\w])'[^']{3,}'(?![\w])")
_PASTED: Final = re.compile(r"^[^\s,，。:：]{1,12}[:：]\s*(?=.*(?:我|你|\b(?:I|my|you)\b))(?!\s*\d)")
_NAME_LIKE: Final = re.compile(r"(?:(?![我你他她是不有在讨喜])[一-鿿·]){1,4}|[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2}")
_ABOUT_ME: Final = re.compile(r"^(?:我|记住|记一下|提醒|备注|ps|note|remember)", re.IGNORECASE)


def is_unreal(sentence: str) -> bool:
    """Tell whether a sentence states nothing of its own: a condition, hearsay, somebody's pasted words."""
    if _PASTED.match(sentence) and not _ABOUT_ME.match(sentence):
        return True
    return _UNREAL.search(sentence) is not None


def is_idle(clause: str) -> bool:
    """Tell whether a clause only plays with a thought, asks for something or declines it."""
    return _IDLE.search(clause) is not None


def is_joke(text: str) -> bool:
    """Tell whether a text says that it is none too serious."""
    return _JOKE.search(text) is not None


def corrects(text: str) -> bool:
    """Tell whether a text takes back what was said before it."""
    return _CORRECTS.search(text) is not None


def is_over(clause: str) -> bool:
    """Tell whether a clause speaks of what was and is no more."""
    return _OVER.search(clause) is not None


def is_planned(clause: str) -> bool:
    """Tell whether a clause speaks of what is to come."""
    return _PLANNED.search(clause) is not None


def worth(sentence: str) -> float:
    """Return how far a sentence vouches for what it says, 0 to 1."""
    return 0.6 if _HEDGED.search(sentence) else 1.0


def without_quotes(text: str) -> str:
    """Return a text of the same length in which what stands in quotes is blanked, unless it is a mere name."""

    def blanked(match: re.Match[str]) -> str:
        inner = match[0][1:-1]
        return match[0] if _NAME_LIKE.fullmatch(inner) else "\x1f" * len(match[0])

    return _QUOTE.sub(blanked, text)
