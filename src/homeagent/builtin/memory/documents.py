"""Looking into what was archived, and putting turns together on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent_sdk import ToolContext, ToolError, ToolResult, tool

if TYPE_CHECKING:
    from homeagent_sdk import KnownDocument

__all__ = ["doc_commit", "doc_query"]

_MOST = 20


@tool(returns_memory=True, parallel=True)
async def doc_query(context: ToolContext, question: str = "", document: str = "", limit: int = 5) -> ToolResult:
    """Look into archived conversations: give a question to find documents, then a document's id to read it whole.

    A document that was read stays archived. If it is from this chat and there is room, it stands in view again, at its
    own time.

    Args:
        question: What the documents should be about, in the words and language it was probably said in.
        document: The id of a document, as an earlier call gave it: it is then opened.
        limit: How many documents at most, 1 to 20.
    """
    if document.strip():
        opened = await context.memory.documents.open(document.strip())
        title = _title(opened.known)
        receipt = f"{title}\nIt is in view again, above, at its own time." if opened.in_view else ""
        return ToolResult(f"{title}\n\n{opened.text}", receipt=receipt, cites=opened.known.turns)
    if not question.strip():
        raise ToolError("question", "is empty", "Say what to look for, or give a document's id")
    if not 1 <= limit <= _MOST:
        raise ToolError("limit", f"is {limit}", f"Give 1 to {_MOST}")
    found = await context.memory.documents.find(question, limit=limit)
    if not found:
        return ToolResult("No document is about this. What was said lately may not be archived yet: try memory_recall.")
    cites = tuple(dict.fromkeys(turn for each in found for turn in each.turns))
    return ToolResult("\n\n".join(map(_in_short, found)), cites=cites)


@tool
async def doc_commit(context: ToolContext, title: str, turns: list[str]) -> ToolResult:
    """Put turns together as a document of its own, whatever else they are in; nothing of them is changed.

    Args:
        title: What the document is to be called.
        turns: The ids of the turns, as memory_recall or doc_query give them.
    """
    if not title.strip():
        raise ToolError("title", "is empty", "Say what the document is to be called")
    named = list(dict.fromkeys(turn.strip() for turn in turns if turn.strip()))
    if not named:
        raise ToolError("turns", "is empty", "Name at least one turn")
    made = await context.memory.documents.commit(title.strip(), named)
    return ToolResult(f"Document {made} holds {len(named)} turns.", cites=tuple(named))


def _in_short(document: KnownDocument) -> str:
    lines = [_title(document)]
    lines += [f"   {sentence}" for sentence in document.summary]
    if document.tags:
        lines.append(f"   tags: {', '.join(document.tags)}")
    if document.entities:
        lines.append(f"   names: {', '.join(document.entities)}")
    lines.append(f"   turns: {' '.join(document.turns)}")
    return "\n".join(lines)


def _title(document: KnownDocument) -> str:
    days = [f"{at:%Y-%m-%d}" for at in (document.first, document.last) if at is not None]
    when = " to ".join(dict.fromkeys(days)) or "date unknown"
    count = len(document.turns)
    title = f" {document.title!r}" if document.title else ""
    return f"{document.document}{title}: {count} turn{'s' * (count > 1)}, {when}, {document.channel}/{document.chat}"
