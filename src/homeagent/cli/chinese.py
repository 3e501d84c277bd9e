"""What the program says in English, in Chinese: errors and reasons are translated here, at the edge, and nowhere else.

The catalogue is in ``zh/*.txt``: a line of English, then a line of Chinese that begins with ``=``. Both are templates:
``{0}`` stands for anything and is carried over as it is. On the Chinese side ``{0:t}`` is translated in its turn if
that can be done; what has ``{0:T}`` fits only when it can, and what has ``{0:d}`` only when that is a number; in
``{0:l}``, a list, the commas become Chinese ones.
``tests/house/test_errors_translated.py`` holds it against what the code says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Catalogue", "Template", "error_in_chinese", "read_pairs", "reason_in_chinese"]

ERRORS: Final = ("settings", "memory", "models", "plugins", "channels", "mcp", "sdk", "server", "system")
"""The files that hold what errors say."""
REASONS: Final = ("reasons",)
"""The files that hold why something is computed, and what matched in a search."""

_DEEPEST: Final = 4
"""How often a hole is translated inside a hole."""


@dataclass(frozen=True)
class Template:
    """A text with holes: the fixed parts before, between and after them."""

    fixed: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Template:
        """Read a template as `str.format` does. Raises `ValueError` when its holes are not 0, 1, 2..."""
        fixed, holes = [""], 0
        for literal, hole, _, _ in Formatter().parse(text):
            fixed[-1] += literal
            if hole is not None:
                if hole != str(holes):
                    raise ValueError(f"the holes of {text!r} are not 0, 1, 2...")
                holes += 1
                fixed.append("")
        return cls(tuple(fixed))

    @property
    def weight(self) -> int:
        """How many characters of a text are fixed: the more, the better it fits what it matches."""
        return sum(map(len, self.fixed))

    def match(self, text: str) -> list[str] | None:
        """Return what stands in the holes, each as short as can be from the left; None when the text does not fit.

        Linear in the length of the text for each fixed part.
        """
        first, last = self.fixed[0], self.fixed[-1]
        if len(self.fixed) == 1:
            return [] if text == first else None
        if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
            return None
        at, end, holes = len(first), len(text) - len(last), []
        for part in self.fixed[1:-1]:
            found = text.find(part, at, end)
            if found < 0:
                return None
            holes.append(text[at:found])
            at = found + len(part)
        return [*holes, text[at:end]]


class Catalogue:
    """English templates, each with what it is in Chinese."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        templates = [(Template.of(english), chinese) for english, chinese in pairs.items()]
        self._whole = {each.fixed[0]: chinese for each, chinese in templates if len(each.fixed) == 1}
        open_ones = [(each, chinese) for each, chinese in templates if len(each.fixed) > 1]
        self._open = sorted(open_ones, key=lambda pair: -pair[0].weight)

    def translated(self, text: str, depth: int = _DEEPEST) -> str | None:
        """Return a text in Chinese, by the template of which the most is fixed; None when there is none for it."""
        whole = self._whole.get(text)
        if whole is not None:
            return whole.format()
        for template, chinese in self._open if depth else ():
            holes = template.match(text)
            filled = None if holes is None else self._filled(template, chinese, holes, depth)
            if filled is not None:
                return filled
        return None

    def _filled(self, template: Template, chinese: str, holes: list[str], depth: int) -> str | None:
        parts: list[str] = []
        told = any(character.isalpha() for part in template.fixed for character in part)
        for literal, hole, spec, _ in Formatter().parse(chinese):
            parts.append(literal)
            if hole is not None:
                given = holes[int(hole)]
                inner = self.translated(given, depth - 1) if spec in ("t", "T") else None
                if (spec == "T" and inner is None) or (spec == "d" and not given.isdigit()):
                    return None
                told = told or inner is not None
                parts.append(inner or (given.replace(", ", "、") if spec == "l" else given))
        return "".join(parts) if told else None  # "{0}: {1}" alone says nothing that could be Chinese


def error_in_chinese(text: str) -> str:
    """Return a where, problem or next step in Chinese; as it is when there is no Chinese for it."""
    return _catalogue(ERRORS).translated(text) or text


def reason_in_chinese(text: str) -> str:
    """Return why something is computed or was found in Chinese; as it is when there is no Chinese for it."""
    return _catalogue(REASONS).translated(text) or text


@lru_cache(maxsize=2)
def _catalogue(names: tuple[str, ...]) -> Catalogue:
    return Catalogue({english: chinese for name in names for english, chinese in read_pairs(name)})


def read_pairs(name: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of one file of the catalogue, English and Chinese. Raises `ValueError` on a line out of place."""
    english = ""
    for line in files("homeagent.cli").joinpath("zh", f"{name}.txt").read_text("utf-8").splitlines():
        line = line.replace("\\n", "\n")
        if line.startswith("= ") and english:
            yield english, line[2:]
            english = ""
        elif line and not line.startswith("# "):
            if english or line.startswith("="):
                raise ValueError(f"{name}.txt: {line!r} stands alone")
            english = line
    if english:
        raise ValueError(f"{name}.txt: {english!r} has no Chinese")
