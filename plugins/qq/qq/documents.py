"""The words of a document: text, PDF, Word, Excel. Nothing in a document is run, no formula, no macro, no link."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["document_words"]

_MOST_BYTES: Final = 50_000_000
_MOST_CHARACTERS: Final = 2_000_000
_TEXT: Final = (
    *(".txt", ".md", ".csv", ".tsv", ".json", ".xml", ".html", ".htm", ".log", ".ini", ".toml", ".yaml", ".yml"),
    *(".py", ".js", ".ts", ".java", ".c", ".h", ".cpp", ".go", ".rs", ".sh", ".sql", ".srt", ".lrc", ".tex", ".rst"),
)
_BROKEN: Final = "The file is broken or protected; ask for another copy"


def document_words(path: Path, name: str) -> str:
    """Return all words of the document in ``path``, called ``name``. Raises ``ToolError``."""
    ending = Path(name).suffix.casefold()
    read = _READERS.get(ending) or (_plain if ending in _TEXT else None)
    if read is None:
        hint = f"Text, {', '.join(sorted(_READERS))} can be read"
        raise ToolError("message_id", f"{name} is a kind of file that can't be read", hint)
    if path.stat().st_size > _MOST_BYTES:
        raise ToolError("message_id", f"{name} has more than {_MOST_BYTES:,} bytes", "Ask for a smaller one")
    try:
        words = read(path)
    except ToolError:
        raise
    except Exception as error:  # noqa: BLE001 - the libraries raise anything on a broken file
        raise ToolError("message_id", f"{name} can't be read ({type(error).__name__}: {error})", _BROKEN) from None
    if len(words) > _MOST_CHARACTERS:
        raise ToolError("message_id", f"{name} has {len(words):,} characters", "It is too long to be read whole")
    return words.strip()


def _plain(path: Path) -> str:
    data = path.read_bytes()
    for encoding in ("utf-8-sig", "utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ToolError("message_id", "it is no text", _BROKEN)


def _pdf(path: Path) -> str:
    from pypdf import PdfReader

    reader = PdfReader(path)
    if reader.is_encrypted:
        raise ToolError("message_id", "the PDF is protected by a password", _BROKEN)
    return "\n\n".join(page.extract_text() for page in reader.pages)


def _docx(path: Path) -> str:
    import docx
    from docx.table import Table

    parts = docx.Document(str(path)).iter_inner_content()
    lines = (
        "\n".join("\t".join(cell.text for cell in row.cells) for row in part.rows)
        if isinstance(part, Table)
        else part.text
        for part in parts
    )
    return "\n".join(lines)


def _xlsx(path: Path) -> str:
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    try:
        return "\n".join(_sheet_lines(book))
    finally:
        book.close()


def _sheet_lines(book: object) -> Iterator[str]:
    for sheet in book.worksheets:  # type: ignore[attr-defined]
        yield f"[{sheet.title}]"
        for row in sheet.iter_rows(values_only=True):
            cells = ["" if cell is None else str(cell) for cell in row]
            if any(cells):
                yield "\t".join(cells).rstrip()


_READERS: Final[dict[str, Callable[[Path], str]]] = {".pdf": _pdf, ".docx": _docx, ".xlsx": _xlsx}
