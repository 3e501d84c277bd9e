"""``homeagent memory secrets``: where raw holds passwords, keys and numbers of a known shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent.cli.session import Session
    from homeagent.memory.handing import Exposed

__all__ = ["secrets"]


def secrets(session: Session) -> int:
    """List each secret masked, with the commands that would take it out."""
    with session.memory() as memory:
        found = list(memory.forgetting.secrets())
    say = session.terminal.message
    lines = [
        say(
            "secret_line",
            kind=each.kind,
            masked=each.masked,
            name=each.external_id or each.turn,
            segment=each.segment,
        )
        for each in found
    ]
    plain = {"secrets": [_object(each) for each in found]}
    session.terminal.result(plain, [*lines, say("secrets_next")] if found else [say("secrets_none")])
    return 0


def _object(each: Exposed) -> dict[str, object]:
    return {
        "turn": each.turn,
        "external_id": each.external_id,
        "segment": each.segment,
        "tool": each.tool,
        "kind": each.kind,
        "masked": each.masked,
        "erase": f"homeagent memory erase {each.turn}",
        "hide": f"homeagent config set policies.tools.{each.tool} no_memory" if each.tool else None,
    }
