"""``homeagent memory commit``, ``edit``, ``merge``, ``unmerge`` and ``purge``: facts written on purpose, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.cli.facts import read_all
from homeagent.errors import InputError

if TYPE_CHECKING:
    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory.distil.merging import Suggestion

__all__ = ["commit", "edit", "merge", "purge", "unmerge"]


def commit(session: Session) -> int:
    """Write a fact; print its id."""
    arguments, terminal = session.arguments, session.terminal
    with session.memory() as memory:
        read_all(memory, terminal)
        fact = memory.graph.commit_fact(arguments.subject, arguments.relation, arguments.value)
    terminal.result({"fact": fact}, [terminal.message("fact_written", fact=fact)])
    return 0


def edit(session: Session) -> int:
    """Say that a fact is wrong, and what is right; print the id of that."""
    arguments, terminal = session.arguments, session.terminal
    with session.memory() as memory:
        read_all(memory, terminal)
        made = memory.graph.edit_fact(arguments.fact, arguments.value)
    key = "fact_edited" if made is not None else "fact_taken_back"
    lines = [terminal.message(key, fact=arguments.fact, made=made)]
    terminal.result({"wrong": arguments.fact, "fact": made}, lines)
    return 0


def merge(session: Session) -> int:
    """Say that two are one and print the number that takes it back; without names, print what may be one."""
    arguments, terminal = session.arguments, session.terminal
    with session.memory() as memory:
        read_all(memory, terminal)
        if arguments.into is None:
            _suggest(memory.graph.suggestions(), terminal)
            return 0
        if arguments.other is None:
            step = terminal.message("merge_one_name_next")
            raise InputError("memory merge", terminal.message("merge_one_name"), step)
        event = memory.graph.merge_entities(arguments.into, arguments.other)
    terminal.result({"merge": event}, [terminal.message("merged", event=event)])
    return 0


def unmerge(session: Session) -> int:
    """Take a merge back."""
    terminal = session.terminal
    with session.memory() as memory:
        memory.graph.unmerge(session.arguments.merge)
    terminal.result({"unmerged": session.arguments.merge}, [terminal.message("unmerged")])
    return 0


def purge(session: Session) -> int:
    """Forget a fact with every turn that says it, or bring it back; print the turns."""
    from homeagent.memory.erasing.targets import Target

    arguments, terminal = session.arguments, session.terminal
    target = Target(fact=arguments.fact)
    with session.memory() as memory:
        read_all(memory, terminal)
        chosen = memory.forgetting.undo(target) if arguments.undo else memory.forgetting.forget(target)
    turns = [row.turn_id for row in chosen.turns]
    key = "purge_undone" if arguments.undo else "purged"
    plain = {"restored" if arguments.undo else "forgotten": turns, "fact": arguments.fact}
    terminal.result(plain, [terminal.message(key, fact=arguments.fact, count=len(turns))])
    return 0


def _suggest(found: list[Suggestion], terminal: Terminal) -> None:
    plain = [
        {"into": each.into, "other": each.other, "names": [each.into_name, each.other_name], "why": each.why}
        | {"score": each.score}
        for each in found
    ]
    lines = [
        terminal.message(
            "suggestion",
            into=each.into_name,
            into_id=each.into,
            other=each.other_name,
            other_id=each.other,
            why=terminal.message(f"why_{each.why.replace(' ', '_')}"),
            score=f"{each.score:.1f}",
        )
        for each in found
    ]
    terminal.result({"suggestions": plain}, lines or [terminal.message("no_suggestions")])
