"""``homeagent config``: the settings of a home."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from homeagent import config
from homeagent.app import check_change, hidden_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.cli.session import Session

__all__ = ["change", "path", "show", "unset"]


def show(session: Session) -> int:
    """Print every setting in force."""
    plain = hidden_secrets(config.shown(session.config))
    session.terminal.result(plain | {"path": str(session.home.config)}, _flat(plain, ""))
    return 0


def change(session: Session) -> int:
    """Set one setting; policies take effect with the next command that opens the memory."""
    return _changed(session, session.arguments.value, "changed")


def unset(session: Session) -> int:
    """Take one setting out."""
    return _changed(session, None, "unset")


def path(session: Session) -> int:
    """Print where the settings are, also when they can't be read."""
    file = str(session.home.config)
    session.terminal.result({"path": file}, [file])
    return 0


def _changed(session: Session, value: str | None, done: str) -> int:
    key: str = session.arguments.key
    checked = partial(check_change, session.home.root, key)
    found = hidden_secrets(config.shown(config.change(session.home.config, key, value, checked)))
    session.terminal.say(done, key=key, file=session.home.config)
    session.terminal.result(found | {"path": str(session.home.config)}, ())
    return 0


def _flat(value: object, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    else:
        yield f"{name} = {value!r}"
