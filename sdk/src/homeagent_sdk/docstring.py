"""Read a tool's docstring: its description, and what it says about each parameter."""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

__all__ = ["ToolText", "read_docstring"]

_SECTION = re.compile(r"(Args|Arguments|Parameters|Returns|Yields|Raises|Examples?|Notes?):\s*")
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s+(\S.*)")
_PARAMETER_SECTIONS = ("Args", "Arguments", "Parameters")
_LEFT_OUT_SECTIONS = ("Raises", "Yields")


class ToolText(NamedTuple):
    """What the model reads: ``description``, a text per parameter, and entries of ``Args:`` that name no parameter."""

    description: str
    parameters: dict[str, str]
    unknown: tuple[str, ...]


def read_docstring(docstring: str, names: tuple[str, ...]) -> ToolText:
    """Split a Google-style docstring, or one with plain ``name: text`` lines, into its parts."""
    reader = _Reader(names)
    for line in inspect.cleandoc(docstring).splitlines():
        reader.read(line)
    description = re.sub(r"\n{3,}", "\n\n", "\n".join(reader.description)).strip()
    return ToolText(description, reader.parameters, tuple(reader.unknown))


class _Reader:
    def __init__(self, names: tuple[str, ...]) -> None:
        self.description: list[str] = []
        self.parameters: dict[str, str] = {}
        self.unknown: list[str] = []
        self._names = names
        self._section = ""
        self._entry = ""
        self._entry_indent = 0

    def read(self, line: str) -> None:
        text, indent = line.strip(), len(line) - len(line.lstrip())
        section = _SECTION.fullmatch(text) if indent == 0 else None
        if section:
            self._section, self._entry = section[1], ""
            if self._section not in (*_PARAMETER_SECTIONS, *_LEFT_OUT_SECTIONS):
                self.description.append(line)
            return
        if text and indent == 0:
            self._section = ""
        if self._entry and text and indent > self._entry_indent:
            self.parameters[self._entry] += " " + text
            return
        self._entry = ""
        self._read_entry(line, text, indent)

    def _read_entry(self, line: str, text: str, indent: int) -> None:
        in_parameters = self._section in _PARAMETER_SECTIONS
        entry = _ENTRY.fullmatch(text) if in_parameters or not self._section else None
        if entry and entry[1] in self._names:
            self._entry, self._entry_indent = entry[1], indent
            self.parameters[entry[1]] = entry[2]
        elif entry and in_parameters:
            self.unknown.append(entry[1])
        elif not in_parameters and self._section not in _LEFT_OUT_SECTIONS:
            self.description.append(line)
