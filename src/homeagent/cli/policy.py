"""``homeagent policy``: which policies are in force, changing one, and trying a change out."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal

from homeagent import config
from homeagent.app.applying import policy_text
from homeagent.cli.progress import shown
from homeagent.errors import NotFoundError, PolicyError
from homeagent_sdk import MemoryPolicy, parse_cleaner
from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory import PolicyChange, PolicyInForce

__all__ = ["listed", "set", "test"]

_SHOWN = 160


def listed(session: Session) -> int:
    """List every tool and channel that ever spoke or was declared, with its policy and what it left behind."""
    with session.memory() as memory:
        rows = memory.overrides.in_force()
    plain = [_plain(session, row) for row in rows]
    terminal = session.terminal
    lines = [_line(session, row) for row in rows] or [terminal.message("policies_none")]
    terminal.result({"policies": plain}, lines)
    return 0


def set(session: Session) -> int:  # noqa: A001 - named as the command is
    """Write the owner's policy into the settings and bring the memory in line; say what changed, then derive."""
    name, kind = session.arguments.name, _kind(session)
    policy = _policy(session)
    terminal = session.terminal
    with session.memory() as memory:
        before = memory.overrides.in_force()
        named = session.config.channels if kind == "channel" else session.config.tools
        if policy is None and name not in named and name not in memory.overrides.overridden(kind):
            raise NotFoundError(name, terminal.message("policy_unknown"), terminal.message("policy_unknown_next"))
        if policy is not None or name in named:
            config.change(session.home.config, f"policies.{kind}s.{name}", _written(policy))
        queued = memory.overrides.note({name: policy}, kind=kind)
        session.follow_settings(memory)
        changed = list(_changed(before, memory.overrides.in_force()))
        for was, now in changed:
            terminal.note(_changed_line(session, was, now))
        terminal.note(
            terminal.message("policy_hidden_now", count=queued) if queued else terminal.message("policy_same")
        )
        left = session.settle(memory, whole=True) if queued else sum(memory.pending().values())
    plain = {
        "name": name,
        "kind": kind,
        "policy": _written(policy),
        "changed": [{"before": _plain(session, was), "after": _plain(session, now)} for was, now in changed],
        "queued": queued,
        "pending": left,
    }
    done = terminal.message("policy_waits", count=left) if left else terminal.message("policy_done")
    terminal.result(plain, [done] if queued else [])
    return 0


def test(session: Session) -> int:
    """Say what ``set`` would change of what is computed, and change nothing."""
    name, kind = session.arguments.name, _kind(session)
    policy = _policy(session)
    with session.memory() as memory, shown(session.terminal) as progress:
        told = memory.overrides.trial(
            {name: policy}, kind=kind, progress=lambda done, left: progress("trial", done, done + left)
        )
    plain = {"name": name, "kind": kind, "policy": _written(policy), **dataclasses.asdict(told)}
    session.terminal.result(plain, _trial_lines(told, session.terminal))
    return 0


def _kind(session: Session) -> Literal["tool", "channel"]:
    return "channel" if session.arguments.channel else "tool"


def _policy(session: Session) -> MemoryPolicy | None:
    """Return the policy that the options name, None for ``--unset``. Raises `PolicyError`."""
    arguments = session.arguments
    if arguments.unset:
        return None
    if arguments.cleaner is None:
        return MemoryPolicy(no_memory=arguments.no_memory)
    try:
        return MemoryPolicy(cleaner=parse_cleaner(arguments.cleaner))
    except SdkError as error:
        raise PolicyError("--cleaner", f"{error.where}: {error.problem}", error.next_step) from error


def _written(policy: MemoryPolicy | None) -> str | None:
    """Return a policy as the settings have it."""
    return None if policy is None else policy_text(policy)


def _changed(
    before: Sequence[PolicyInForce], after: Sequence[PolicyInForce]
) -> Iterator[tuple[PolicyInForce, PolicyInForce]]:
    known = {(row.kind, row.name): row for row in before}
    for row in after:
        was = known.get((row.kind, row.name))
        if was is not None and (was.treatment, was.cleaner, was.why) != (row.treatment, row.cleaner, row.why):
            yield was, row


def _origin(session: Session, row: PolicyInForce) -> str:
    named = session.config.channels if row.kind == "channel" else session.config.tools
    return "config" if row.origin == "override" and row.pattern in named else row.origin


def _plain(session: Session, row: PolicyInForce) -> dict[str, object]:
    return dataclasses.asdict(row) | {"origin": _origin(session, row)}


def _treatment(terminal: Terminal, row: PolicyInForce) -> str:
    return terminal.message(f"policy_treatment_{row.treatment}", cleaner=row.cleaner)


def _line(session: Session, row: PolicyInForce) -> str:
    terminal = session.terminal
    return terminal.message(
        "policy_line",
        kind=terminal.message(f"policy_kind_{row.kind}"),
        name=row.name,
        treatment=_treatment(terminal, row),
        origin=terminal.message(f"policy_origin_{_origin(session, row)}", pattern=row.pattern),
        segments=row.segments,
        raw=f"{row.raw:,}",
        computed=f"{row.computed:,}",
    )


def _changed_line(session: Session, was: PolicyInForce, now: PolicyInForce) -> str:
    terminal = session.terminal
    kind = terminal.message(f"policy_kind_{now.kind}")
    before, after = _treatment(terminal, was), _treatment(terminal, now)
    return terminal.message("policy_changed", kind=kind, name=now.name, before=before, after=after)


def _trial_lines(told: PolicyChange, terminal: Terminal) -> Iterator[str]:
    say = terminal.message
    before, after = f"{told.characters_before:,}", f"{told.characters_after:,}"
    yield say("trial_segments", segments=told.segments, before=before, after=after)
    before, after = f"{told.reply_characters_before:,}", f"{told.reply_characters_after:,}"
    yield say("trial_replies", replies=told.replies, before=before, after=after)
    yield say("trial_facts", going=told.facts_going, coming=told.facts_coming)
    for each in told.examples:
        turn, role = each.external_id or each.turn, each.tool or say(f"role_{each.role}")
        decision, reason = say(f"decision_{each.decision}"), terminal.reason(each.reason)
        yield say("trial_example", turn=turn, role=role, decision=decision, reason=reason)
        yield from (f"  {sign} {_short(text)}" for sign, text in (("-", each.before), ("+", each.after)) if text)
    yield say("trial_nothing")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
