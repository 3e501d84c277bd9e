"""``homeagent doctor``: what is wrong with this installation and this home, and what to do about it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, Literal

from homeagent.cli.doctor_models import sources
from homeagent.cli.finding import Finding
from homeagent.errors import HomeAgentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from homeagent.cli.session import Session
    from homeagent.memory import Memory

__all__ = ["doctor"]

_LITTLE_SPACE_MB: Final = 1000
_NO_SPACE_MB: Final = 50


def doctor(session: Session) -> int:
    """Print what was looked at, each ok, warn or fail with what to do; leave with 1 when something failed."""
    findings = list(_findings(session))
    good = all(finding.level != "fail" for finding in findings)
    plain = {"ok": good, "checks": [finding._asdict() for finding in findings]}
    session.terminal.result(plain, _lines(findings, session))
    return 0 if good else 1


def _lines(findings: list[Finding], session: Session) -> Iterator[str]:
    for finding in findings:
        yield f"{session.terminal.message(f'doctor_{finding.level}'):<6}{finding.found}"
        if finding.next_step:
            yield f"      {finding.next_step}"


def _findings(session: Session) -> Iterator[Finding]:
    yield _python(session)
    yield _sqlite(session)
    yield from _home(session)
    yield _disk(session)
    yield from _tried("config", session, _config)
    yield from _tried("model", session, _model)
    yield from _tried("models", session, sources)
    if session.home.root.is_dir():
        yield from _tried("databases", session, _databases)


def _tried(name: str, session: Session, examine: Callable[[Session], list[Finding]]) -> list[Finding]:
    """Return what an examination found, or the error it met."""
    try:
        return examine(session)
    except HomeAgentError as error:
        told = session.terminal.told
        return [Finding(name, "fail", f"{told(error.where)}: {told(error.problem)}", told(error.next_step))]


def _python(session: Session) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("python", "ok", session.terminal.message("doctor_python", version=version))


def _sqlite(session: Session) -> Finding:
    connection = sqlite3.connect(":memory:")
    try:
        options = {name for (name,) in connection.execute("PRAGMA compile_options")}
    finally:
        connection.close()
    text = "FTS5" if "ENABLE_FTS5" in options else "-"
    found = session.terminal.message("doctor_sqlite", version=sqlite3.sqlite_version, fts=text)
    if text == "FTS5" and sqlite3.sqlite_version_info >= (3, 37):
        return Finding("sqlite", "ok", found)
    return Finding("sqlite", "fail", found, session.terminal.message("doctor_sqlite_next"))


def _home(session: Session) -> Iterator[Finding]:
    say, path = session.terminal.message, session.home.root
    if not path.is_dir():
        found = say("doctor_no_home", path=path)
        yield Finding("home", "warn", found, say("doctor_no_home_next"))
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    found = say("doctor_home", path=path, mode=f"{mode:03o}")
    if not os.access(path, os.W_OK | os.X_OK):
        yield Finding("home", "fail", found, say("doctor_home_write_next"))
    elif mode & 0o077:
        yield Finding("home", "warn", found, say("doctor_home_mode_next", path=path))
    else:
        yield Finding("home", "ok", found)


def _disk(session: Session) -> Finding:
    folder = session.home.root
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free // 1_000_000
    found = session.terminal.message("doctor_disk", free=free)
    if free >= _LITTLE_SPACE_MB:
        return Finding("disk", "ok", found)
    level: Literal["warn", "fail"] = "warn" if free >= _NO_SPACE_MB else "fail"
    return Finding("disk", level, found, session.terminal.message("doctor_disk_next"))


def _config(session: Session) -> list[Finding]:
    """Look at everything that would keep the program from starting with these settings, those of plugins too."""
    from homeagent.app import check, described_plugins

    check(session.config, installed=described_plugins(session.home.root))
    return [Finding("config", "ok", session.terminal.message("doctor_config", path=session.home.config))]


def _model(session: Session) -> list[Finding]:
    """Load the model, or ask the server, in earnest."""
    from homeagent.memory.compute import QueryText

    embedder = session.embedder()
    if session.config.memory.embedder == "none":
        return [Finding("model", "ok", session.terminal.message("doctor_model_none"))]
    embedder.query(QueryText("doctor"))
    return [Finding("model", "ok", session.terminal.message("doctor_model", model=embedder.model_id))]


def _databases(session: Session) -> list[Finding]:
    say = session.terminal.message
    with session.memory() as memory:
        turns = memory.counts().get("turn", 0)
        found = [Finding("databases", "ok", say("doctor_databases", turns=turns)), _policies(session, memory)]
        waiting = sum(memory.pending().values())
    level: Literal["ok", "warn"] = "warn" if waiting else "ok"
    step = say("doctor_pending_next") if waiting else ""
    return [*found, Finding("pending", level, say("doctor_pending", count=waiting), step)]


def _policies(session: Session, memory: Memory) -> Finding:
    say = session.terminal.message
    tools = [str(policy["tool"]) for policy in memory.policies()]
    idle = [name for name in session.config.tools if not any(fnmatchcase(tool, name) for tool in tools)]
    if not idle:
        return Finding("policies", "ok", say("doctor_policies"))
    return Finding("policies", "warn", say("doctor_policies_idle", names=", ".join(idle)), say("doctor_policies_next"))
