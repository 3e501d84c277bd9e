"""Changes of an Excel workbook. Formulas are kept and written, never worked out; their old results are dropped."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING, Final

import openpyxl
from openpyxl.utils.cell import coordinate_from_string
from openpyxl.utils.exceptions import CellCoordinatesException

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

    from editdoc.changes import Change

__all__ = ["change_workbook", "shown_workbook"]

_MOST_CELLS: Final = 1_000_000
_LONGEST_NUMBER: Final = 15
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_LOST: Final = re.compile(r"^xl/(?:charts|drawings|pivotTables|pivotCache|slicers|embeddings|externalLinks)/")
# Only what reckons with cells of this very workbook: others start programs, ask servers, read other files.
_FORMULA: Final = re.compile(r"=(?:[A-Z0-9$:.,;+\-*/^&<>=() %!'_]|\"[^\"]*\"|[^\x00-\x7f])+", re.IGNORECASE)
_FUNCTION: Final = re.compile(r"([A-Z][A-Z0-9.]*)\s*\(", re.IGNORECASE)
_FUNCTIONS: Final = frozenset(
    re.findall(
        r"\w+",
        "ABS AND AVERAGE AVERAGEIF CEILING CONCAT CONCATENATE COUNT COUNTA COUNTBLANK COUNTIF COUNTIFS DATE DAY DAYS"
        " EDATE FLOOR HOUR IF IFERROR INDEX INT LEFT LEN LOWER MATCH MAX MEDIAN MID MIN MINUTE MOD MONTH NOT NOW OR"
        " PRODUCT RANK RIGHT ROUND ROUNDDOWN ROUNDUP SQRT STDEV SUBTOTAL SUM SUMIF SUMIFS SUMPRODUCT TEXT TIME TODAY"
        " TRIM UPPER VALUE VLOOKUP WEEKDAY XLOOKUP YEAR",
    )
)


def shown_workbook(file: io.BytesIO) -> list[str]:
    """Return the rows of each sheet, cells separated by tabs; a formula as it is written."""
    book = _opened(file)
    lines: list[str] = []
    for sheet in book.worksheets:
        lines.append(f"Sheet {sheet.title}, {sheet.dimensions}:")
        lines += ["\t".join("" if value is None else str(value) for value in row) for row in sheet.values]
    return lines


def change_workbook(file: io.BytesIO, changes: list[Change]) -> tuple[bytes, list[str]]:
    """Return the changed workbook, and a line about each change. Raises ``ToolError``; then nothing is changed."""
    with zipfile.ZipFile(file) as archive:
        lost = sorted({found[0] for name in archive.namelist() if (found := _LOST.match(name))})
    if lost:
        reason = f"it holds what would be lost by saving it here ({', '.join(lost)})"
        raise ToolError("path", reason, "Change it in its own program")
    book = _opened(file)
    done = [_change(book, change) for change in changes]
    changed = io.BytesIO()
    book.save(changed)
    return changed.getvalue(), done


def _opened(file: io.BytesIO) -> Workbook:
    file.seek(0)
    book = openpyxl.load_workbook(file, keep_links=False)
    if sum(sheet.max_row * sheet.max_column for sheet in book.worksheets) > _MOST_CELLS:
        raise ToolError("path", f"its sheets span more than {_MOST_CELLS:,} cells", "Change it in its own program")
    return book


def _change(book: Workbook, change: Change) -> str:
    match change.action:
        case "replace":
            count = _replace(book, change.old, change.text) if change.old else 0
            if not count:
                raise ToolError("changes", f"{change.old!r} does not occur in it", "Look at it first: give no changes")
            return f"replaced {change.old!r} in {count} cells"
        case "append":
            sheet = _sheet(book, change.at)
            sheet.append([_value(each) for each in change.text.split("\t")])
            return f"appended row {sheet.max_row} to {sheet.title}"
        case "set":
            name, _, place = change.at.rpartition("!")
            sheet = _sheet(book, name.strip("'"))
            try:
                coordinate_from_string(place)
                sheet[place] = _value(change.text)
            except (CellCoordinatesException, ValueError, AttributeError):
                reason = f"{change.at!r} can't be set"
                raise ToolError("changes", reason, "Give one cell, e.g. B2 or Sheet1!B2") from None
            return f"set {sheet.title}!{place}"
    raise ToolError("changes", f"{change.action!r} is for text documents", "Use replace, append or set")


def _sheet(book: Workbook, name: str) -> Worksheet:
    found = next((each for each in book.worksheets if each.title == name or not name), None)
    if found is None:
        raise ToolError("changes", f"there is no sheet {name!r}", f"There are {', '.join(book.sheetnames)}")
    return found


def _replace(book: Workbook, old: str, new: str) -> int:
    count = 0
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "s" and isinstance(cell.value, str) and old in cell.value:
                    text = cell.value.replace(old, new)
                    cell.value = text
                    cell.data_type = "s"  # also when it begins with "=" now: text stays text
                    count += 1
    return count


def _value(text: str) -> str | int | float | None:
    """Return what a cell shall hold: nothing, a number, a harmless formula, or the text."""
    if not text:
        return None
    if _NUMBER.fullmatch(text) and len(text) <= _LONGEST_NUMBER:  # longer ones, as of accounts, would be rounded
        return float(text) if "." in text else int(text)
    if text.startswith("="):
        outside = re.sub(r'"[^"]*"', "", text)
        unknown = [name for name in _FUNCTION.findall(outside) if name.upper() not in _FUNCTIONS]
        if unknown or not _FORMULA.fullmatch(text):
            what = f"{unknown[0]}()" if unknown else repr(text)
            raise ToolError("changes", f"{what} is not written into a formula", "Use plain functions such as SUM or IF")
    return text
