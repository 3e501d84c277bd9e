"""Facts with their evidence and the time they held, who and what they speak of, and the graph that they make."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from pydantic import BaseModel, Field

from homeagent.memory import Fact, Memory, Viewer
from homeagent.server.access import OwnerHere
from homeagent.server.for_members import waiting
from homeagent.server.forms import Done, When, plain
from homeagent.server.here import DaemonHere
from homeagent.server.looking import ViewerHere
from homeagent.server.memory_forms import EntityForm, FactForm, entity_form, fact_form

__all__ = ["router"]

router = APIRouter(prefix="/api/facts", tags=["facts"])
"""The routes of this matter."""

FactName = Annotated[str, InPath(min_length=1, max_length=400)]
_MOST_EDGES = 2_000


class FactList(BaseModel):
    """Facts; ``total`` is how many there are, ``pending`` how many turns and documents still wait to be read."""

    facts: list[FactForm]
    total: int
    pending: int


class EntityList(BaseModel):
    """Who and what facts speak of."""

    entities: list[EntityForm]


class NewFact(BaseModel):
    """A fact to write on purpose; ``subject`` is a name, an id, "me", or words such as "my mother"."""

    subject: str = Field(min_length=1, max_length=400)
    relation: str = Field(min_length=1, max_length=100)
    value: str = Field(min_length=1, max_length=4_000)


class Correction(BaseModel):
    """What is right instead; None only says that it is wrong."""

    value: str | None = Field(default=None, min_length=1, max_length=4_000)


class Written(BaseModel):
    """The fact that was written, None where one was only taken back."""

    fact: str | None


class MergeForm(BaseModel):
    """Two entities, by id or name, that are one."""

    into: str = Field(min_length=1, max_length=400)
    other: str = Field(min_length=1, max_length=400)


class Merged(BaseModel):
    """The number by which a merge is taken back."""

    merge: int


class SuggestionForm(BaseModel):
    """Two entities that may be one, and how sure that is, 0 to 1."""

    into: EntityForm
    other: EntityForm
    why: str
    score: float


class SuggestionList(BaseModel):
    """The surest first; nothing is merged by itself."""

    suggestions: list[SuggestionForm]


class Edge(BaseModel):
    """A fact as a line of the graph; ``to`` is an entity id or, where the value is a mere text, ``=`` and the text."""

    fact: str
    source: str
    to: str
    label: str
    relation: str
    current: bool


class GraphForm(BaseModel):
    """Entities and what connects them; ``whole`` is False where there is more than is shown."""

    nodes: list[EntityForm]
    edges: list[Edge]
    whole: bool


class _Asked(BaseModel):
    """What is asked of the facts."""

    subject: str = Field(default="", max_length=400)
    relation: str = Field(default="", max_length=100)
    at: When | None = None
    history: bool = False
    limit: int = Field(default=200, ge=1, le=1_000)
    offset: int = Field(default=0, ge=0, le=1_000_000)


@router.get("", summary="What is known")
async def facts(viewer: ViewerHere, daemon: DaemonHere, asked: Annotated[_Asked, Query()]) -> FactList:
    """Return what held at a moment (now by default), or with ``history`` everything that was ever said."""
    memory = daemon.app.memory

    def looked() -> FactList:
        found = _facts(memory, viewer, asked)
        shown = found[asked.offset : asked.offset + asked.limit]
        pending = waiting(memory.graph.pending, is_owner=viewer is None)
        return FactList(facts=[fact_form(each) for each in shown], total=len(found), pending=pending)

    return await asyncio.to_thread(looked)


def _facts(memory: Memory, viewer: Viewer | None, asked: _Asked) -> list[Fact]:
    subject, relation = asked.subject.strip() or None, asked.relation.strip() or None
    if asked.history:
        return memory.graph.history(subject, relation, at=asked.at, viewer=viewer)
    return memory.graph.facts(subject=subject, relation=relation, at=asked.at, viewer=viewer)


@router.get("/entities", summary="Who and what facts speak of")
async def entities(
    viewer: ViewerHere, daemon: DaemonHere, name: Annotated[str, Query(max_length=400)] = ""
) -> EntityList:
    """Return those of a name, or all; one for each that were merged."""
    graph = daemon.app.memory.graph
    found = await asyncio.to_thread(graph.entities, name.strip() or None, viewer=viewer)
    return EntityList(entities=[entity_form(each) for each in found])


@router.get("/graph", summary="The graph")
async def graph(
    viewer: ViewerHere,
    daemon: DaemonHere,
    about: Annotated[str, Query(max_length=400, description="only what is connected with this; empty for all")] = "",
    current: Annotated[bool, Query(description="only what holds now")] = True,
) -> GraphForm:
    """Return entities and the facts that connect them."""
    asked = _Asked(subject=about, history=not current)
    return await asyncio.to_thread(_graph, daemon.app.memory, viewer, asked)


def _graph(memory: Memory, viewer: Viewer | None, asked: _Asked) -> GraphForm:
    found = _facts(memory, viewer, asked)
    shown = found[:_MOST_EDGES]
    edges = [
        Edge(
            fact=each.fact,
            source=each.subject,
            to=each.object or f"={plain(each.value)}",
            label=plain(each.value),
            relation=each.relation,
            current=each.current,
        )
        for each in shown
    ]
    used = {name for edge in edges for name in (edge.source, edge.to)}
    nodes = [entity_form(each) for each in memory.graph.entities(viewer=viewer) if each.entity in used]
    return GraphForm(nodes=nodes, edges=edges, whole=len(shown) == len(found))


@router.get("/suggestions", summary="Entities that may be one")
async def suggestions(owner: OwnerHere, daemon: DaemonHere) -> SuggestionList:
    """Return pairs, the surest first."""
    del owner
    memory = daemon.app.memory

    def looked() -> SuggestionList:
        known = {each.entity: each for each in memory.graph.entities()}
        pairs = [each for each in memory.graph.suggestions() if each.into in known and each.other in known]
        return SuggestionList(
            suggestions=[
                SuggestionForm(
                    into=entity_form(known[each.into]),
                    other=entity_form(known[each.other]),
                    why=each.why,
                    score=each.score,
                )
                for each in pairs
            ]
        )

    return await asyncio.to_thread(looked)


@router.post("", summary="Write a fact", status_code=201)
async def commit(wanted: NewFact, owner: OwnerHere, daemon: DaemonHere) -> Written:
    """Write a fact into the memory on purpose; the owner alone sees it."""
    del owner
    graph = daemon.app.memory.graph
    return Written(fact=await asyncio.to_thread(graph.commit_fact, wanted.subject, wanted.relation, wanted.value))


@router.post("/{fact}/correct", summary="Say that a fact is wrong, and what is right")
async def correct(fact: FactName, wanted: Correction, owner: OwnerHere, daemon: DaemonHere) -> Written:
    """Say so; what was said before no longer counts."""
    del owner
    return Written(fact=await asyncio.to_thread(daemon.app.memory.graph.edit_fact, fact, wanted.value))


@router.post("/merge", summary="Say that two are one")
async def merge(wanted: MergeForm, owner: OwnerHere, daemon: DaemonHere) -> Merged:
    """Merge two entities; facts stay as they are."""
    del owner
    graph = daemon.app.memory.graph
    return Merged(merge=await asyncio.to_thread(graph.merge_entities, wanted.into, wanted.other))


@router.post("/unmerge/{merge}", summary="Take a merge back")
async def unmerge(merge: Annotated[int, InPath(ge=0, le=2**53)], owner: OwnerHere, daemon: DaemonHere) -> Done:
    """Take it back."""
    del owner
    await asyncio.to_thread(daemon.app.memory.graph.unmerge, merge)
    return Done()
