"""Forgetting: hidden and able to come back, or gone for good."""

from __future__ import annotations

from homeagent_sdk import ToolContext, ToolError, ToolResult, tool

__all__ = ["memory_forget", "memory_purge"]


@tool
async def memory_forget(context: ToolContext, turns: list[str], undo: bool = False) -> ToolResult:
    """Hide turns from the memory: they are found no more and give no facts, until it is undone. Nothing is deleted.

    Args:
        turns: The ids of the turns, as memory_recall gives them.
        undo: Bring them back instead.
    """
    named = list(dict.fromkeys(turn.strip() for turn in turns if turn.strip()))
    if not named:
        raise ToolError("turns", "is empty", "Name at least one turn; memory_recall gives their ids")
    if undo:
        await context.memory.restore(named)
        return ToolResult(f"Brought back: {' '.join(named)}.")
    await context.memory.forget(named)
    return ToolResult(f"Forgotten: {' '.join(named)}. memory_forget with undo=true brings them back.")


@tool
async def memory_purge(context: ToolContext, fact: str, hard: bool = False, undo: bool = False) -> ToolResult:
    """Take a fact out of the memory with everything that says it: every such turn is hidden, or deleted for good.

    A fact that is merely wrong is a case for memory_edit.

    Args:
        fact: The fact's id, as person_query gives it.
        hard: Delete for good, raw words too. The person is asked first; it can't be undone.
        undo: Bring back what was hidden by this fact.
    """
    name = fact.strip()
    if not name:
        raise ToolError("fact", "is empty", "Give the fact's id; person_query shows it")
    if hard and undo:
        raise ToolError("undo", "what is deleted for good can't come back", "Leave one of the two out")
    facts = context.memory.facts
    if hard:
        gone, left = await facts.erase(name)
        stays = f" What says, quotes or cites the same and stays: turns {' '.join(left)}." if left else ""
        return ToolResult(f"Deleted for good: {name}, {_counted(len(gone))}.{stays}", cites=tuple(left))
    if undo:
        turns = await facts.restore(name)
        return ToolResult(f"Brought back: {name}, {_counted(len(turns))}.")
    turns = await facts.forget(name)
    return ToolResult(f"Forgotten: {name}, {_counted(len(turns))}. memory_purge with undo=true brings it back.")


def _counted(turns: int) -> str:
    return f"with {turns} turn{'s' * (turns != 1)} that said it"
