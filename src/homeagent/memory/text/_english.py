"""Words of scripts that put spaces between them: apostrophes, accents, endings, CamelCase."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from threading import get_ident

from Stemmer import Stemmer

__all__ = ["FUNCTION_WORDS", "camel_parts", "plain", "stem", "without_clitics"]

# Function and question words, as `plain` writes them. A longer list (over, same, before, said) costs a point of R@5.
FUNCTION_WORDS = frozenset(
    """
    a an the this that these those some any each both few all such very just too also there here
    i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs
    am is are was were be been being do does did done doing have has had having
    can could will would shall should may might must ought
    dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt cant couldnt wont wouldnt shouldnt aint cannot
    and or but if then than so because as no not nor
    of at by for with about into to from in on off out
    when where why how what which who whom whose whats
    today yesterday tomorrow tonight
    ever yet now currently nowadays previously formerly tell remember recall please let
    """.split()  # noqa: SIM905 - a list of words reads as words
)

_CLITIC = re.compile(r"'(?:s|ll|re|ve|m|d)?(?![^\W_])", re.IGNORECASE)
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")


@lru_cache(maxsize=64)
def _stemmer(thread: int) -> Stemmer:  # noqa: ARG001 - one for each thread: a Stemmer is not safe to share
    """Return this thread's stemmer."""
    return Stemmer("english")


def without_clitics(text: str) -> str:
    """Return ``text`` without 's, 'll and the like, and without apostrophes: ``Caroline's``, ``don't`` -> ``dont``."""
    return _CLITIC.sub("", text).replace("'", "")


def plain(word: str) -> str:
    """Return a word, free of apostrophes, in lower case and without accents: ``Zoë`` -> ``zoe``."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    parts = unicodedata.normalize("NFD", folded)
    bare = "".join(part for part in parts if not "\u0300" <= part <= "\u036f")
    return unicodedata.normalize("NFC", bare)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return the Porter2 stem of a word that `plain` made; words of other alphabets come back as they are."""
    if not word.isascii() or len(word) > 64:
        return word[:64]
    stemmed: str = _stemmer(get_ident()).stemWord(word)
    return stemmed


def camel_parts(word: str) -> list[str]:
    """Return the parts of a CamelCase word, or nothing when it is an ordinary one (``Word``, ``word``, ``WORD``)."""
    if not word.isascii() or word.islower() or word.isupper() or word[1:].islower():
        return []
    return _CAMEL.findall(word)
