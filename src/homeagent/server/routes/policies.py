"""Policies: what of each tool and channel is computed, what a change would do, and making it."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter
from fastapi import Path as InPath
from pydantic import BaseModel, Field

from homeagent import config
from homeagent.app import policy_text
from homeagent.errors import NotFoundError, PolicyError
from homeagent.memory import PolicyChange, PolicyExample, PolicyInForce
from homeagent.server.access import OwnerHere
from homeagent.server.daemon import Daemon
from homeagent.server.forms import plain
from homeagent.server.here import DaemonHere
from homeagent_sdk import MemoryPolicy, parse_cleaner
from homeagent_sdk.errors import SdkError

__all__ = ["router"]

router = APIRouter(prefix="/api/policies", tags=["policies"])
"""The routes of this matter."""

Kind = Literal["tool", "channel"]
Glob = Annotated[str, InPath(min_length=1, max_length=400, description="a name, or a glob such as web_*")]


class PolicyForm(BaseModel):
    """What happens to a tool's outputs or a channel's words, and what they left behind, in characters."""

    kind: Kind
    name: str
    treatment: str
    cleaner: str
    why: str
    origin: str
    pattern: str
    segments: int
    raw: int
    computed: int


class PolicyList(BaseModel):
    """Every tool and channel that ever spoke or was declared; ``overrides`` are the owner's, by name or glob."""

    policies: list[PolicyForm]
    overrides: dict[str, dict[str, str]]


class WantedPolicy(BaseModel):
    """Nothing is computed (``no_memory``), what a ``cleaner`` leaves, or all of it (neither)."""

    no_memory: bool = False
    cleaner: str = Field(default="", max_length=4_000, description="e.g. json(content) | head(4000)")


class TriedPolicy(WantedPolicy):
    """A policy to try out; ``unset`` tries taking the owner's word back."""

    kind: Kind = "tool"
    name: str = Field(min_length=1, max_length=400)
    unset: bool = False


class ExampleForm(BaseModel):
    """A segment as it is computed now, and as it would be."""

    turn: str
    external_id: str
    position: int
    role: str
    tool: str | None
    decision: str
    reason: str
    before: str
    after: str


class TrialForm(BaseModel):
    """What a change would do, in segments, replies, facts, and characters of compute text. Nothing was changed."""

    segments: int
    characters_before: int
    characters_after: int
    replies: int
    reply_characters_before: int
    reply_characters_after: int
    facts_going: int
    facts_coming: int
    examples: list[ExampleForm]


class ChangedPolicy(BaseModel):
    """What is in force now. What it hides is hidden already; ``queued`` segments wait to be derived anew."""

    policies: list[PolicyForm]
    queued: int


@router.get("", summary="Policies in force")
async def listed(owner: OwnerHere, daemon: DaemonHere) -> PolicyList:
    """Return every policy, with what it lets through."""
    del owner
    return await asyncio.to_thread(_listed, daemon)


@router.post("/try", summary="What a change would do")
async def tried(wanted: TriedPolicy, owner: OwnerHere, daemon: DaemonHere) -> TrialForm:
    """Work out to the character what a policy would change, and change nothing."""
    del owner
    policy = None if wanted.unset else _policy(wanted)
    told = await asyncio.to_thread(daemon.app.memory.overrides.trial, {wanted.name: policy}, kind=wanted.kind)
    return _trial(told)


@router.put("/{kind}/{name:path}", summary="Set a policy")
async def change(kind: Kind, name: Glob, wanted: WantedPolicy, owner: OwnerHere, daemon: DaemonHere) -> ChangedPolicy:
    """Write the owner's policy into the settings and let it hold: what it hides is gone when this answers."""
    del owner
    return await _changed(daemon, kind, name, _policy(wanted))


@router.delete("/{kind}/{name:path}", summary="Take a policy back")
async def unset(kind: Kind, name: Glob, owner: OwnerHere, daemon: DaemonHere) -> ChangedPolicy:
    """Take the owner's word back; what is declared holds again."""
    del owner
    return await _changed(daemon, kind, name, None)


async def _changed(daemon: Daemon, kind: Kind, name: str, policy: MemoryPolicy | None) -> ChangedPolicy:
    memory = daemon.app.memory

    def noted() -> int:
        settings = daemon.settings.config
        named = settings.channels if kind == "channel" else settings.tools
        if policy is None and name not in named and name not in memory.overrides.overridden(kind):
            raise NotFoundError(
                f"policy of {name!r}", "was not set by the owner", "List them with 'homeagent policy list'"
            )
        if policy is not None or name in named:
            text = None if policy is None else policy_text(policy)
            config.change(daemon.settings.home.config, f"policies.{kind}s.{name}", text)
        return memory.overrides.note({name: policy}, kind=kind)

    queued = await asyncio.to_thread(noted)
    await daemon.follow_settings()
    memory.background.wake()
    listed = await asyncio.to_thread(_listed, daemon)
    daemon.hub.publish("policies", {"kind": kind, "name": name, "queued": queued})
    return ChangedPolicy(policies=listed.policies, queued=queued)


def _listed(daemon: Daemon) -> PolicyList:
    memory = daemon.app.memory
    kinds: tuple[Kind, ...] = ("tool", "channel")
    overrides: dict[str, dict[str, str]]
    overrides = {
        kind: {plain(name): _said(said) for name, said in memory.overrides.overridden(kind).items()} for kind in kinds
    }
    return PolicyList(policies=[_form(each) for each in memory.overrides.in_force()], overrides=overrides)


def _said(stored: tuple[bool, str]) -> str:
    no_memory, cleaner = stored
    return "cleaner" if cleaner else "no_memory" if no_memory else "plain"


def _policy(wanted: WantedPolicy) -> MemoryPolicy:
    if not wanted.cleaner:
        return MemoryPolicy(no_memory=wanted.no_memory)
    try:
        return MemoryPolicy(no_memory=wanted.no_memory, cleaner=parse_cleaner(wanted.cleaner))
    except SdkError as error:
        raise PolicyError("--cleaner", f"{error.where}: {error.problem}", error.next_step) from error


def _form(row: PolicyInForce) -> PolicyForm:
    return PolicyForm(
        kind=row.kind,
        name=plain(row.name),
        treatment=row.treatment,
        cleaner=row.cleaner,
        why=row.why,
        origin=row.origin,
        pattern=row.pattern,
        segments=row.segments,
        raw=row.raw,
        computed=row.computed,
    )


def _trial(told: PolicyChange) -> TrialForm:
    return TrialForm(
        segments=told.segments,
        characters_before=told.characters_before,
        characters_after=told.characters_after,
        replies=told.replies,
        reply_characters_before=told.reply_characters_before,
        reply_characters_after=told.reply_characters_after,
        facts_going=told.facts_going,
        facts_coming=told.facts_coming,
        examples=[_example(each) for each in told.examples],
    )


def _example(each: PolicyExample) -> ExampleForm:
    return ExampleForm(
        turn=each.turn,
        external_id=plain(each.external_id),
        position=each.position,
        role=each.role,
        tool=plain(each.tool) if each.tool else None,
        decision=each.decision,
        reason=plain(each.reason),
        before=plain(each.before),
        after=plain(each.after),
    )
