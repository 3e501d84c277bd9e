"""Reading English clauses: who is spoken of, and what is said, by the table of `patterns_en`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from homeagent.memory.distil import _words_en as words
from homeagent.memory.distil.modality import is_over, is_planned
from homeagent.memory.distil.parts import Clause, Draft, Focus, Party, Reading
from homeagent.memory.distil.patterns_en import ROWS
from homeagent.memory.distil.relations import KIN, KIN_EN
from homeagent.memory.distil.tagging import RuleTagger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.distil.patterns_zh import Pattern

__all__ = ["clauses", "read", "spoken_time"]

_LONGEST: Final = 160  # characters of a clause: a longer one has more than one verb, or none
_TAGGER = RuleTagger()


def clauses(sentence: str, start: int) -> Iterator[Clause]:
    """Yield the clauses of a sentence that begins at ``start`` of its segment."""
    plain = sentence.replace("\u2019", "'")
    plain = words.APPOSITION.sub(lambda match: f"{match[1]}  {match[2]}  ", plain)
    at = 0
    for match in words.BREAK.finditer(plain):
        yield from _clause(plain, at, match.start(), start)
        at = match.end()
    yield from _clause(plain, at, len(plain), start)


def spoken_time(text: str) -> bool:
    """Tell whether an English text names a day or a time of day."""
    return (
        words.WHEN.search(text) is not None or re.search(r"\b(?:daily|weekly|weekend|year|month)\b", text) is not None
    )


def read(clause: Clause, focus: Focus) -> Reading:
    """Return what a clause says, and what is in focus after it."""
    for special in (_kin, _plan):
        reading = special(clause, focus)
        if reading is not None:
            return reading
    for row in ROWS:
        match = row.pattern.fullmatch(clause.text)
        if match is None and focus.subject is not None and re.match(rf"{words.VERB}\b", clause.text, re.IGNORECASE):
            match = row.pattern.fullmatch("\x02 " + clause.text)
            shifted = Clause("\x02 " + clause.text, clause.start - 2)
            reading = _by_row(shifted, focus, row, match) if match is not None else None
        else:
            reading = _by_row(clause, focus, row, match) if match is not None else None
        if reading is not None:
            return reading
    return Reading((), _mentioned(clause, focus))


def _clause(sentence: str, low: int, high: int, start: int) -> Iterator[Clause]:
    text = re.sub(r"\s(?=\s)", " ", sentence[low:high])
    leading = words.LEADING.match(text)
    first = leading.end() if leading else 0
    trailing = words.TRAILING.search(text)
    last = trailing.start() if trailing else len(text)
    if 0 < last - first <= _LONGEST:
        yield Clause(text[first:last].replace("\n", " "), start + low + first)


# -- who -----------------------------------------------------------------------------------------------------------


def _party(clause: Clause, low: int, high: int, focus: Focus) -> tuple[Party, tuple[Draft, ...]] | None:
    """Return whom or what characters ``[low, high)`` of a clause mean, and what that itself says; None for nobody."""
    piece = clause.text[low:high]
    low += len(piece) - len(piece.lstrip())
    text = clause.text[low:high].strip()
    text = re.sub(r"'s?$", "", text) if text.endswith(("'s", "'")) else text
    at = clause.start + low
    if not text:
        return None
    if text == "\x02":
        return (focus.subject, ()) if focus.subject is not None else None
    if words.ME.fullmatch(text):
        return (Party("me", at, at + len(text), person=True), ()) if focus.owner else None
    if words.HE.fullmatch(text):
        return (focus.person, ()) if focus.person is not None else None
    if text.lower() == "it":
        return (focus.thing, ()) if focus.thing is not None else None
    if text.split(" ")[0].lower() in words.NO_SUBJECT:
        return None
    return _related(text, at, focus) or _thing(text, at, focus)


def _related(text: str, at: int, focus: Focus) -> tuple[Party, tuple[Draft, ...]] | None:
    """Return the party of "my sister Ingrid" (Ingrid, and whose sister she is), or of "my sister"."""
    if words.BARE_KIN.fullmatch(text) and focus.owner:
        return Party(
            "relative", at, at + len(text), KIN_EN[text.lower()], Party("me", at, at, person=True), person=True
        ), ()
    for pattern in (words.MY_KIN, words.KIN_OF):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        if pattern is words.MY_KIN and not focus.owner:
            return None
        who = match.groupdict().get("who")
        anchor = Party("me", at, at + 2, person=True)
        if who:
            anchor = Party("named", at, at + len(who), who, person=True)
        relation = KIN_EN[match["kin"].lower()]
        if match["name"]:
            start = at + text.rfind(match["name"])
            named = Party("named", start, start + len(match["name"]), match["name"], person=True)
            return named, (Draft(anchor, relation, start, start + len(match["name"]), named),)
        return Party("relative", at, at + len(text), relation, anchor, person=True), ()
    return None


def _thing(text: str, at: int, focus: Focus) -> tuple[Party, tuple[Draft, ...]] | None:
    owned = words.OWNED.fullmatch(text)
    if owned:
        what = owned["what"]
        if not focus.owner or not _nominal(what):
            return None
        start = at + owned.start("what")
        me = Party("me", at, at + 2, person=True)
        called = words.CALLED.fullmatch(what)
        if called:  # my dog Rex
            end = start + len(called[1])
            thing = Party("owned", start, end, called[1], me)
            return thing, (Draft(thing, "name", start + called.start(2), start + called.end(2)),)
        return Party("owned", start, start + len(what), what, me), ()
    if words.NAMED.fullmatch(text) and not words.ARTICLE.match(text + " "):
        person = not text.isupper() and not any(character.isdigit() for character in text)
        return Party("named", at, at + len(text), text, person=person and len(text) > 1), ()
    article = words.ARTICLE.match(text)
    first = article.end() if article else 0
    when = re.match(rf"(?:{words.TIMES.pattern})(?:'s)? (?=\w)", text[first:], re.IGNORECASE)
    first += when.end() if when else 0
    what = text[first:]
    if not _nominal(what):
        return None
    return Party("named", at + first, at + first + len(what), what), ()


def _nominal(text: str) -> bool:
    """Tell whether words may be a noun phrase: no pronoun, verb or conjunction among them."""
    words = _TAGGER.words(text)
    if not words or len(words) > 8 or words[-1].tag in ("preposition", "determiner", "adverb", "adjective"):
        return False
    return all(
        word.tag not in ("pronoun", "conjunction", "verb") and (word.tag != "mark" or word.text in "-'&./")
        for word in words
    )


# -- what ----------------------------------------------------------------------------------------------------------


def _by_row(clause: Clause, focus: Focus, row: Pattern, match: re.Match[str]) -> Reading | None:
    who = _subject(clause, focus, match)
    if who is None:
        return None
    subject, said = who
    pet = subject.kind == "owned" and row.relations[0] in (
        "name",
        "age",
        "likes",
        "dislikes",
        "eats",
        "is_a",
        "allergic_to",
    )
    pet = pet and not words.VALUE_NOUN.search(subject.key)
    if "K" in row.marks and not (subject.person or pet):
        return None
    if subject.kind == "named" and "K" in row.marks and not said and _uninflected(clause, match):
        return None
    if "A" in row.marks and subject.person and not (row.relations[0] == "located_at" and subject.kind != "me"):
        first_word = subject.kind == "named" and subject.start == clause.start and " " not in subject.key
        if not first_word:  # Rent, Lunch: capital letters that say nothing
            return None
    drafts = list(said)
    for relation, group in zip(row.relations, ("o", "o2"), strict=False):
        if "G" in row.marks and focus.relation:
            relation = focus.relation
        draft = _draft(clause, row, match, subject, (relation, group))
        if draft is None:
            return None
        drafts.append(draft)
    moded = tuple(_moded(draft, clause, focus, row) for draft in drafts)
    return Reading(moded, replace(focus.on(subject), relation=drafts[-1].relation))


def _uninflected(clause: Clause, match: re.Match[str]) -> bool:
    """Tell whether the verb after a name has no ending: "Unconditional love" is no sentence about somebody."""
    after = clause.text[match.end("s") :].split() if "s" in match.re.groupindex else []
    verbs = [word for word in after[:3] if word.lower() not in ("really", "also", "always", "still", "just", "now")]
    first = clause.text[match.start("s") : match.end("s")].split()[:1] if "s" in match.re.groupindex else []
    return bool((verbs and verbs[0].lower() in words.BASE) or (first and first[0].lower() in words.NO_NAME))


def _subject(clause: Clause, focus: Focus, match: re.Match[str]) -> tuple[Party, tuple[Draft, ...]] | None:
    if "s" not in match.re.groupindex or match.start("s") == match.end("s"):
        return (Party("me", clause.start, clause.start, person=True), ()) if focus.owner else None
    return _party(clause, match.start("s"), match.end("s"), focus)


def _draft(clause: Clause, row: Pattern, match: re.Match[str], subject: Party, value: tuple[str, str]) -> Draft | None:
    relation, group = value
    low, high = _trimmed(clause.text, match.start(group), match.end(group), relation)
    if relation == "scheduled" and "n" in row.marks:  # Saturday's picnic is off: the day says which
        when = re.match(
            rf"(?:the )?({words.TIMES.pattern}(?:'s)?) ", clause.text[match.start("s") : match.end("s")], re.IGNORECASE
        )
        low, high = (match.start("s") + when.start(1), match.start("s") + when.end(1)) if when else (low, high)
    text = clause.text[low:high]
    if not text or words.BAD_VALUE.search(text) or not _fits(text, row.marks, subject, relation):
        return None
    negative = "n" in row.marks or bool(match.groupdict().get("no"))
    start, end = clause.start + low, clause.start + high
    if relation == "name" and subject.kind == "relative" and subject.anchor is not None:
        return Draft(subject.anchor, subject.key, start, end, Party("named", start, end, text, person=True))
    target = Party("named", start, end, text) if relation in words.ENTITIES else None
    if relation == "in_charge":
        target = Party("named", start, end, text, person=True)
    return Draft(subject, relation, start, end, target, negative=negative, changed="c" in row.marks)


def _fits(text: str, marks: frozenset[str], subject: Party, relation: str) -> bool:
    if "N" in marks:
        bare = text.strip("\"'")
        foreign = re.search(r"(?:ish|ese|[a-z]ian|ch)$", bare) is not None and " " not in bare
        return words.NAMED.fullmatch(bare) is not None and not foreign and not words.WHEN.fullmatch(bare)
    if "T" in marks and not (words.WHEN.match(text) or words.CLOCKED.match(f"at {text}")):
        return False
    if "C" in marks and not text[:1].isupper():
        return False
    if relation == "works_as" and "W" in marks and not words.PROFESSION.search(text):
        return False
    if relation == "value":
        return bool(words.IDENTIFIER.search(text) or words.VALUE_NOUN.search(subject.key)) and len(text.split()) <= 4
    if relation == "located_at" and words.WHEN.fullmatch(text):
        return False
    if relation in ("lives_in", "from") and not re.search("[A-Z]", text) and len(text.split()) > 5:
        return False
    return relation != "is_a" or (_nominal(text) and not words.NO_KIND.search(text))


def _trimmed(text: str, low: int, high: int, relation: str) -> tuple[int, int]:
    """Return the range of a value without articles, quotes, times and what comes after a conjunction."""
    piece = text[low:high]
    cut = words.AFTER.search(piece)
    if cut and relation not in ("scheduled", "birthday"):
        piece = piece[: cut.start()]
    if relation in ("plans", "likes", "has", "plays", "uses", "lives_in", "studies"):
        piece = re.sub(rf"(?:,? (?:and |or )?(?:{words.TIMES.pattern}))+$", "", piece, flags=re.IGNORECASE)
    if relation == "likes":
        piece = re.sub(r" (?:to|over|more than|rather than|than) .*$", "", piece) if " to " in piece[2:] else piece
    article = re.match(r"(?:[\"'\s]|(?:the|an?|my|our|some|only|about)\s)+", piece, re.IGNORECASE)
    first = article.end() if article and relation != "scheduled" else 0
    piece = piece.rstrip("\"' .,!:") if not piece.endswith("'s") else piece
    return low + first, max(low + first, low + len(piece))


def _moded(draft: Draft, clause: Clause, focus: Focus, row: Pattern) -> Draft:
    if draft.relation in KIN:
        return draft
    if focus.changed:
        draft = replace(draft, changed=True)
    if "p" in row.marks or is_over(clause.text):
        return replace(draft, mode="past")
    if draft.relation in ("lives_in", "works_at", "located_at") and is_planned(clause.text):
        return replace(draft, mode="planned")
    return draft


# -- special clauses -----------------------------------------------------------------------------------------------


def _kin(clause: Clause, focus: Focus) -> Reading | None:
    """Read "Isolde is my neighbour" and "my dentist is Dr Quill": the one named is what he is to somebody."""
    match = words.KIN_IS.fullmatch(clause.text)
    if match is not None:
        found = _party(clause, match.start("s"), match.end("s"), focus)
        if found is None or found[0].kind != "relative" or found[0].anchor is None:
            return None
        start, end = clause.start + match.start("o"), clause.start + match.end("o")
        named = Party("named", start, end, match["o"], person=True)
        return Reading((Draft(found[0].anchor, found[0].key, start, end, named),), focus.on(named))
    match = words.IS_KIN.fullmatch(clause.text)
    if match is None:
        return None
    found = _party(clause, match.start("p"), match.end("p"), focus)
    if found is None or found[0].kind != "named" or not found[0].person:
        return None
    party, of = found[0], match["of"]
    start = clause.start + match.start("of")
    if of.lower() in ("my", "our"):
        if not focus.owner:
            return None
        anchor = Party("me", start, start + len(of), person=True)
    else:
        anchor = Party("named", start, start + len(of) - 2, of[:-2], person=True)
    return Reading((Draft(anchor, KIN_EN[match["kin"].lower()], party.start, party.end, party),), focus.on(party))


def _plan(clause: Clause, focus: Focus) -> Reading | None:
    """Read "tomorrow I have to pick up the curtains": something that will be done at a time that is named."""
    if (
        not focus.owner
        or not words.WHEN.search(clause.text)
        or re.search(r"\b(?:yesterday|last|every|ago)\b", clause.text)
    ):
        return None
    lead = re.match(rf"(?:{words.TIMES.pattern})\s+", clause.text, re.IGNORECASE)
    first = lead.end() if lead else 0
    for pattern in (words.PLAN_NOUN, words.PLAN, words.PLAN_ING):
        match = pattern.fullmatch(clause.text, first)
        if match is None:
            continue
        low, high = _trimmed(clause.text, match.start("o"), match.end("o"), "plans")
        if high <= low or words.BAD_VALUE.search(clause.text[low:high]):
            return None
        me = Party("me", clause.start + match.start("s"), clause.start + match.end("s"), person=True)
        draft = Draft(me, "plans", clause.start + low, clause.start + high, weight=0.8)
        return Reading((draft,), focus.on(me))
    return None


def _mentioned(clause: Clause, focus: Focus) -> Focus:
    """Return the focus after a clause that no pattern reads: whoever it begins with may be meant by what follows."""
    match = re.match(
        rf"(?:(?:[Mm]y|[Oo]ur) (?:[a-z]+ )??(?:{words.KIN})(?: {words.NAME})?|{words.NAME}|I|[Ww]e)(?= [a-z])",
        clause.text,
    )
    if match is None:
        return focus
    found = _party(clause, 0, match.end(), focus)
    return focus.on(found[0]) if found is not None and (found[0].person or found[0].kind == "me") else focus
