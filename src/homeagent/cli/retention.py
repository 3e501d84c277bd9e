"""``homeagent memory retention``: how long outputs that a policy hides are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.cli.session import Session
    from homeagent.memory import Memory
    from homeagent.memory.upkeep.retention import DueOutput

__all__ = ["erase_after", "keep", "run", "show"]


def keep(session: Session) -> int:
    """Set the rule to keep hidden outputs."""
    with session.memory() as memory:
        memory.retention.keep()
        return _shown(session, memory)


def erase_after(session: Session) -> int:
    """Set the rule to erase hidden outputs after some days; show what is due by it. By itself it begins in a day."""
    from homeagent.memory.upkeep.chores import wait_a_day

    with session.memory() as memory:
        memory.retention.erase_after(session.arguments.after_days)
        wait_a_day(memory)
        return _shown(session, memory)


def show(session: Session) -> int:
    """Print the rule, and what it would erase now."""
    with session.memory() as memory:
        return _shown(session, memory)


def _shown(session: Session, memory: Memory) -> int:
    days, due = memory.retention.days, memory.retention.due()
    say = session.terminal.message
    rule = say("retention_keep") if days is None else say("retention_erase", days=days)
    lines = [rule] if days is None else [rule, say("retention_due", count=len(due), bytes=_bytes(due))]
    session.terminal.result({"after_days": days, "due": _objects(due), "bytes": _bytes(due)}, lines)
    return 0


def run(session: Session) -> int:
    """Erase what the rule says, now."""
    with session.memory() as memory:
        done = memory.retention.run()
    line = session.terminal.message("retention_ran", count=len(done), bytes=_bytes(done))
    session.terminal.result({"erased": _objects(done), "bytes": _bytes(done)}, [line])
    return 0


def _objects(outputs: Sequence[DueOutput]) -> list[dict[str, object]]:
    return [
        {
            "turn": each.turn,
            "external_id": each.external_id,
            "segment": each.segment,
            "tool": each.tool,
            "bytes": each.size,
        }
        for each in outputs
    ]


def _bytes(outputs: Sequence[DueOutput]) -> int:
    return sum(each.size for each in outputs)
