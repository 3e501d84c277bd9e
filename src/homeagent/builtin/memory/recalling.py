"""Looking up earlier conversations, noting something down, and asking why something is or is not remembered."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - the signature of a tool is read when it runs
from typing import TYPE_CHECKING

from homeagent_sdk import ToolContext, ToolError, ToolResult, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent_sdk import ExplainedSegment, Recollected, Recollection

__all__ = ["memory_explain", "memory_note", "memory_read", "memory_recall"]

_MOST_HITS = 50
_PIECE = 4_000


@tool(returns_memory=True, parallel=True)
async def memory_recall(context: ToolContext, question: str, limit: int = 5, at: datetime | None = None) -> ToolResult:
    """Look up earlier conversations: passages with date, place and speaker, the best first.

    Use it before saying that you don't know something about these people, and for dates, numbers and wishes.

    Args:
        question: What you want to know, in the words and language it was probably said in.
        limit: How many passages at most, 1 to 50.
        at: The moment of asking, if "yesterday" or "last week" in the question counts from another day than today.
    """
    if not question.strip():
        raise ToolError("question", "is empty", "Say what you want to know")
    if not 1 <= limit <= _MOST_HITS:
        raise ToolError("limit", f"is {limit}", f"Give 1 to {_MOST_HITS}")
    moment = at.astimezone() if at is not None and at.tzinfo is None else at
    found = await context.memory.recall(question, limit=limit, at=moment)
    cites = tuple(dict.fromkeys(hit.turn for hit in found.hits))
    return ToolResult(_recollection_text(found), cites=cites)


@tool
async def memory_note(context: ToolContext, text: str) -> ToolResult:
    """Keep a note for good. All that is said is remembered anyway: use it when someone asks you to note something.

    Args:
        text: The note, understandable on its own: who, what, when.
    """
    if not text.strip():
        raise ToolError("text", "is empty", "Say what to note")
    turn = await context.memory.note(text)
    return ToolResult(f"Noted ({turn}).", cites=(turn,))


@tool(returns_memory=True, parallel=True)
async def memory_explain(context: ToolContext, turn: str) -> ToolResult:
    """Say for each part of an earlier turn whether it can be found in memory, and why or why not.

    Args:
        turn: The id of the turn, as memory_recall gives it.
    """
    segments = await context.memory.explain(turn.strip())
    return ToolResult(_explanation_text(turn.strip(), segments), cites=(turn.strip(),))


@tool(returns_memory=True, parallel=True)
async def memory_read(context: ToolContext, turn: str, start: int = 0) -> ToolResult:
    """Read on in an earlier turn of which only a part was shown, in pieces of 4,000 characters.

    Args:
        turn: The id of the turn, as the passage or memory_recall gives it.
        start: The character to begin at, 0 for its beginning.
    """
    name = turn.strip()
    text = await context.memory.read(name)
    if not 0 <= start <= len(text):
        raise ToolError("start", f"is {start}", f"The turn has {len(text)} characters: give 0 to {len(text)}")
    piece = text[start : start + _PIECE]
    end = start + len(piece)
    more = f"; go on with start={end}" if end < len(text) else ""
    return ToolResult(f"Turn {name}, characters {start} to {end} of {len(text)}{more}:\n{piece}", cites=(name,))


def _recollection_text(found: Recollection) -> str:
    lines: list[str] = []
    if not found.hits:
        lines.append("Nothing about this is remembered.")
    elif found.nothing:
        lines.append("Nothing remembered answers this. The nearest passages, probably about something else:")
    else:
        count = len(found.hits)
        lines.append(f"{count} passage{'s' if count > 1 else ''} remembered, the best first:")
    lines += [_hit_text(number, hit) for number, hit in enumerate(found.hits, start=1)]
    if found.pending:
        lines.append(f"({found.pending} of the newest turns can't be searched fully yet.)")
    return "\n\n".join(lines)


def _hit_text(number: int, hit: Recollected) -> str:
    when = f"{hit.at:%Y-%m-%d %H:%M} ({hit.at:%a})" if hit.at is not None else "date unknown"
    where = "/".join(part for part in (hit.channel, hit.chat) if part)
    title = ", ".join(part for part in (when, where, hit.sender) if part)
    marks = []
    if hit.superseded:
        marks.append("superseded: another passage has a newer value")
    if hit.why:
        marks.append(f"found by {', '.join(hit.why)}")
    marks.append(f"turn {hit.turn}")
    body = "\n".join(f"   {line}" for line in hit.text.strip().splitlines())
    return f"{number}. {title} [{'; '.join(marks)}]\n{body}"


def _explanation_text(turn: str, segments: Sequence[ExplainedSegment]) -> str:
    if not segments:
        return f"Turn {turn} has no parts."
    return "\n".join([f"Turn {turn}:", *map(_segment_text, segments)])


def _segment_text(segment: ExplainedSegment) -> str:
    who = f"{segment.role} {segment.tool}".strip()
    why = f" ({segment.reason})" if segment.reason else ""
    lengths = f"{segment.computed_length:,} of {segment.raw_length:,} characters can be found"
    return f"{segment.position}. {who}: {segment.decision}{why}; {lengths}"
