"""What is asked before something is kept: is it there already, and has the home its secret."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from homeagent.errors import InputError, NotFoundError
from homeagent.memory import checks
from homeagent.memory.turn import TurnId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import TurnRow
    from homeagent.memory.turn import Turn

__all__ = [
    "home_secret",
    "kept_already",
    "make_secret",
    "named_turns",
    "new_turn_id",
    "the_one",
    "the_open_turn",
    "the_turn",
]


def kept_already(log: LogStore, turn: Turn) -> TurnId | None:
    """Return the id of the turn that came from the same source under the same name, None when there is none.

    Raises `InputError` when that one says something else.
    """
    if not turn.external_id:
        return None
    found = log.find_external(turn.source, turn.external_id)
    if found is None:
        return None
    if not checks.same_content(turn, found, log.segments(found.seq)):
        raise InputError(
            f"turn {turn.external_id!r} of source {turn.source!r}",
            "is kept already with other content",
            "Give it another id or import it with another --source; what was said is never overwritten",
        )
    return found.turn_id


def the_turn(log: LogStore, name: str, source: str | None) -> TurnRow:
    """Return the one turn with this id or external id. Raises `NotFoundError`, also when several have the name."""
    return the_one(named_turns(log, name, source), name)


def named_turns(log: LogStore, name: str, source: str | None) -> list[TurnRow]:
    """Return the turns with this id or external id. Raises `InputError` for what can be no name."""
    checks.check_name("turn", name)
    checks.check_name("source", source or "")
    return log.find(name, source)


def the_one(found: Sequence[TurnRow], name: str) -> TurnRow:
    """Return the one turn of those with a name. Raises `NotFoundError` where there is none or more than one."""
    if not found:
        raise NotFoundError(f"turn {name!r}", "is not in this home", "Look it up with 'homeagent memory search'")
    if len(found) > 1:
        sources = ", ".join(repr(row.source) for row in found[:5])
        raise NotFoundError(f"turn {name!r}", f"is the external id of several turns, in {sources}", "Name the source")
    return found[0]


def the_open_turn(log: LogStore, turn: TurnId) -> TurnRow:
    """Return a turn that is still open. Raises `InputError` when it is closed, `NotFoundError` when there is none."""
    row = the_turn(log, turn, None)
    if row.closed is not None:
        raise InputError(f"turn {turn}", f"is closed ({row.status}) and can't change", "Open a new turn with begin()")
    return row


def new_turn_id() -> TurnId:
    """Return an id that no other turn has: the moment in milliseconds, and 40 bits of chance."""
    return TurnId(f"t{time.time_ns() // 1_000_000:011x}{secrets.token_hex(5)}")


def make_secret(log: LogStore) -> None:
    """Give a new home its own secret, which salts the hashes of hidden text."""
    with log.transaction():
        if not any(row.kind == "home" for row in log.outcomes()):
            log.add_outcome("home", secrets.token_hex(16))


def home_secret(log: LogStore) -> bytes:
    """Return the home's own secret, made when the home is: it salts the hashes of hidden text."""
    for row in log.outcomes():
        if row.kind == "home":
            return bytes.fromhex(row.payload)
    raise LookupError("the log has no home secret")
