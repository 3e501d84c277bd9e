r"""The small language of cleaners: ``json(content) | head(4000)``, read from left to right.

Stages: ``json(a.b.0)``, ``html()``, ``ansi()``, ``head(N)``, ``lines(first,last)``, ``regex("pattern","replacement")``.
Inside quotes ``\"`` is a quote, every other backslash is left to ``re``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from homeagent_sdk.cleaners import drop_ansi, head, html_text, json_field, lines, regex
from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.pipeline import Cleaner, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FUNCTION_REFERENCE", "parse_cleaner"]

FUNCTION_REFERENCE = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*(?:@[1-9][0-9]{0,8})?")
"""How a function cleaner is written: ``module:qualname``, with ``@version`` from version 2 on."""

_PIECE = re.compile(r'[^"|]++|"(?:[^"\\]++|\\.)*+"|[|"]', re.DOTALL)
_CALL = re.compile(r"(\w+)\s*\((.*)\)", re.DOTALL)
_NUMBER = re.compile(r"\s*([0-9]{1,13})\s*")
_QUOTED = r'\s*"((?:[^"\\]++|\\.)*+)"\s*'
_TWO_TEXTS = re.compile(f"{_QUOTED},{_QUOTED}", re.DOTALL)
_ESCAPED_QUOTE = re.compile(r"\\(.)", re.DOTALL)


def parse_cleaner(spec: str, *, load_function: Callable[[str], Cleaner] | None = None) -> Cleaner:
    """Return the cleaner that ``spec`` describes; ``parse_cleaner(spec).spec`` is its canonical form.

    ``module:qualname`` stages are imported by ``load_function``; without it they are refused, so that a line of
    configuration can't run code. Raises ``DeclarationError`` naming the stage, the problem and how to write it.
    """
    stages: list[Stage] = []
    for number, text in enumerate(_split(spec), start=1):
        try:
            stages.extend(_parse_stage(text, load_function).stages)
        except DeclarationError as error:
            where = f"stage {number} of cleaner {_shown(spec)}"
            raise DeclarationError(where, error.problem, error.next_step) from None
    return Cleaner(tuple(stages))


def _split(spec: str) -> list[str]:
    parts = [""]
    for piece in _PIECE.findall(spec):
        if piece == "|":
            parts.append("")
        elif piece == '"':
            raise DeclarationError(
                f"stage {len(parts)} of cleaner {_shown(spec)}",
                "a quote is not closed",
                r"Close it; a quote inside quotes is written \"",
            )
        else:
            parts[-1] += piece
    return [part.strip() for part in parts]


def _parse_stage(text: str, load_function: Callable[[str], Cleaner] | None) -> Cleaner:
    if not text:
        raise DeclarationError(text, "the stage is empty", 'Write e.g. "json(content) | head(4000)"')
    if FUNCTION_REFERENCE.fullmatch(text):
        if load_function is None:
            raise DeclarationError(
                text, f"{text} names a function, which a text can't bring in", "Pass the function itself as cleaner="
            )
        return load_function(text)
    call = _CALL.fullmatch(text)
    if not call:
        raise DeclarationError(text, f"{_shown(text)} isn't name(arguments)", f"Write one of {_known_forms()}")
    name, arguments = call.groups()
    reader = _READERS.get(name)
    if not reader:
        raise DeclarationError(text, f"there is no cleaner {name!r}", f"Write one of {_known_forms()}")
    return reader(arguments.strip())


def _read_json(arguments: str) -> Cleaner:
    return json_field(arguments)


def _read_html(arguments: str) -> Cleaner:
    _refuse_arguments("html", arguments)
    return html_text()


def _read_ansi(arguments: str) -> Cleaner:
    _refuse_arguments("ansi", arguments)
    return drop_ansi()


def _read_head(arguments: str) -> Cleaner:
    return head(_number("head", arguments))


def _read_lines(arguments: str) -> Cleaner:
    numbers = arguments.split(",")
    if len(numbers) != 2:
        raise DeclarationError("lines", f"lines takes two numbers, got {_shown(arguments)}", _how("lines"))
    return lines(_number("lines", numbers[0]), _number("lines", numbers[1]))


def _read_regex(arguments: str) -> Cleaner:
    texts = _TWO_TEXTS.fullmatch(arguments)
    if not texts:
        problem = f"regex takes two texts in double quotes, got {_shown(arguments)}"
        raise DeclarationError("regex", problem, _how("regex"))
    pattern, replacement = (
        _ESCAPED_QUOTE.sub(lambda found: '"' if found[1] == '"' else found[0], quoted) for quoted in texts.groups()
    )
    return regex(pattern, replacement)


def _refuse_arguments(name: str, arguments: str) -> None:
    if arguments:
        raise DeclarationError(name, f"{name} takes no argument, got {_shown(arguments)}", _how(name))


def _number(name: str, text: str) -> int:
    found = _NUMBER.fullmatch(text)
    if not found:
        problem = f"{name} takes whole numbers that aren't negative, got {_shown(text.strip())}"
        raise DeclarationError(name, problem, _how(name))
    return int(found[1])


def _how(name: str) -> str:
    return f"Write e.g. {_FORMS[name]}"


def _known_forms() -> str:
    return ", ".join(_FORMS.values())


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")


_FORMS = {
    "json": "json(content)",
    "html": "html()",
    "ansi": "ansi()",
    "head": "head(4000)",
    "lines": "lines(1,40)",
    "regex": 'regex("pattern","replacement")',
}
_READERS = {
    "json": _read_json,
    "html": _read_html,
    "ansi": _read_ansi,
    "head": _read_head,
    "lines": _read_lines,
    "regex": _read_regex,
}
