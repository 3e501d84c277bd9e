"""Which commands need no asking, and which are refused."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EVERYTHING", "check_rules", "denied_by", "simple_words", "starts_with_any"]

EVERYTHING = "*"
"""The rule that allows every command."""

# Whatever a shell reads as more than the words of one command; inside quotes too, so that nothing hangs on quoting.
_SPECIAL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f;&|<>(){}\[\]$`*?~!#\\^]")
_BETWEEN_WORDS = re.compile(r"[\s;&|<>(){}\[\]$`=,]+")


def simple_words(command: str) -> tuple[str, ...] | None:
    """Return the words of a command that is one program with its arguments, to be run without a shell; else None."""
    if _SPECIAL.search(command):
        return None
    try:
        words = tuple(shlex.split(command))
    except ValueError:  # a quote is not closed
        return None
    if not words or not words[0] or "=" in words[0]:
        return None
    is_relative = "/" in words[0] and not words[0].startswith("/")  # it may be another program in another folder
    return None if is_relative else words


def starts_with_any(words: tuple[str, ...], rules: Iterable[str]) -> bool:
    """Return whether a command begins with the words of one of the rules."""
    wanted = (tuple(shlex.split(rule)) for rule in rules)
    return any(words[: len(rule)] == rule for rule in wanted)


def denied_by(command: str, rules: Iterable[str]) -> str | None:
    """Return the first rule whose words follow one another anywhere in the command; None for none.

    Quotes and backslashes are looked through, and a program is known by its name wherever it lies. It is a stop sign,
    no fence: a shell has endless ways to write a word. What protects is that the person is asked.
    """
    words = _rough_words(command)
    names = [word.rsplit("/", 1)[-1] for word in words]
    for rule in rules:
        wanted = _rough_words(rule)
        places = range(len(words) - len(wanted) + 1)
        if any(_matches(wanted, words[place:], names[place:]) for place in places):
            return rule
    return None


def check_rules(name: str, rules: Iterable[str]) -> None:
    """Raise ``ValueError`` for a rule that has no words: it would fit every command."""
    for rule in rules:
        try:
            words = shlex.split(rule)
        except ValueError as error:
            raise ValueError(f"{name}: {rule!r} can't be read ({error})") from None
        if not any(words) or not _rough_words(rule):
            raise ValueError(f"{name}: {rule!r} has no words; write e.g. {name} = ['git status']")


def _rough_words(text: str) -> list[str]:
    return [word for word in _BETWEEN_WORDS.split(re.sub(r"\\\n|[\\'\"]", "", text)) if word]


def _matches(wanted: list[str], words: list[str], names: list[str]) -> bool:
    return wanted[0] in (words[0], names[0]) and wanted[1:] == words[1 : len(wanted)]
