"""Sources of models: which there are, whether each would answer, adding one; and what they were used for."""

import asyncio
import json
import os
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from pydantic import BaseModel, Field

from homeagent import config
from homeagent.app import check, described_plugins, sources_of
from homeagent.errors import HomeError, NotFoundError
from homeagent.models import Router, SourceCheck
from homeagent.server.access import OwnerHere
from homeagent.server.daemon import Daemon
from homeagent.server.forms import plain
from homeagent.server.here import DaemonHere

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["sources"])
"""The routes of this matter."""

SourceName = Annotated[str, InPath(pattern=r"^[A-Za-z0-9_-]{1,60}$")]


class SourceForm(BaseModel):
    """A model on a server. ``has_key`` says that it names where its key is; the key itself is never shown."""

    name: str
    base_url: str
    model: str
    has_key: bool
    window: int
    priority: int
    prompt_price: float | None
    completion_price: float | None
    currency: str


class SourceList(BaseModel):
    """The sources, the first to ask first; with none the home answers from its memory alone."""

    model: str
    sources: list[SourceForm]


class NewSource(BaseModel):
    """A source to add or to change. ``key`` is written into a private file of the home, and nowhere shown again.

    Prices are for a million tokens. What is left out stays as it was.
    """

    base_url: str = Field(min_length=1, max_length=2_000)
    model: str = Field(min_length=1, max_length=400)
    key: str = Field(default="", max_length=4_000)
    key_env: str = Field(default="", max_length=200)
    window: int | None = Field(default=None, ge=256, le=100_000_000)
    prompt_price: float | None = Field(default=None, ge=0)
    completion_price: float | None = Field(default=None, ge=0)


class CheckForm(BaseModel):
    """Whether a source would answer: ``problem`` and ``next_step`` say what keeps it from that. Nothing was paid."""

    name: str
    ok: bool
    models: list[str]
    window: int | None
    problem: str
    next_step: str


class CheckList(BaseModel):
    """What each source said."""

    checks: list[CheckForm]


class UsedForm(BaseModel):
    """What a source was used for on a day; ``cost`` is 0 where no price is known."""

    day: str
    source: str
    turns: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost: float
    currency: str


class UsageForm(BaseModel):
    """The newest days first."""

    used: list[UsedForm]


@router.get("/sources", summary="Sources of models")
async def sources(owner: OwnerHere, daemon: DaemonHere) -> SourceList:
    """Return them, the first to ask first."""
    del owner
    return _listed(daemon)


@router.put("/sources/{name}", summary="Add or change a source")
async def put(name: SourceName, wanted: NewSource, owner: OwnerHere, daemon: DaemonHere) -> SourceList:
    """Write a source into the settings; the next turn asks it."""
    del owner
    await asyncio.to_thread(_put, daemon, name, wanted)
    await daemon.follow_settings()
    return _listed(daemon)


@router.delete("/sources/{name}", summary="Take a source out")
async def delete(name: SourceName, owner: OwnerHere, daemon: DaemonHere) -> SourceList:
    """Take a source, and the key that was handed in with it, out."""
    del owner
    if name not in daemon.settings.config.models:
        raise NotFoundError(f"source {name!r}", "is not in the settings", "List them with GET /api/sources")

    def deleted() -> None:
        config.change(daemon.settings.home.config, f"models.{name}", None)
        _key_path(daemon, name).unlink(missing_ok=True)

    await asyncio.to_thread(deleted)
    await daemon.follow_settings()
    return _listed(daemon)


@router.post("/sources/check", summary="Would they answer?")
async def checked(owner: OwnerHere, daemon: DaemonHere) -> CheckList:
    """Ask each for its list of models, which costs nothing."""
    del owner
    wanted = sources_of(daemon.settings.config)
    if not wanted:
        return CheckList(checks=[])
    asked = Router(wanted)
    try:
        found = await asked.check()
    finally:
        await asked.close()
    return CheckList(checks=[_check(source.name, each) for source, each in zip(wanted, found, strict=True)])


@router.get("/usage", summary="What was used, and what it cost")
async def usage(owner: OwnerHere, daemon: DaemonHere, days: Annotated[int, Query(ge=1, le=800)] = 31) -> UsageForm:
    """Return tokens and cost by day and source."""
    del owner
    return UsageForm(
        used=[
            UsedForm(
                day=day,
                source=name,
                turns=each.turns,
                prompt_tokens=each.prompt_tokens,
                completion_tokens=each.completion_tokens,
                cached_tokens=each.cached_tokens,
                cost=each.cost,
                currency=each.currency,
            )
            for day, by in daemon.usage.days(days).items()
            for name, each in by.items()
        ]
    )


def _listed(daemon: Daemon) -> SourceList:
    found = [
        SourceForm(
            name=name,
            base_url=each.base_url,
            model=each.model,
            has_key=bool(each.key_env or each.key_file),
            window=each.window,
            priority=each.priority,
            prompt_price=each.prompt_price,
            completion_price=each.completion_price,
            currency=each.currency,
        )
        for name, each in sorted(daemon.settings.config.models.items(), key=lambda item: item[1].priority)
    ]
    return SourceList(model=daemon.app.model.name, sources=found)


def _check(name: str, each: SourceCheck) -> CheckForm:
    problem = each.problem
    return CheckForm(
        name=name,
        ok=problem is None,
        models=[plain(one) for one in each.models][:500],
        window=each.window_tokens,
        problem="" if problem is None else plain(problem.problem),
        next_step="" if problem is None else plain(problem.next_step),
    )


def _put(daemon: Daemon, name: str, wanted: NewSource) -> None:
    known = daemon.settings.config.models.get(name)
    values: dict[str, object] = {"base_url": wanted.base_url, "model": wanted.model}
    if known is not None:
        kept = {each.name: (getattr(known, each.name), each.default) for each in fields(known)}
        values = {name: value for name, (value, usual) in kept.items() if value != usual} | values
    if wanted.key or wanted.key_env:
        values = {name: value for name, value in values.items() if name not in ("key_env", "key_file")}
    if wanted.key:
        values["key_file"] = str(_write_key(daemon, name, wanted.key))
    elif wanted.key_env:
        values["key_env"] = wanted.key_env
    given = {"window": wanted.window, "prompt_price": wanted.prompt_price, "completion_price": wanted.completion_price}
    values |= {key: value for key, value in given.items() if value is not None}
    text = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
    checking = partial(check, installed=described_plugins(daemon.settings.home.root))
    config.change(daemon.settings.home.config, f"models.{name}", text, checking)


def _key_path(daemon: Daemon, name: str) -> Path:
    return daemon.settings.home.root / "keys" / f"{name}.key"


def _write_key(daemon: Daemon, name: str, key: str) -> Path:
    path = _key_path(daemon, name)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.unlink(missing_ok=True)
        with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(key)
    except (OSError, UnicodeEncodeError) as error:
        step = "Free some space or mend the permissions; nothing was changed"
        told = getattr(error, "strerror", None) or str(error)
        raise HomeError(str(path), f"can't be written ({told})", step) from error
    return path
