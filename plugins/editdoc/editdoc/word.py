"""Changes of a Word document. What is not touched keeps its formatting; no field is worked out, no link followed."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import docx

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.document import Document as WordDocument
    from docx.table import Table
    from docx.text.paragraph import Paragraph

    from editdoc.changes import Change

__all__ = ["change_word", "shown_word"]


def shown_word(file: io.BytesIO) -> list[str]:
    """Return the paragraphs of the body with their numbers, and the rows of its tables."""
    document = docx.Document(file)
    lines = [f"{number} {each.text}" for number, each in enumerate(document.paragraphs, start=1)]
    for place, table in enumerate(document.tables, start=1):
        lines.append(f"Table {place}:")
        lines += ["\t".join(cell.text for cell in row.cells) for row in table.rows]
    return lines


def change_word(file: io.BytesIO, changes: list[Change]) -> tuple[bytes, list[str]]:
    """Return the changed document, and a line about each change. Raises ``ToolError``; then nothing is changed."""
    document = docx.Document(file)
    # Numbers are those of the document as it is now, whatever is inserted and deleted before.
    paragraphs = list(document.paragraphs)
    done = [_change(document, paragraphs, change) for change in changes]
    changed = io.BytesIO()
    document.save(changed)
    return changed.getvalue(), done


def _change(document: WordDocument, paragraphs: list[Paragraph], change: Change) -> str:
    match change.action:
        case "replace":
            count = sum(_replace(each, change.old, change.text) for each in _everywhere(document)) if change.old else 0
            if not count:
                raise ToolError("changes", f"{change.old!r} does not occur in it", "Look at it first: give no changes")
            return f"replaced {change.old!r} in {count} places"
        case "append":
            document.add_paragraph(change.text, _style(document, change.at))
            return "appended a paragraph"
        case "insert":
            paragraph = _numbered(paragraphs, change.at)
            paragraph.insert_paragraph_before(change.text, paragraph.style)
            return f"inserted a paragraph before {change.at}"
        case "delete":
            element = _numbered(paragraphs, change.at)._p
            if element.getparent() is None:
                raise ToolError("changes", f"paragraph {change.at} is deleted twice", "Give each once")
            element.getparent().remove(element)
            return f"deleted paragraph {change.at}"
    raise ToolError("changes", f"{change.action!r} is for workbooks", "Use replace, append, insert or delete")


def _numbered(paragraphs: list[Paragraph], number: str) -> Paragraph:
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= len(paragraphs)):
        raise ToolError("changes", f"there is no paragraph {number!r}", f"Give a number from 1 to {len(paragraphs)}")
    return paragraphs[int(number) - 1]


def _style(document: WordDocument, name: str) -> str | None:
    known = [style.name for style in document.styles if style.type == docx.enum.style.WD_STYLE_TYPE.PARAGRAPH]
    if name and name not in known:
        raise ToolError("changes", f"it has no style {name!r}", f"There are {', '.join(filter(None, known))}")
    return name or None


def _everywhere(document: WordDocument) -> Iterator[Paragraph]:
    yield from document.paragraphs
    for table in document.tables:
        yield from _in_table(table)
    for section in document.sections:
        for part in (section.header, section.footer):
            if not part.is_linked_to_previous:
                yield from part.paragraphs


def _in_table(table: Table) -> Iterator[Paragraph]:
    seen = set()
    for row in table.rows:
        for cell in row.cells:  # a cell that spans others is handed out once for each of them
            if cell._tc not in seen:
                seen.add(cell._tc)
                yield from cell.paragraphs
                for inner in cell.tables:
                    yield from _in_table(inner)


def _replace(paragraph: Paragraph, old: str, new: str) -> int:
    """Replace a text that may be spread over runs; the new one looks like the run in which the old one began."""
    count, start = 0, 0
    while (begin := "".join(run.text for run in paragraph.runs).find(old, start)) >= 0:
        place, end = 0, begin + len(old)
        put = new
        for run in paragraph.runs:
            text, first = run.text, place
            place += len(text)
            if first < end and place > begin:
                run.text = text[: max(begin - first, 0)] + put + text[max(end - first, 0) :]
                put = ""
        count, start = count + 1, begin + len(new)
    return count
