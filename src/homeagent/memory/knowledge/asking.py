"""From a question to the facts it asks for: of whom, and which relation. A table of patterns, no model.

Conservative: a question that no pattern fits asks for no fact, and recall goes by its words and its meaning alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.memory.distil.relations import FUNCTIONAL, KIN_EN, KIN_ZH
from homeagent.memory.text.fold import fold_text
from homeagent.memory.text.speech import asks_about_self

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.compute import QueryText

__all__ = ["Wanted", "wanted"]

_ASKED: Final = """
lives_in    | where (?:do|does|did|is|are|am|was|were)\\b.{0,40}\\bliv(?:e|ing)\\b|which (?:city|town) .{0,30}\\blive | (?:住在?|搬到了?|搬去了?|家在)(?:哪|什么地方)|现在住哪|住址
address     | \\baddress\\b | 地址
works_at    | where .{0,30}\\bwork(?:s|ing)?\\b|(?:which|what) company|who .{0,20}\\bwork(?:s|ing)? for\\b | 在哪里?儿?(?:工作|上班)|(?:哪家|什么)(?:公司|单位)
works_as    | \\bfor a living\\b|what .{0,20}\\b(?:job|profession|occupation)\\b | (?:做|干)什么(?:工作|的)|什么(?:职业|工作)
studies_at  | where .{0,30}\\bstud(?:y|ies|ying)\\b|(?:which|what) (?:school|university|college) | 在哪里?儿?(?:上学|读书|念书)|(?:哪所|哪个|什么)(?:学校|大学|中学|小学)
birthday    | \\bbirthday\\b|when .{0,20}\\bborn\\b | 生日|(?:什么时候|哪天|哪年)出生
age         | how old\\b | 多大(?:了|年纪|岁数)?[?？]?$|几岁|年龄
from        | where .{0,30}\\bfrom\\b(?= *[?？]?$) | 哪里人|哪儿人|老家
name        | what(?:'s| is| are| was).{0,40}\\b(?:name|called)\\b | 叫什么|什么名字|名字是
phone       | \\bphone\\b|\\bmobile number\\b | 电话|手机号
email       | \\be-?mail\\b | 邮箱|邮件地址
allergic_to | \\ballerg | 过敏
diet        | \\b(?:vegetarian|vegan|diet)\\b | 吃素|忌口|饮食
likes       | (?:what|which|who) .{0,40}\\b(?:likes?|loves?|enjoys?)\\b|\\bfavou?rite\\b | 喜欢(?:什么|吃什么|喝什么|哪)|最?爱(?:吃|喝|看|听)?什么|最喜欢的
dislikes    | what .{0,40}\\b(?:dislikes?|hates?)\\b | (?:讨厌|不喜欢|不爱吃|怕)什么
drinks      | what .{0,30}\\bdrinks?\\b | 喝什么
plays       | (?:what|which) .{0,30}\\bplays?\\b | (?:弹|拉|打|玩|踢)什么
speaks      | (?:what|which|how many) languages? | (?:说|讲|会)(?:什么|哪些|几门)(?:语言|外语|方言)
"""
"""Relation | how English asks for it | how Chinese does; on folded text."""

_RELATIONS: Final = tuple(
    (name.strip(), re.compile(f"{english.strip()}|{chinese.strip()}"))
    for name, english, chinese in (re.split(r"\s\|\s", line, maxsplit=2) for line in _ASKED.strip().splitlines())
)
_KIN: Final = {**KIN_EN, **KIN_ZH}
_MINE_EN = re.compile(rf"\bmy (?:\w+ )?({'|'.join(sorted(map(re.escape, KIN_EN), key=len, reverse=True))})(?:'s?)?\b")
_MINE_ZH = re.compile(rf"我们?的?({'|'.join(sorted(map(re.escape, KIN_ZH), key=len, reverse=True))})")
_OWNED_EN = re.compile(r"\bmy (\w+(?: \w+)?)")
_OWNED_ZH = re.compile(r"我们?的([\u3400-\u4dbf\u4e00-\u9fff]{1,6}?)(?=叫|的|是|几|多|怕|喜|住|生|在|对|$)")
_WHO: Final = re.compile(r"\bwho(?:'s| is| are| was)\b|\bname\b|\bcalled\b|是谁|叫什么|什么名字")
_WORDS: Final = re.compile(r"[a-z0-9][a-z0-9'.-]*")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_LONGEST_NAME: Final = 4
"""Words of an English name, characters of a Chinese one, at most."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for: (subject, relation) pairs, where subjects are words that the graph can look up.

    ``names`` are stretches of the question that may be names; who is called so is asked for ``relations`` too, of which
    there is one value at a time: of what somebody likes, his own turns say more than any one fact.
    """

    pairs: tuple[tuple[str, str], ...] = ()
    relations: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def wanted(text: QueryText) -> Wanted:
    """Return what a question asks for; empty when it asks for no fact that a relation is known for."""
    folded = fold_text(text.text).strip()
    relations = tuple(name for name, pattern in _RELATIONS if pattern.search(folded))
    relatives = [found[1] for pattern in (_MINE_EN, _MINE_ZH) for found in pattern.finditer(folded)]
    who = _WHO.search(folded) is not None
    pairs = [("me", _KIN[word]) for word in relatives if who]
    pairs += [(word, relation) for word in relatives for relation in relations]
    things = [] if relatives else list(_things(folded))
    pairs += [(thing, relation) for thing in things for relation in relations]
    if relations and not relatives and asks_about_self(text):
        pairs += [("me", relation) for relation in relations]
    single = tuple(relation for relation in relations if relation in FUNCTIONAL)
    names = () if relatives or not single else tuple(dict.fromkeys(_names(folded)))
    return Wanted(tuple(dict.fromkeys(pairs)), single, names)


def _things(folded: str) -> Iterator[str]:
    """Yield what the asker calls his: "my cat", "my old bike" and "my old", 我的猫."""
    for found in _OWNED_EN.finditer(folded):
        words = found[1].removesuffix("'s").split()
        yield from (f"my {' '.join(words[:length])}" for length in range(len(words), 0, -1))
    for found in _OWNED_ZH.finditer(folded):
        yield f"我的{found[1]}"


def _names(folded: str) -> Iterator[str]:
    """Yield the stretches of a question that may be a name, the longer ones first where they begin."""
    words = [word.removesuffix("'s") for word in _WORDS.findall(folded)]
    for start in range(len(words)):
        for length in range(min(3, len(words) - start), 0, -1):
            yield " ".join(words[start : start + length])
    for run in _HAN.findall(folded):
        for start in range(len(run)):
            for length in range(min(_LONGEST_NAME, len(run) - start), 1, -1):
                yield run[start : start + length]
