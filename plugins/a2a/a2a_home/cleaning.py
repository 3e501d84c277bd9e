"""What of another agent's answer is computed: its words, the names of its files, its data; none of the envelope."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from homeagent_sdk import CleanerError, read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["words_of_answer", "words_of_parts"]

_DEEPEST: Final = 8


def words_of_answer(text: str) -> str:
    """Clean ``a2a_query``: of a task its artifacts and what its status says, of a message its parts, of an error why.

    What was asked stands in the call's arguments and is not taken from the history once more.
    """
    found = read_json(text)
    if not isinstance(found, dict):
        raise CleanerError("a2a_query", "the output is no JSON object", "Set another policy for this tool")
    lines = [*_errors(found), *words_of_parts(_table(found, "message"))]
    task = _table(found, "task")
    for artifact in _rows(task, "artifacts"):
        lines += [_text(artifact, "name"), *words_of_parts(artifact)]
    lines += words_of_parts(_table(_table(task, "status"), "message"))
    return "\n".join(dict.fromkeys(line for line in lines if line))


def words_of_parts(holder: Mapping[str, object]) -> list[str]:
    """Return the words of the ``parts`` of a message or artifact, one entry for each."""
    lines: list[str] = []
    for part in _rows(holder, "parts"):
        lines.append(_text(part, "text"))
        lines.append(_text(part, "filename"))
        if "data" in part:
            lines += _data_lines(part["data"], "", 0)
    return [line for line in lines if line]


def _data_lines(value: object, name: str, depth: int) -> Iterator[str]:
    """Yield data as ``name: value`` lines, so that it can be searched like words."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _data_lines(inner, str(key), depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _data_lines(inner, name, depth + 1)
    elif value not in (None, ""):
        shown = value if isinstance(value, str) else json.dumps(_whole(value), ensure_ascii=False)
        yield f"{name}: {shown}" if name else shown


def _whole(value: object) -> object:
    # The protocol carries every number as a double.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _errors(found: Mapping[str, object]) -> Iterable[str]:
    for each in _rows(found, "error"):
        yield from (_text(each, "reason"), _text(each, "hint"))


def _rows(found: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    rows = found.get(name)
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []


def _table(found: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = found.get(name)
    return value if isinstance(value, dict) else {}


def _text(found: Mapping[str, object], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""
