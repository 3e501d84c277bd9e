"""Whom or what a piece of a Chinese clause means: the speaker, his people and things, somebody named."""

from __future__ import annotations

import re
from typing import Final

from homeagent.memory.distil import _words_zh as words
from homeagent.memory.distil.names import looks_like_person
from homeagent.memory.distil.parts import Clause, Draft, Focus, Party
from homeagent.memory.distil.patterns_zh import ATTRIBUTES, VALUE_NOUNS
from homeagent.memory.distil.relations import KIN_ZH
from homeagent.memory.distil.tagging import RuleTagger

__all__ = ["bare_range", "is_name", "party_of"]

_TAGGER: Final = RuleTagger(hidden_words=False)


def party_of(clause: Clause, low: int, high: int, focus: Focus) -> tuple[Party, tuple[Draft, ...]] | None:
    """Return whom or what characters ``[low, high)`` of a clause mean, and what that itself says; None for nobody."""
    low, high = bare_range(clause.text, low, high)
    text = clause.text[low:high]
    at = clause.start + low
    if not text or (not focus.owner and re.search("[我咱俺]", text)):
        return None
    if words.ME.fullmatch(text):
        return Party("me", at, at + len(text), person=True), ()
    if words.PRONOUN.match(text):
        meant = focus.person if text[0] in "他她其" else focus.thing if text[0] == "它" else None
        return (meant, ()) if meant is not None else None
    his = words.HIS.fullmatch(text)
    if his and focus.person is not None:
        return Party("owned", at + his.start(1), at + len(text), his[1], focus.person), ()
    if his and text[0] in "其他她它":
        return None
    me = Party("me", at, at + 1, person=True)
    for pattern in (words.KIN_OF_ME, words.BARE_KIN):
        match = pattern.fullmatch(text)
        if match and (pattern is words.KIN_OF_ME or (focus.owner and len(match["kin"]) > 1)):
            found = _relative(me, match, at)
            if found is not None:
                return found
    return _other(text, at, focus, me)


def _other(text: str, at: int, focus: Focus, me: Party) -> tuple[Party, tuple[Draft, ...]] | None:
    end = at + len(text)
    match = words.KIN_OF.fullmatch(text)
    if match and looks_like_person(match["who"]) and not words.ME.fullmatch(match["who"]):
        who = Party("named", at, at + len(match["who"]), match["who"], person=True)
        found = _relative(who, match, at)
        if found is not None:
            return found
    owned = words.OWNED.fullmatch(text)
    if owned and focus.owner:
        what = owned["what"]
        if not _nominal(what):
            return None
        return Party("owned", at + owned.start("what"), end, what, me), ()
    if owned or len(text) > 18 or not _nominal(text):
        return None
    person = looks_like_person(text) and (text[0] not in "阿小老大" or len(text) == 2)
    return Party("named", at, end, text, person=person), ()


def _nominal(text: str) -> bool:
    """Tell whether a text may be the name of something: no word in it that makes a sentence."""
    return not any(word.text in words.BAD_SUBJECT for word in _TAGGER.words(text))


def _relative(anchor: Party, match: re.Match[str], at: int) -> tuple[Party, tuple[Draft, ...]] | None:
    """Return the party of "我同事林小满" (林小满, and that she is the colleague), or of "我妈妈" (the mother)."""
    relation, name = KIN_ZH[match["kin"]], match["name"]
    if name:
        if (
            len(name) < 2
            or not is_name(name)
            or name[0] in "的在也都很今已刚从不"
            or name in ATTRIBUTES
            or VALUE_NOUNS.search(name)
        ):
            return None
        start = at + match.start("name")
        named = Party("named", start, start + len(name), name, person=True)
        return named, (Draft(anchor, relation, start, start + len(name), named),)
    return Party("relative", at, at + match.end(), relation, anchor, person=True), ()


def bare_range(text: str, low: int, high: int) -> tuple[int, int]:
    """Return the range of a subject without the times and determiners around it."""
    while True:
        piece = text[low:high]
        left = len(piece) - len(piece.lstrip())
        when = words.TIMES.match(piece)
        shared = words.SHARED.match(piece)
        if left:
            low += left
        elif when and when.end() < len(piece):
            low += when.end()
        elif shared and shared.end() and piece[0] in "家咱这那":
            low += shared.end()
        else:
            break
    piece = text[low:high].rstrip()
    piece = piece[:-1] if len(piece) > 2 and piece[-1] in "他她" else piece
    tail = re.search(rf"(?:{words.WHEN}|的|自己)+$", piece)
    if tail and tail.start() > 0 and piece[tail.start() :] not in ("自己",):
        piece = piece[: tail.start()]
    return low, low + len(piece)


def is_name(text: str) -> bool:
    """Tell whether a text may be a name: no verb, pronoun or particle in it, as far as the dictionary knows."""
    bare = text.strip('"“”「」『』 ')
    if not bare or words.BAD_NAME.search(bare) or len(bare) > 12:
        return False
    if looks_like_person(bare) or not re.search("[一-鿿]", bare):
        return True
    return all(word.tag not in ("verb", "pronoun", "particle", "preposition") for word in _TAGGER.words(bare))
