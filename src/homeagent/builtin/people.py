"""The plugin ``people``: what is known of somebody, and who they are to whom."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - the signature of a tool is read when it runs
from typing import TYPE_CHECKING, Final

from homeagent_sdk import Plugin, ToolContext, ToolError, ToolResult, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent_sdk import KnownFact

__all__ = ["PLUGIN", "person_query", "person_relate", "person_set_trait"]

_MOST: Final = 60
_STATES: Final = {"planned": "planned", "denied": "denied", "wrong": "said to be wrong", "over": "over"}


@tool(returns_memory=True, parallel=True)
async def person_query(
    context: ToolContext, person: str, relation: str = "", history: bool = False, at: datetime | None = None
) -> ToolResult:
    """Say what is known of a person: facts with their ids, since when, and the words that say them.

    Args:
        person: A name, an id, "me" for the person who writes, or words such as "my mother" or 我妈妈.
        relation: Only this relation, e.g. birthday, likes, lives_in, works_at, diet, daughter.
        history: Also what no longer holds, was denied or was said to be wrong: "what was it before?".
        at: The moment asked about, now when left out.
    """
    if not person.strip():
        raise ToolError("person", "is empty", "Say who: a name, or me")
    moment = at.astimezone() if at is not None and at.tzinfo is None else at
    facts = context.memory.facts
    known = await facts.about(person.strip(), relation=relation.strip(), at=moment)
    found = [each for each in known if each.state != "later"]
    shown = [each for each in found if history or each.state in ("holds", "planned")]
    over = len(found) - len(shown)
    cites = tuple(dict.fromkeys(said.turn for each in shown[-_MOST:] for said in each.said if said.turn))
    lines = _lines(shown[-_MOST:])
    if not shown:
        lines.append(f"Nothing is known of {person.strip()!r}. It may still have been said: try memory_recall.")
    if len(shown) > _MOST:
        lines.append(f"({len(shown) - _MOST} older ones are left out: name a relation.)")
    if over:
        lines.append(f"({over} that no longer hold; history=true shows them.)")
    pending = await facts.pending()
    if pending:
        lines.append(f"({pending} of the newest turns are not read for facts yet.)")
    return ToolResult("\n".join(lines), cites=cites)


@tool
async def person_set_trait(context: ToolContext, person: str, trait: str, value: str) -> ToolResult:
    """Write something about a person into the memory on purpose: it is kept for that person and nobody else.

    Args:
        person: Whom it is about: a name, an id, "me" for the person who writes, or e.g. "my mother", 我妈妈.
        trait: A relation such as name, called, birthday, age, lives_in, works_at, diet, allergic_to, likes, dislikes.
        value: What holds, short, in the words it was said in.
    """
    return await _written(context, person, trait, value)


@tool
async def person_relate(context: ToolContext, person: str, relation: str, other: str) -> ToolResult:
    """Write who somebody is to a person: "my sister is Ottoline" is person "me", relation "sister", other "Ottoline".

    Args:
        person: Whose relative, friend or colleague it is: a name, an id, or "me" for the person who writes.
        relation: An English word such as mother, wife, daughter, friend, colleague, neighbour, doctor.
        other: The name of the one who is that.
    """
    return await _written(context, person, relation, other)


async def _written(context: ToolContext, person: str, relation: str, value: str) -> ToolResult:
    for name, given in (("person", person), ("relation", relation), ("value", value)):
        if not given.strip():
            raise ToolError(name, "is empty", f"Say which {name}")
    fact = await context.memory.facts.commit(person.strip(), relation.strip(), value.strip())
    return ToolResult(f"Written: {fact}. memory_edit(fact={fact!r}) without a value takes it back.")


def _lines(facts: Sequence[KnownFact]) -> list[str]:
    lines: list[str] = []
    entity = ""
    for each in sorted(facts, key=lambda fact: fact.entity):
        if each.entity != entity:
            entity = each.entity
            lines.append(f"{each.subject} ({entity}):")
        lines.append(f"- {each.relation}: {each.value} [{'; '.join(_marks(each))}]")
        lines += [f'    "{said.text.strip()}" {_source(said.sender, said.at)}' for said in each.said[-2:]]
    return lines


def _marks(fact: KnownFact) -> list[str]:
    since = f"since {fact.since:%Y-%m-%d}" if fact.since is not None else ""
    until = f"until {fact.until:%Y-%m-%d}" if fact.until is not None else ""
    state = _STATES.get(fact.state, "")
    sure = f"confidence {fact.confidence:.2f}"
    return [mark for mark in (state, since, until, sure, fact.fact) if mark]


def _source(sender: str, at: datetime | None) -> str:
    return f"({sender}, {at:%Y-%m-%d})" if at is not None else f"({sender})"


# The whole plugin.
PLUGIN = Plugin("people", "1.0.0", tools=[person_query, person_set_trait, person_relate])
