"""The tool ``edit_document``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from editdoc.changes import Change  # noqa: TC001 - the schema of the tool is made of it
from editdoc.documents import Document, EditSettings, checked
from editdoc.word import change_word, shown_word
from editdoc.workbook import change_workbook, shown_workbook
from homeagent_sdk import ToolContext, ToolError, tool
from homeagent_sdk.calling import call_function

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["edit_document"]

T = TypeVar("T")

_LONGEST_SHOWN: Final = 60_000
_LONGEST_ASKED: Final = 200


@tool(no_memory=True, timeout=120)
async def edit_document(context: ToolContext, path: str, changes: tuple[Change, ...] = ()) -> str:
    """Change a Word document (.docx) or an Excel workbook (.xlsx); without changes, show what is in it.

    All changes are made or none. The person is asked first, and a copy of what it was before is kept.

    Args:
        path: The document, e.g. "letters/landlord.docx".
        changes: What to change, in this order; none to look at it first.
    """
    document = Document.read(context, path)
    if not changes:
        return await call_function(lambda: _shown(document), is_async=False)
    data, done = await call_function(lambda: _changed(document, changes), is_async=False)
    asked = "\n".join(_in_words(change) for change in changes)
    if not await context.ask(f"Change this document? 要修改这个文档吗？\n{document.path}\n{asked}"):
        raise ToolError("changes", "the person did not agree to this", "Ask what they want instead")
    most = context.settings(EditSettings).copies
    copies = context.data_folder / "copies"
    copy = await call_function(lambda: document.put_back(data, copies, most), is_async=False)
    return f"Changed {document.path.name}: {'; '.join(done)}. What it was before is kept in {copy}"


def _shown(document: Document) -> str:
    file = checked(document)
    lines = _worked(document, lambda: shown_word(file) if document.kind == ".docx" else shown_workbook(file))
    text = "\n".join(lines)
    more = len(text) - _LONGEST_SHOWN
    return f"{text[:_LONGEST_SHOWN]}\n[... {more:,} more characters ...]" if more > 0 else text or "It is empty"


def _changed(document: Document, changes: tuple[Change, ...]) -> tuple[bytes, list[str]]:
    file = checked(document)
    change = change_word if document.kind == ".docx" else change_workbook
    return _worked(document, lambda: change(file, list(changes)))


def _worked(document: Document, work: Callable[[], T]) -> T:
    """Return what ``work`` does with a document. Raises ``ToolError`` when it stumbles."""
    try:
        return work()
    except ToolError:
        raise
    except Exception as error:
        raise _broken(document, error) from error


def _broken(document: Document, error: Exception) -> ToolError:
    reason = f"{document.path.name} can't be read as a document ({type(error).__name__}: {error})"
    return ToolError("path", reason[:500], "Open and save it in its own program")


def _in_words(change: Change) -> str:
    parts = (change.action, change.at, repr(change.old) if change.old else "", repr(change.text) if change.text else "")
    words = " ".join(part for part in parts if part)
    return f"{words[:_LONGEST_ASKED]}..." if len(words) > _LONGEST_ASKED else words
