"""Writing facts on purpose, correcting them, and saying that two names are one. Each is an event that can be undone."""

from __future__ import annotations

from homeagent_sdk import ToolContext, ToolError, ToolResult, tool

__all__ = ["memory_commit", "memory_edit", "memory_merge"]


@tool
async def memory_commit(context: ToolContext, subject: str, relation: str, value: str) -> ToolResult:
    """Write one fact into the memory on purpose. What people say is distilled by itself: use it when asked to.

    Of people use person_set_trait and person_relate.

    Args:
        subject: Whom or what it is about: a name, an id, "me" for the person who writes, or e.g. "my bike".
        relation: One of the memory's relations, e.g. value, costs, located_at, scheduled, likes, has, plans.
        value: What holds, short, in the words it was said in.
    """
    _given(subject=subject, relation=relation, value=value)
    fact = await context.memory.facts.commit(subject.strip(), relation.strip(), value.strip())
    return ToolResult(f"Written: {fact}. memory_edit(fact={fact!r}) without a value takes it back.")


@tool
async def memory_edit(context: ToolContext, fact: str, value: str = "") -> ToolResult:
    """Say that a fact is wrong and what is right. The wrong one no longer counts, and stays askable.

    Args:
        fact: The fact's id, as person_query gives it.
        value: What is right; left out, the fact is only taken back.
    """
    _given(fact=fact)
    made = await context.memory.facts.edit(fact.strip(), value.strip() or None)
    if made is None:
        return ToolResult(f"{fact.strip()} no longer counts. Writing the same again makes it count.")
    return ToolResult(f"{fact.strip()} no longer counts; written in its place: {made}.")


@tool
async def memory_merge(context: ToolContext, into: str = "", other: str = "", undo: int = 0) -> ToolResult:
    """Say that two names or ids are one person or thing. No fact is changed, and it can be taken back.

    Args:
        into: The name or id that stands for both.
        other: The other name or id.
        undo: The number of a merge to take back, instead of the two.
    """
    if undo:
        await context.memory.facts.unmerge(undo)
        return ToolResult(f"Merge {undo} is taken back.")
    _given(into=into, other=other)
    number = await context.memory.facts.merge(into.strip(), other.strip())
    return ToolResult(f"They are one now. memory_merge(undo={number}) takes it back.")


def _given(**values: str) -> None:
    for name, value in values.items():
        if not value.strip():
            raise ToolError(name, "is empty", f"Say which {name}")
