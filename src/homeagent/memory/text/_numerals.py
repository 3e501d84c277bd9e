"""Chinese numerals as numbers: 三百二 is 320, 二〇二六 is 2026, 1.2万 is 12000. Takes folded text."""

from __future__ import annotations

import re

__all__ = ["NUMERAL", "numeral", "numerals"]

NUMERAL = "零〇一二两三四五六七八九十百千万亿"

_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_GREAT = {"万": 10**4, "亿": 10**8}
_IN_TEXT = re.compile(f"(?<![{NUMERAL}])[零〇一二两三四五六七八九十][{NUMERAL}]{{1,15}}")
_MIXED = re.compile(r"(?<![\d.])(\d{1,6})(?:\.(\d{1,4}))?([万亿])")


def numeral(text: str) -> int | None:
    """Return the value of a numeral (Chinese or Arabic digits, nothing else), or None when it is none."""
    if text.isascii() and text.isdecimal():
        return int(text)
    if text and all(character in _DIGITS for character in text):
        return int("".join(str(_DIGITS[character]) for character in text))
    total, section, digit, last = 0, 0, 0, 1
    for character in text:
        if character in _DIGITS:
            digit = _DIGITS[character]
            last = 1 if character in "零〇" else last
        elif character in _UNITS:
            last = _UNITS[character]
            section += (digit or 1) * last
            digit = 0
        elif character in _GREAT:
            last = _GREAT[character]
            total = (total + section + digit) * last if last > total else total + (section + digit) * last
            section, digit = 0, 0
        else:
            return None
    # 三百二 is 320: a last digit counts the tenth of the unit before it, unless 零 stood between.
    return total + section + digit * max(1, last // 10) if text else None


def numerals(text: str) -> list[str]:
    """Return the numbers that ``text`` writes in Chinese (三百二, 三零二, 8万), in digits.

    Two digits without a unit (三四) are as a rule no number and are left out.
    """
    found = []
    for match in _IN_TEXT.finditer(text):
        plain = all(character in _DIGITS for character in match[0])
        value = None if plain and len(match[0]) < 3 else numeral(match[0])
        if value is not None and value < 10**15:
            found.append("".join(str(_DIGITS[c]) for c in match[0]) if plain else str(value))
    for match in _MIXED.finditer(text):
        places = len(match[2] or "")
        value = int(match[1] + (match[2] or "")) * _GREAT[match[3]]
        if value % 10**places == 0:
            found.append(str(value // 10**places))
    return found
