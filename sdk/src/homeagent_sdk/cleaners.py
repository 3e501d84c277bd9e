"""The built-in cleaners. Raise a stage's version number whenever its results may change: memories are derived again."""

from __future__ import annotations

import re

from homeagent_sdk.ansi import without_ansi
from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.json_path import select_field
from homeagent_sdk.pipeline import Cleaner, single_stage

__all__ = ["drop_ansi", "head", "html_text", "json_field", "lines", "regex"]

_ANSI_VERSION = 1
_HEAD_VERSION = 1
_HTML_VERSION = 1
_JSON_VERSION = 1
_LINES_VERSION = 1
_REGEX_VERSION = 1

_PATH = re.compile(r'[^\s.|()"\\,]+(?:\.[^\s.|()"\\,]+)*')
_LONGEST_PATH = 500
_LARGEST_NUMBER = 10**12
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPE_OR_QUOTE = re.compile(r'\\.|"', re.DOTALL)


def json_field(path: str) -> Cleaner:
    """Return a cleaner that keeps one field of JSON: ``json_field("data.items.0.text")``.

    A string is returned as it is, another value as JSON. Of a truncated output, the beginning of the field.
    """
    if len(path) > _LONGEST_PATH or not _PATH.fullmatch(path):
        raise DeclarationError(
            f"json({path})",
            "the path must be field names or list indexes joined by dots, without spaces, quotes or brackets",
            "Write e.g. json(content) or json(data.items.0.text)",
        )
    keys = tuple(path.split("."))
    for key in keys:
        if key.isascii() and key.isdigit() and int(key) > _LARGEST_NUMBER:
            raise DeclarationError(f"json({path})", f"index {key} is too large", "Write e.g. json(items.0)")
    spec = f"json({path})"
    return single_stage(spec, _JSON_VERSION, lambda text: select_field(text, keys, spec), is_json=True)


def html_text() -> Cleaner:
    """Return a cleaner that keeps the readable text of an HTML page; text without tags passes through."""
    # Late: its patterns take 9 ms to compile, and the process that runs cleaners is started often.
    from homeagent_sdk.page_text import page_text

    return single_stage("html()", _HTML_VERSION, page_text)


def drop_ansi() -> Cleaner:
    """Return a cleaner that takes out terminal colours, titles and cursor movements, and nothing else."""
    return single_stage("ansi()", _ANSI_VERSION, without_ansi)


def head(count: int) -> Cleaner:
    """Return a cleaner that keeps the first ``count`` characters."""
    if type(count) is not int or not 0 <= count <= _LARGEST_NUMBER:
        raise DeclarationError(
            f"head({count})", "the number of characters must be a whole number, 0 or more", "Write e.g. head(4000)"
        )
    return single_stage(f"head({count})", _HEAD_VERSION, lambda text: text[:count])


def lines(first: int, last: int) -> Cleaner:
    """Return a cleaner that keeps the lines from ``first`` to ``last``, both included, counted from 1."""
    numbers = type(first) is int and type(last) is int
    if not numbers or not 1 <= first <= last <= _LARGEST_NUMBER:
        raise DeclarationError(
            f"lines({first},{last})",
            "the lines must be whole numbers counted from 1, the first not after the last",
            "Write e.g. lines(1,40)",
        )
    return single_stage(
        f"lines({first},{last})", _LINES_VERSION, lambda text: "\n".join(text.split("\n", last)[first - 1 : last])
    )


def regex(pattern: str, replacement: str) -> Cleaner:
    """Return a cleaner that works like ``re.sub(pattern, replacement, text)``; flags are written ``(?s)``."""
    # In the cleaner language \" is a quote, so a backslash before a quote is brought into a form that can be written:
    # in a pattern it means the quote anyway, in a replacement it means a backslash and a quote.
    pattern = _ESCAPE.sub(lambda found: '"' if found[1] == '"' else found[0], pattern)
    replacement = _ESCAPE.sub(lambda found: '\\\\"' if found[1] == '"' else found[0], replacement)
    spec = f"regex({_quoted(pattern)},{_quoted(replacement)})"
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as problem:
        raise DeclarationError(
            spec, f"the pattern isn't a regular expression: {problem}", "Correct the pattern, see Python's re"
        ) from None
    _check_replacement(spec, pattern, replacement)
    return single_stage(spec, _REGEX_VERSION, lambda text: compiled.sub(replacement, text))


def _check_replacement(spec: str, pattern: str, replacement: str) -> None:
    # re reads a replacement only once something matches; an empty alternative makes the same groups match nothing.
    try:
        re.sub(f"{pattern}\n|", replacement, "")
    except (re.error, IndexError) as problem:
        raise DeclarationError(
            spec, f"the replacement can't be used: {problem}", r"Write a group as \1 or \g<name>, a backslash as \\"
        ) from None


def _quoted(text: str) -> str:
    return '"' + _ESCAPE_OR_QUOTE.sub(lambda found: '\\"' if found[0] == '"' else found[0], text) + '"'
