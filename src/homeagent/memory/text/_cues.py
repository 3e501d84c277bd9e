"""Words of a question that say on which side of a date, or of a change, it looks. Takes shaped text."""

from __future__ import annotations

import re
from enum import Enum

__all__ = ["Side", "asks_newest", "asks_older", "side", "speaks_of_past"]


class Side(Enum):
    """Where a question looks from its date."""

    ON = "on"
    BEFORE = "before"
    UNTIL = "until"
    AFTER = "after"
    SINCE = "since"


_LEADS = (
    (Side.BEFORE, re.compile(r"\b(?:before|prior to|earlier than)(?: the)?\s*$|早于\s*$", re.IGNORECASE)),
    (
        Side.UNTIL,
        re.compile(
            r"\b(?:until|till|up to|as of|by)(?: the)?(?: end of)?\s*$|(?:截至|截止到?|直到)\s*$",
            re.IGNORECASE,
        ),
    ),
    (Side.AFTER, re.compile(r"\b(?:after|later than)(?: the)?\s*$|晚于\s*$", re.IGNORECASE)),
    (Side.SINCE, re.compile(r"\b(?:since|from|starting)(?: the)?\s*$|自从?\s*$", re.IGNORECASE)),
)
_TAILS = (
    (Side.BEFORE, re.compile(r"^\s*(?:(?:之|以)前|前(?!面|台|后|往|天|年|夕))")),
    (Side.AFTER, re.compile(r"^\s*(?:(?:之|以)后|后(?!面|天|年|来))")),
    (Side.SINCE, re.compile(r"^\s*(?:以来|至今|到现在|起|开始|onwards?\b)", re.IGNORECASE)),
    (Side.UNTIL, re.compile(r"^\s*(?:为止|截止)")),
)

# 睡觉之前, 出门以前: before an action, not an older value.
_DEED = (
    r"(?<![觉门班课家发会试饭线床药工车机店点学业岁婚款税审码存完后次个时分天日号周月年期节赛])"
    r"(?<!上线)(?<!发布)(?<!部署)(?<!开始)(?<!结束)(?<!合同)"
)
_OLDER = re.compile(
    r"\b(?:previously|formerly|original(?:ly)?|initial(?:ly)?|at first|in the past|back then)\b"
    r"|\b(?:the|my|our|his|her|their) (?:old|former|previous|earlier|prior)\b"
    r"|(?<!is )(?<!am )(?<!are )(?<!get )(?<!'m )(?<!'s )(?<!getting )\bused? to (?!it\b|that\b)"
    r"|\bbefore(?: that| this| now| then| the (?:change|switch|move|update))?\s*[?.!]*\s*$"
    r"|^\s*(?:以前|之前)|(?:我|你|他|她|它|们|的|里|口|码|址|名|字|价|格)(?:以前|之前)"
    rf"|{_DEED}(?:以前|之前)(?=是|的|用|住|叫|在|说|有|设|放|选|定|怎|为|多少|[?？]?\s*$)"
    r"|从前|原先|原来(?!如此|是这样)|原本|曾经|最初|起初|一开始|旧的|老的"
    r"|旧(?:地址|密码|号码|端口|版本|电话|手机号)|过去(?=是|的|用|住|叫)"
    r"|改之前|换之前|变更前|改前|上一个(?!月|周|星期|礼拜)|上一任|前一个",
    re.IGNORECASE,
)
_NEWEST = re.compile(
    r"(?<!until )(?<!till )(?<!before )\bnow\b(?! that)|\b(?:current(?:ly)?|presently|nowadays)\b"
    r"|\bat (?:the moment|present)\b|\bthese days\b|\b(?:recently|lately|anymore|any more)\b"
    r"|\b(?:latest|newest|most recent|up[- ]to[- ]date)\b"
    r"|现在|目前|当前|如今|眼下|现时|这会儿|最新|最近(?!的)|现任|最后(?:一次)?(?:定|改|选|决定)",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:did|was|were|had|went|came|bought|said|told|met|got|ate|saw|made|gave|took|happened|[a-z]{2,}ed)\b|了|过|发生",
    re.IGNORECASE,
)


def side(before: str, after: str) -> Side:
    """Return the side of a date that stands between ``before`` and ``after``."""
    for found, pattern in _TAILS:
        if pattern.search(after):
            return found
    for found, pattern in _LEADS:
        if pattern.search(before):
            return found
    return Side.ON


def asks_older(shaped: str) -> bool:
    """Tell whether a question asks what something was before it changed."""
    return _OLDER.search(shaped) is not None


def asks_newest(shaped: str) -> bool:
    """Tell whether a question asks for what holds now."""
    return _NEWEST.search(shaped) is not None


def speaks_of_past(shaped: str) -> bool:
    """Tell whether a question is about what is over (did, was, 了)."""
    return _PAST.search(shaped) is not None
