"""Exact things in text: numbers, versions, identifiers, paths, addresses, emoji. Takes text shaped by `fold`.

A run is what stands between spaces, brackets, quotes and Chinese. It gives *symbols*, found only exactly, and the
plain words it is made of. Question and passage go through the same code; ``passage`` adds a few shorter names
(``3.17`` for ``3.17.0``, the first seven of a commit hash), never the other way round, so that ``3.17.0`` can't find
``3.17.1``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from homeagent.memory.text._english import camel_parts, plain, without_clitics

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EMOJI", "LONGEST", "grouped_numbers", "long_numbers", "run_terms", "without_groups"]

LONGEST = 64  # characters of a term; what is longer is cut there on both sides
_LONGEST_RUN = 4096  # characters of a run that are looked at
_MOST_LONG_NUMBERS = 256
_MOST_PARTS = 32  # parts of a run that are looked at: bounds what one line of base64 or a minified file can give

# For a regular expression's brackets. Skin tones are left out: 👍🏽 is 👍.
EMOJI = (
    "\u203c\u2049\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
)

_CORE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)  # from the first letter or digit to the last, in linear time
_SCHEME = re.compile(r"^[\W_]*[a-z][a-z0-9+.-]*://", re.I)
_DIVIDER = re.compile(r"[/\\:@%+#~]+")
_STRETCH = re.compile(r"\.{2,}|-{2,}")
_VERSION = re.compile(r"^[vV]?(\d+(?:\.\d+)+)(.*)$", re.S)
_PART = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+")
_NUMERIC = re.compile(r"^[\d.:/\\_-]+$")
_FILE = re.compile(r"^(.+)\.([A-Za-z][A-Za-z0-9]{0,5})$", re.S)
_CODE = re.compile(r"^([^\W\d_]{1,8})[-_.]?(\d+)$")
_COMPOUND = re.compile(r"^([^\W\d_]+)-([^\W\d_]+)$")
_LANGUAGE = re.compile(r"^[A-Za-z](?:\+\+|#)")  # C++, C#, F#
_HASH = re.compile(r"^(?=.*\d)(?=.*[a-f])[0-9a-f]{16,}$")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_LONG = re.compile(r"(?<![\w.-])\+?\(?\d{1,4}\)?(?:[ -]\(?\d{2,4}\)?){2,5}(?![\w-])")
_DAY = re.compile(r"^\d{4}-\d\d-\d\d")
_AREA = re.compile(r"(?<![\w.-])\(?(0\d{2,3})\)?[ -]?(\d{7,8})(?![\w-])")
_MOBILE = re.compile(r"(?<![\w.-])\+?86(1[3-9]\d{9})(?![\w-])")
_TAIL = re.compile(r"\S{1,256}\Z")
_HEAD = re.compile(r"\A\S{1,256}")
_PHONE = re.compile(r"\+\d{9,14}|0\d{9,11}|(?:86)?1[3-9]\d{9}")


def grouped_numbers(text: str) -> str:
    """Return ``text`` with ``1,204`` written as ``1204``. ``302,303`` may be a list: it keeps its parts as well."""

    def joined(found: re.Match[str]) -> str:
        number = found[0].replace(",", "")
        return number if found[0].index(",") < 3 else f"{number} {found[0]}"

    return _GROUPED.sub(joined, text) if "," in text else text


def long_numbers(text: str) -> list[str]:
    """Return phone and card numbers written in groups as one number each; after ``+86``, without it as well."""
    found: list[str] = []
    for match in _long_matches(text):
        if len(found) >= _MOST_LONG_NUMBERS:  # a table of numbers
            break
        groups = re.findall(r"\d+", match[0])
        found.append("".join(groups))
        if match[0].startswith("+"):
            found.append(found[-1][len(groups[0]) :])
    if "0" in text:
        found.extend(area + number for area, number in _AREA.findall(text)[:_MOST_LONG_NUMBERS])
    if "86" in text:
        found.extend(_MOBILE.findall(text)[:_MOST_LONG_NUMBERS])
    return found


def without_groups(text: str) -> str:
    """Return a question without the groups of its phone numbers, which are asked for whole: 138 is in many."""
    for match in reversed(list(_long_matches(text))):
        if not _PHONE.fullmatch(re.sub(r"[^\d+]", "", match[0])):
            continue
        before, after = text[: match.start()], text[match.end() :]
        if not _is_path(_TAIL.search(before)) and not _is_path(_HEAD.search(after)):
            text = f"{before} {after}"
    return text


def _is_path(found: re.Match[str] | None) -> bool:
    """Whether what stands at a number without a space is of several parts: then the number is a part of it as well."""
    return found is not None and sum(map(bool, map(_core, _DIVIDER.split(found[0])))) > 1


def _long_matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the numbers of 8 to 19 digits that are written in groups."""
    for match in _LONG.finditer(text):
        if 8 <= sum(map(str.isdigit, match[0])) <= 19 and not _DAY.match(match[0]):
            yield match


def run_terms(run: str, words: list[str], symbols: list[str], *, passage: bool) -> None:
    """Add the plain words (see `plain`) and the symbols of one run to the two lists."""
    if run.isdecimal() and run.isascii():
        _number(run, symbols, passage=passage)
        return
    run = run[:_LONGEST_RUN]
    if "'" in run:
        run = without_clitics(run)
    for piece in _STRETCH.split(run)[:_MOST_PARTS]:
        bare = _core(_SCHEME.sub("", piece))
        if bare.isalpha():
            if language := _LANGUAGE.search(piece):
                symbols.append(language[0].lower())
            _word(bare, words)
        elif bare:
            _compound(bare, words, symbols, passage=passage)


def _core(piece: str) -> str:
    """Return a piece without the punctuation around it."""
    found = _CORE.search(piece)
    return found[0] if found else ""


def _word(word: str, words: list[str]) -> None:
    """Add a word, and the parts of a CamelCase one."""
    words.append(plain(word))
    words.extend(part.lower() for part in camel_parts(word))


def _compound(piece: str, words: list[str], symbols: list[str], *, passage: bool) -> None:
    """Add a piece that is more than a word: itself, then what its dividers (paths, colons, addresses) part."""
    parts = [bare for part in _DIVIDER.split(piece, _MOST_PARTS)[:_MOST_PARTS] if (bare := _core(part))]
    if len(parts) > 1:
        symbols.append(piece.casefold()[:LONGEST])
    numeric = len(parts) > 1 and _NUMERIC.match(piece) is not None
    for part in parts:
        if part.isalpha():
            _word(part, words)
        elif not numeric or len(part) >= 3:  # 12:30 and 3/15 are one thing, 8443:80 and 302/303 are two
            _part(part, words, symbols, passage=passage)


def _part(part: str, words: list[str], symbols: list[str], *, passage: bool) -> None:
    """Add a part without dividers: a number, a version, a file name, an identifier."""
    if version := _VERSION.match(part):
        _version(version[1], symbols, passage=passage)
        if version[2]:
            symbols.append((version[1] + version[2]).casefold()[:LONGEST])
            _inner(version[2], words, symbols, passage=passage)
        return
    lowered = part.casefold()
    if part.isdecimal():
        _number(part, symbols, passage=passage)
        return
    symbols.append(lowered[:LONGEST])
    if passage and _HASH.match(lowered):
        symbols.extend((lowered[:7], lowered[:8]))
    if code := _CODE.match(lowered):
        symbols.append((code[1] + code[2])[:LONGEST])
    elif (pair := _COMPOUND.match(lowered)) and min(map(len, pair.groups())) <= 2:  # e-mail, wi-fi, x-ray
        words.append((pair[1] + pair[2])[:LONGEST])
    elif (file := _FILE.match(lowered)) and not file[1].isalpha():
        symbols.append(file[1][:LONGEST])
    _inner(part, words, symbols, passage=passage)


def _number(number: str, symbols: list[str], *, passage: bool) -> None:
    """Add a whole number; a passage with ``0007`` also answers to ``7``."""
    symbols.append(number[:LONGEST])
    if passage and number[0] == "0" and (short := number.lstrip("0")):
        symbols.append(short[:LONGEST])


def _version(number: str, symbols: list[str], *, passage: bool) -> None:
    """Add a version or decimal number; a passage also answers to its leading parts (``3.17`` of ``3.17.0``)."""
    symbols.append(number[:LONGEST])
    steps = number.split(".")
    if passage and len(steps) <= 6:
        symbols.extend(".".join(steps[:length])[:LONGEST] for length in range(2, len(steps)))


def _inner(part: str, words: list[str], symbols: list[str], *, passage: bool) -> None:
    """Add the letters and numbers inside an identifier, unless it changes between them like a key or a hash."""
    found = _PART.findall(part[: LONGEST * 4])
    breaks = sum(1 for character in part[: LONGEST * 4] if character in "-_.")
    if len(found) - breaks > 3 or len(found) > _MOST_PARTS:
        return
    numeric = _NUMERIC.match(part) is not None
    for inner in found:
        if inner[0].isdigit():
            if inner != part and (not numeric or len(inner) >= 3):
                _number(inner, symbols, passage=passage and "." not in inner)
        else:
            _word(inner, words)
