"""Forgetting, bringing back, and erasing with its proof."""

import asyncio
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from homeagent.errors import NotFoundError
from homeagent.memory import Memory
from homeagent.memory.erasing.forgetting import Erased
from homeagent.memory.erasing.survivors import Survivor
from homeagent.memory.erasing.targets import Chosen, Target
from homeagent.server.access import Asker, AskerHere, OwnerHere
from homeagent.server.daemon import Daemon
from homeagent.server.errors import AccessError
from homeagent.server.forms import TurnForm, When, plain, turn_form
from homeagent.server.here import DaemonHere
from homeagent.server.looking import seen_turn

__all__ = ["router"]

router = APIRouter(prefix="/api/memory", tags=["forgetting"])
"""The routes of this matter."""

Name = Annotated[str, Field(min_length=1, max_length=400)]


class TargetForm(BaseModel):
    """What is meant, in one way: turns by name, a fact, a person, a stretch of time, or all words of a text.

    ``source`` is that of the turns, where their names are external ids that several sources use.
    """

    turns: Annotated[list[Name], Field(max_length=1_000)] = []
    source: str | None = Field(default=None, max_length=400)
    fact: str = Field(default="", max_length=400)
    person: str = Field(default="", max_length=400)
    since: When | None = None
    until: When | None = None
    text: str = Field(default="", max_length=4_000)


class EraseForm(TargetForm):
    """What to delete for good. ``confirm`` has to be true; ``prove`` scans every file of the home afterwards."""

    confirm: bool = False
    prove: bool = True


class SurvivorForm(BaseModel):
    """A place that says, quotes or cites the same, and stays. ``segment`` is its position, None for a written fact."""

    kind: str
    turn: str
    external_id: str
    segment: int | None
    why: str


class ChosenForm(BaseModel):
    """What a target stands for, and what would stay that says the same.

    ``forgotten`` are the turns of it that are hidden: those that `undo` would bring back.
    """

    turns: list[TurnForm]
    forgotten: list[TurnForm] = []
    writes: int
    survivors: list[SurvivorForm]


class ProofForm(BaseModel):
    """What a scan of every file of the home found: 0 is a proof. ``own_files`` are the owner's own settings."""

    found: int
    where: list[str]
    files: int
    bytes: int
    own_files: list[str]


class ErasedForm(BaseModel):
    """What is gone. Copies of the home elsewhere are not."""

    turns: list[str]
    writes: int
    copies: int
    survivors: list[SurvivorForm]
    proof: ProofForm | None


class SecretForm(BaseModel):
    """Where raw holds a secret of a known shape, masked."""

    turn: str
    external_id: str
    segment: int
    tool: str | None
    kind: str
    masked: str


class SecretList(BaseModel):
    """Every one, oldest turn first."""

    secrets: list[SecretForm]


@router.post("/forget", summary="Hide from computation and recall")
async def forget(target: TargetForm, asker: AskerHere, daemon: DaemonHere) -> ChosenForm:
    """Hide what is meant; raw stays, and `undo` brings it back. Members may hide what they said themselves."""
    return await _changed(daemon, asker, target, undo=False)


@router.post("/undo", summary="Bring back what was forgotten")
async def undo(target: TargetForm, asker: AskerHere, daemon: DaemonHere) -> ChosenForm:
    """Take `forget` back."""
    return await _changed(daemon, asker, target, undo=True)


@router.post("/erase/preview", summary="What an erasure would delete")
async def preview(target: TargetForm, owner: OwnerHere, daemon: DaemonHere) -> ChosenForm:
    """Return what is meant and what says the same and would stay; nothing is changed.

    ``turns`` is empty when only forgotten turns fit: they can be brought back, or erased by their names.
    """
    memory = daemon.app.memory
    wanted = _target(target, memory, owner)

    def looked() -> ChosenForm:
        hidden = _fitting(memory, wanted, forgotten=True)
        chosen = _fitting(memory, wanted) if hidden.turns else memory.forgetting.chosen(wanted)
        found = _chosen(memory, chosen, memory.forgetting.survivors(chosen))
        return found.model_copy(update={"forgotten": _chosen(memory, hidden, []).turns})

    return await asyncio.to_thread(looked)


@router.post("/erase", summary="Delete for good, with a proof")
async def erase(target: EraseForm, owner: OwnerHere, daemon: DaemonHere) -> ErasedForm:
    """Delete what is meant from every file of the home, and scan them for what may be left."""
    if not target.confirm:
        raise AccessError(
            "the erasure",
            "is for good and was not confirmed",
            "Look at the preview, then send confirm: true",
            status=409,
        )
    memory = daemon.app.memory
    wanted = _target(target, memory, owner)

    def erased() -> Erased:
        return memory.forgetting.erase(memory.forgetting.chosen(wanted), by=owner.person, prove=target.prove)

    done = await asyncio.to_thread(erased)
    daemon.app.agent.look_again()
    daemon.hub.publish("erased", {"turns": len(done.turns)})
    return _erased(done)


@router.get("/secrets", summary="Where raw holds secrets")
async def secrets(owner: OwnerHere, daemon: DaemonHere) -> SecretList:
    """Return keys, passwords and numbers of a known shape, masked."""
    del owner
    found = await asyncio.to_thread(lambda: list(daemon.app.memory.forgetting.secrets()))
    return SecretList(
        secrets=[
            SecretForm(
                turn=each.turn,
                external_id=plain(each.external_id),
                segment=each.segment,
                tool=plain(each.tool) if each.tool else None,
                kind=each.kind,
                masked=plain(each.masked),
            )
            for each in found
        ]
    )


async def _changed(daemon: Daemon, asker: Asker, target: TargetForm, *, undo: bool) -> ChosenForm:
    memory = daemon.app.memory

    def change() -> ChosenForm:
        wanted = _target(target, memory, asker)
        chosen = (memory.forgetting.undo if undo else memory.forgetting.forget)(wanted)
        left = [] if undo or not asker.is_owner else memory.forgetting.survivors(chosen)
        return _chosen(memory, chosen, left)

    done = await asyncio.to_thread(change)
    daemon.app.agent.look_again()
    daemon.hub.publish("restored" if undo else "forgotten", {"turns": [each.turn for each in done.turns]})
    return done


def _target(target: TargetForm, memory: Memory, asker: Asker) -> Target:
    """Return what is meant. Members may only mean turns that they said themselves."""
    turns = list(target.turns)
    if not asker.is_owner:
        if not target.turns or target.fact or target.person or target.text or target.since or target.until:
            raise AccessError("members", "can only name turns that they said themselves", "Name them, or ask the owner")
        sight = memory.timeline.sight(asker.viewer)
        for place, name in enumerate(target.turns):
            row = seen_turn(memory, asker, name, target.source)
            if not sight.said_it(row):
                raise AccessError(f"turn {name!r}", "was said by somebody else", "Ask the owner")
            turns[place] = row.turn_id  # by its name it could be another's too
    return Target(
        turns=tuple(turns),
        source=target.source if asker.is_owner else None,
        fact=target.fact,
        person=target.person,
        since=target.since,
        until=target.until,
        text=target.text,
    )


def _chosen(memory: Memory, chosen: Chosen, left: list[Survivor]) -> ChosenForm:
    hidden = memory.timeline.forgotten()
    return ChosenForm(
        turns=[turn_form(row, memory.segments(row), forgotten=row.seq in hidden) for row in chosen.turns],
        writes=len(chosen.writes),
        survivors=[_survivor(each) for each in left],
    )


def _fitting(memory: Memory, wanted: Target, *, forgotten: bool = False) -> Chosen:
    """Return what a target stands for, nothing where nothing fits."""
    try:
        return memory.forgetting.chosen(wanted, forgotten=forgotten)
    except NotFoundError:
        return Chosen((), ())


def _survivor(each: Survivor) -> SurvivorForm:
    return SurvivorForm(
        kind=each.kind, turn=each.turn, external_id=plain(each.external_id), segment=each.segment, why=each.why
    )


def _erased(done: Erased) -> ErasedForm:
    proof = None
    if done.proof is not None:
        proof = ProofForm(
            found=done.proof.found,
            where=[plain(each) for each in done.proof.where],
            files=done.proof.files,
            bytes=done.proof.size,
            own_files=[plain(each) for each in done.proof.own_files],
        )
    left = [_survivor(each) for each in done.survivors]
    return ErasedForm(turns=list(done.turns), writes=done.writes, copies=done.copies, survivors=left, proof=proof)
