"""Reading Chinese clauses: who is spoken of, and what is said, by the table of `patterns_zh`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from homeagent.memory.distil import _words_zh as words
from homeagent.memory.distil.modality import is_over, is_planned
from homeagent.memory.distil.names import SURNAMES, looks_like_person
from homeagent.memory.distil.parties_zh import bare_range, is_name, party_of
from homeagent.memory.distil.parts import Clause, Draft, Focus, Party, Reading
from homeagent.memory.distil.patterns_zh import ATTRIBUTES, ROWS, VALUE_NOUNS
from homeagent.memory.distil.relations import KIN, KIN_ZH
from homeagent.memory.distil.tagging import RuleTagger, is_chinese

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.distil.patterns_zh import Pattern

__all__ = ["clauses", "read", "spoken_time"]

_LONGEST: Final = 80  # characters of a clause: a longer one has more than one verb, or none
_TAGGER = RuleTagger(hidden_words=False)


def clauses(sentence: str, start: int) -> Iterator[Clause]:
    """Yield the clauses of a folded sentence that begins at ``start`` of its segment."""
    at = 0
    for match in words.BREAK.finditer(sentence):
        yield from _clause(sentence, at, match.start(), start)
        at = match.end()
    yield from _clause(sentence, at, len(sentence), start)


def spoken_time(text: str) -> bool:
    """Tell whether a Chinese text names a time of day, a day, a week or a month."""
    return words.TIME.search(text) is not None


def read(clause: Clause, focus: Focus) -> Reading:
    """Return what a clause says, and what is in focus after it."""
    inverse = _inverse(clause, focus)
    if inverse is not None:
        return inverse
    for row in ROWS:
        match = row.pattern.fullmatch(clause.text)
        if match is None:
            continue
        reading = _by_row(clause, focus, row, match)
        if reading is not None:
            return reading
    planned = _plan(clause, focus)
    return planned if planned is not None else _mentioned(clause, focus)


def _clause(sentence: str, low: int, high: int, start: int) -> Iterator[Clause]:
    text = sentence[low:high]
    leading = words.LEADING.match(text)
    first = leading.end() if leading else 0
    trailing = words.TRAILING.search(text)
    last = trailing.start() if trailing else len(text)
    if 0 < last - first <= _LONGEST:
        yield Clause(text[first:last], start + low + first)


# -- what ----------------------------------------------------------------------------------------------------------


def _by_row(clause: Clause, focus: Focus, row: Pattern, match: re.Match[str]) -> Reading | None:
    who = _subject(clause, focus, row, match)
    if who is None:
        return None
    subject, said = who
    if "A" in row.marks and subject.person and row.relations[0] not in ("value", "size"):
        return None
    if "H" in row.marks and not (subject.person or _animate(subject, row.relations[0])):
        return None
    if not _at_words(clause.text, row, match):
        return None
    drafts = list(said)
    for relation, group in zip(row.relations, ("o", "o2"), strict=False):
        draft = _draft(clause, row, match, subject, (relation, group))
        if draft is None:
            return None
        drafts.append(draft)
    if said and not drafts[len(said) :]:
        return None
    after = focus.on(_heir(subject, drafts))
    counted = _counted(drafts[-1], clause)
    if counted is not None:
        after = replace(after, thing=counted, relation="has")
    return Reading(tuple(_moded(draft, clause, focus) for draft in drafts), after)


def _subject(
    clause: Clause, focus: Focus, row: Pattern, match: re.Match[str]
) -> tuple[Party, tuple[Draft, ...]] | None:
    groups = match.re.groupindex
    if "s" not in groups:  # 叫我阿澈: nobody but the speaker can mean himself so
        return (Party("me", clause.start, clause.start, person=True), ()) if focus.owner else None
    text = clause.text[match.start("s") : match.end("s")]
    if "H" in row.marks and text.endswith("的") and row.relations[0] not in words.OF:
        return None
    low, high = bare_range(clause.text, match.start("s"), match.end("s"))
    if not text.strip() or low >= high or words.TIMES.fullmatch(text):
        if focus.relation == "has" and row.relations[0] == "name" and focus.thing is not None:
            return focus.thing, ()
        if focus.subject is not None:
            return focus.subject, ()
        if "z" in row.marks and focus.owner and focus.first:
            return Party("me", clause.start, clause.start, person=True), ()
        return None
    return party_of(clause, low, high, focus)


def _draft(clause: Clause, row: Pattern, match: re.Match[str], subject: Party, value: tuple[str, str]) -> Draft | None:
    relation, group = value
    low, high = _trimmed(clause.text, match.start(group), match.end(group))
    if relation == "scheduled" and "n" in row.marks:  # 周日的露营取消了: the day says which
        when = words.TIMES.match(clause.text[match.start("s") : match.end("s")])
        low, high = (match.start("s"), match.start("s") + when.end()) if when else (low, high)
        high -= clause.text[low:high].endswith("的")
    text = clause.text[low:high]
    if not text or words.BAD_VALUE.search(text) or not _fits(text, row.marks, subject, relation):
        return None
    negative = "n" in row.marks or bool(match.groupdict().get("no"))
    relation, subject = _specific(relation, subject)
    start, end = clause.start + low, clause.start + high
    target = _object(relation, text, start, end)
    if relation == "lives_in" and not subject.person:
        relation = "located_at"
    if relation == "name" and subject.kind == "relative" and subject.anchor is not None:
        return Draft(subject.anchor, subject.key, start, end, Party("named", start, end, text, person=True))
    return Draft(subject, relation, start, end, target, negative=negative, changed="c" in row.marks)


def _specific(relation: str, subject: Party) -> tuple[str, Party]:
    """Return the relation of a person's attribute: 陈医生的电话 is a phone number of hers, not a thing by itself."""
    if relation not in ("value", "works_as", "size", "scheduled", "age") or subject.kind not in ("named", "owned"):
        return relation, subject
    for noun in sorted(ATTRIBUTES, key=len, reverse=True):
        if not subject.key.endswith(noun):
            continue
        owner = subject.key[: -len(noun)].removesuffix("的")
        if subject.kind == "owned" and not owner and subject.anchor is not None:
            return ATTRIBUTES[noun], subject.anchor
        if subject.kind == "owned" and owner in KIN_ZH and subject.anchor is not None:
            return ATTRIBUTES[noun], replace(subject, kind="relative", key=KIN_ZH[owner], person=True)
        if subject.kind == "named" and looks_like_person(owner):
            end = subject.start + len(owner)
            return ATTRIBUTES[noun], Party("named", subject.start, end, owner, person=True)
        if subject.kind == "named" and owner in KIN_ZH:
            me = Party("me", subject.start, subject.start, person=True)
            end = subject.start + len(owner)
            return ATTRIBUTES[noun], Party("relative", subject.start, end, KIN_ZH[owner], me, person=True)
    return relation, subject


def _fits(text: str, marks: frozenset[str], subject: Party, relation: str) -> bool:
    """Tell whether a value is of the kind that the row asks for."""
    if "N" in marks and not is_name(text):
        return False
    if "X" in marks and (not looks_like_person(text) or text[-1] in "人的"):
        return False
    if "T" in marks and not spoken_time(text):
        return False
    if "W" in marks and relation == "works_as" and not words.PROFESSION.search(text):
        return False
    if "P" in marks and not words.PLACE.search(text):
        return False
    if relation in ("likes", "has") and re.search(r"[是]|最棒", text):
        return False
    if relation == "value" and "#" in marks:
        return bool(words.IDENTIFIER.search(text) or VALUE_NOUNS.search(subject.key)) and len(text) <= 24
    if relation != "located_at":
        return True
    if len(subject.key) < 2 and is_chinese(subject.key):
        return False
    if re.match(r"于|一起|线|想|等|忙|乎|我|你", text) or spoken_time(text):
        return False
    return not any(word.tag == "verb" and word.text not in words.PLACE_VERBS for word in _TAGGER.words(text))


def _object(relation: str, text: str, start: int, end: int) -> Party | None:
    if relation in KIN or (relation == "in_charge" and looks_like_person(text)):
        return Party("named", start, end, text, person=True)
    if relation in ("lives_in", "works_at", "from", "studies_at", "located_at", "has", "uses", "is_a"):
        return Party("named", start, end, text)
    return None


def _animate(party: Party, relation: str) -> bool:
    """Tell whether a thing may have and like: pets, and names that look like nobody's."""
    if party.kind == "owned":
        return not VALUE_NOUNS.search(party.key)
    pet = relation in ("likes", "dislikes", "eats", "drinks", "age", "allergic_to", "name")
    return pet and party.kind == "named" and len(party.key) <= 3


def _at_words(text: str, row: Pattern, match: re.Match[str]) -> bool:
    """Tell whether a one-character verb (在, 有, 爱) is a word by itself: not in 现在, 没有, 可爱."""
    if row.relations[0] not in ("located_at", "has", "likes", "scheduled", "value", "uses"):
        return True
    edges = {0, len(text)} | {word.start for word in _TAGGER.words(text)} | {word.end for word in _TAGGER.words(text)}
    before = text[match.end("s") : match.start("o")] if "s" in match.re.groupindex else ""
    return len(before) != 1 or (match.end("s") in edges and match.start("o") in edges)


def _trimmed(text: str, low: int, high: int) -> tuple[int, int]:
    """Return the range of a value without quotes, particles and what follows a conjunction."""
    piece = text[low:high]
    cut = re.search(r"(?:因为|所以|但是|不过|然后|而且|就是说)|(?<=.{6})(?:，|,)", piece)
    if cut:
        piece = piece[: cut.start()]
    left = len(piece) - len(piece.lstrip('"“「『 :：'))
    piece = piece.rstrip('"”」』 了啦呢吧哦啊呀')
    piece = piece.removesuffix("的") if re.search(r"[\dA-Za-z寸米升斤]的$|[师员工生]的$", piece) else piece
    return low + left, max(low + left, low + len(piece))


def _moded(draft: Draft, clause: Clause, focus: Focus) -> Draft:
    if focus.changed and draft.relation not in KIN:
        draft = replace(draft, changed=True)
    if draft.relation not in KIN and is_over(clause.text):
        return replace(draft, mode="past")
    if draft.relation in ("lives_in", "works_at", "located_at") and is_planned(clause.text):
        return replace(draft, mode="planned")
    return draft


def _heir(subject: Party, drafts: list[Draft]) -> Party:
    """Return whom the next clause speaks of: "我女儿叫小满，喜欢恐龙" goes on about 小满."""
    named = [draft.object for draft in drafts if draft.relation in KIN and draft.object is not None]
    return named[-1] if named and subject.kind != "me" else subject


# -- special clauses -----------------------------------------------------------------------------------------------


def _inverse(clause: Clause, focus: Focus) -> Reading | None:
    """Read "老周是我们的房东": the one named is what he is to somebody."""
    match = words.IS_KIN.fullmatch(clause.text)
    if match is None:
        return None
    text = clause.text[match.start("p") : match.end("p")].strip()
    if text:
        found = party_of(clause, match.start("p"), match.end("p"), focus)
        party = found[0] if found is not None else None
    else:
        party = focus.subject
    if party is None or party.kind != "named":
        return None
    of = match["of"].removesuffix("的")
    start = clause.start + match.start("of")
    if re.fullmatch(words.MINE, match["of"]):
        if not focus.owner:
            return None
        anchor = Party("me", start, start + len(of), person=True)
    elif looks_like_person(of):
        anchor = Party("named", start, start + len(of), of, person=True)
    else:
        return None
    person = replace(party, person=True)
    draft = Draft(anchor, KIN_ZH[match["kin"]], party.start, party.end, person)
    return Reading((draft,), focus.on(person))


def _counted(draft: Draft, clause: Clause) -> Party | None:
    """Return the thing of "我们家有一只边牧", of which "叫米粒" goes on to speak."""
    text = clause.text[draft.start - clause.start : draft.end - clause.start]
    match = re.fullmatch(r"一?[只条头匹个位名]([一-鿿]{1,6})", text)
    if draft.relation != "has" or match is None or draft.negative:
        return None
    return Party("owned", draft.end - len(match[1]), draft.end, match[1], draft.subject)


def _plan(clause: Clause, focus: Focus) -> Reading | None:
    """Read "明天下午三点要去复查牙齿": something that will be done at a time that is named."""
    times = list(words.TIMES.finditer(clause.text))
    if not times or not focus.owner or not focus.first or re.search(r"昨|前天|上周|上个|每|了$|过$", clause.text):
        return None
    kept = list(clause.text)
    for time in times:
        kept[time.start() : time.end()] = "\x1e" * (time.end() - time.start())
    text = "".join(kept)
    match = words.PLAN.fullmatch(text.replace("\x1e", "")) or words.TOGETHER.fullmatch(text.replace("\x1e", ""))
    if match is None or (focus.subject is not None and focus.subject.kind != "me"):
        return None
    low = clause.text.rfind(match["o"])
    if low < 0 or words.BAD_VALUE.search(match["o"]):
        return None
    me = Party("me", clause.start, clause.start, person=True)
    low, high = _trimmed(clause.text, low, low + len(match["o"]))
    return Reading((Draft(me, "plans", clause.start + low, clause.start + high, weight=0.8),), focus.on(me))


def _mentioned(clause: Clause, focus: Focus) -> Reading:
    """Return the focus after a clause that no pattern reads: whoever it begins with may be meant by what follows."""
    match = re.match(
        rf"(?:{words.MINE}(?:{words.KIN})?[一-鿿]{{0,3}}?|[一-鿿]{{2,4}}?(?:{words.TITLE})?)(?=[是有在也都很要会去来住做说养不])",
        clause.text,
    )
    kin = re.match(rf"(?:{words.MINE})?(?:{words.KIN})(?=([一-鿿]{{2,3}}))", clause.text)
    if kin is not None and kin[1][0] in SURNAMES and focus.owner:
        for length in (3, 2):
            if len(kin[1]) < length or kin[1][length - 1] in "在是有要下上今明去来":
                continue
            found = party_of(clause, 0, kin.end() + length, focus)
            if (
                found is not None
                and found[1]
                and _TAGGER.words(clause.text[kin.end() : kin.end() + length])[-1].tag != "time"
            ):
                return Reading(found[1], focus.on(found[0]))
    whole = party_of(clause, 0, len(clause.text), focus) if len(clause.text) < 8 else None
    if whole is not None and whole[0].person:
        return Reading(whole[1], focus.on(whole[0]))
    found = party_of(clause, 0, match.end(), focus) if match is not None else None
    if found is not None and found[0].person:
        return Reading((), focus.on(found[0]))
    return Reading(
        (),
        focus
        if re.match(words.MINE, clause.text) or not words.SOMEBODY.search(clause.text)
        else replace(focus, first=False),
    )
