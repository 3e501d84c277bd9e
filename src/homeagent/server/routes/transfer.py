"""Taking the memory out and putting something in: export, import, backups."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from homeagent.errors import InputError
from homeagent.memory import Memory, Viewer
from homeagent.memory.transfer.lines import turn_line
from homeagent.memory.transfer.transfer import ImportReport, import_file
from homeagent.memory.upkeep.backups import BackupRule
from homeagent.paths import make_private
from homeagent.server.access import AskerHere, OwnerHere
from homeagent.server.here import DaemonHere
from homeagent.server.uploads import check_zip

__all__ = ["router"]

router = APIRouter(prefix="/api/memory", tags=["transfer"])
"""The routes of this matter."""

_CHUNK = 1 << 20


class JsonLines(StreamingResponse):
    """JSON lines: one turn a line."""

    media_type = "application/x-ndjson"


class Database(StreamingResponse):
    """A copy of the log."""

    media_type = "application/vnd.sqlite3"


class Imported(BaseModel):
    """``kept`` turns are new, ``known`` ones were there already."""

    kept: int
    known: int
    changed: int
    skipped: int


class RuleForm(BaseModel):
    """A backup every ``hours``, of which the newest ``keep`` stay."""

    hours: float = Field(ge=0.1, lt=100_000)
    keep: int = Field(ge=1, le=10_000)


class Backups(BaseModel):
    """The rule, None where there is none, and the files it made, oldest first."""

    rule: RuleForm | None
    made: list[str]


@router.get("/export", summary="Every turn, raw", response_class=JsonLines)
async def export(asker: AskerHere, daemon: DaemonHere) -> JsonLines:
    """Return every turn that whoever asks may see, byte for byte, as `homeagent memory import` takes it."""
    lines = _lines(daemon.app.memory, asker.viewer)
    return JsonLines(_off_loop(lines), headers={"content-disposition": 'attachment; filename="homeagent.jsonl"'})


def _lines(memory: Memory, viewer: Viewer | None) -> Iterator[bytes]:
    sight = memory.timeline.sight(viewer)
    for row in memory.turns():
        if sight.sees(row):
            yield turn_line(row, [each.segment for each in memory.segments(row)])


async def _off_loop(lines: Iterator[bytes]) -> AsyncIterator[bytes]:
    while (line := await asyncio.to_thread(next, lines, None)) is not None:
        yield line


@router.post(
    "/import",
    summary="Keep turns of a file",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def import_turns(request: Request, owner: OwnerHere, daemon: DaemonHere) -> Imported:
    """Keep every turn of a body of JSON lines, or of a zip that ChatGPT or Claude exports; all of it or nothing."""
    del owner
    first = b""
    part = daemon.settings.home.root / f".import-{secrets.token_hex(6)}"
    try:
        make_private(part)
        with part.open("wb") as file:
            async for piece in request.stream():
                first = first or piece[:4]
                await asyncio.to_thread(file.write, piece)
        if not first:
            raise InputError("the body", "is empty", "Send JSON lines, or an export as it was downloaded")
        if first.startswith(b"PK"):
            await asyncio.to_thread(check_zip, part, part.stat().st_size, "the body")
        named = part.with_suffix(".zip" if first.startswith(b"PK") else ".jsonl")
        part.rename(named)
        part = named
        report = await asyncio.to_thread(import_file, daemon.app.memory, part)
    finally:
        part.unlink(missing_ok=True)
    daemon.app.memory.background.wake()
    return _imported(report)


def _imported(report: ImportReport) -> Imported:
    return Imported(kept=report.kept, known=report.known, changed=report.changed, skipped=len(report.skipped))


@router.get("/backup", summary="A copy of the log", response_class=Database)
async def backup(owner: OwnerHere, daemon: DaemonHere) -> Database:
    """Return the log as it is now: everything else is computed from it."""
    del owner
    target = daemon.settings.home.root / f".backup-{secrets.token_hex(6)}.part"
    await asyncio.to_thread(daemon.app.memory.backup, target)
    name = 'attachment; filename="homeagent-log.db"'
    return Database(_off_loop(_read(target)), headers={"content-disposition": name})


def _read(target: Path) -> Iterator[bytes]:
    try:
        with target.open("rb") as file:
            while piece := file.read(_CHUNK):
                yield piece
    finally:
        target.unlink(missing_ok=True)


@router.get("/backups", summary="Backups by rule")
async def backups(owner: OwnerHere, daemon: DaemonHere) -> Backups:
    """Return the rule and what it made."""
    del owner
    return await asyncio.to_thread(_backups, daemon.app.memory)


@router.put("/backups", summary="Make backups by a rule")
async def set_rule(rule: RuleForm, owner: OwnerHere, daemon: DaemonHere) -> Backups:
    """Make one every so many hours from now on."""
    del owner
    await asyncio.to_thread(daemon.app.memory.backups.set_rule, BackupRule(rule.hours, rule.keep))
    return await asyncio.to_thread(_backups, daemon.app.memory)


@router.delete("/backups", summary="Make no backups by themselves")
async def drop_rule(owner: OwnerHere, daemon: DaemonHere) -> Backups:
    """Make none any more; those that are there stay."""
    del owner
    await asyncio.to_thread(daemon.app.memory.backups.set_rule, None)
    return await asyncio.to_thread(_backups, daemon.app.memory)


def _backups(memory: Memory) -> Backups:
    rule = memory.backups.rule
    shown = None if rule is None else RuleForm(hours=rule.hours, keep=rule.keep)
    return Backups(rule=shown, made=[path.name for path in memory.backups.made()])
