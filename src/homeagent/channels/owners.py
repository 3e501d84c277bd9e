"""The owner's ids as the settings name them, linked to him in the identity map, and taken back when they are gone."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from homeagent.errors import HomeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from homeagent.channels.exchange import Past
    from homeagent.config import ChannelOptions

__all__ = ["link_owners", "running_alone"]

_FILE: Final = "owners.json"


def link_owners(past: Past, options: Mapping[str, ChannelOptions], folder: Path) -> None:
    """Link the owner's ids; those that the settings named before and name no more are unlinked. Raises `HomeError`.

    What was linked in another way stays as it is.
    """
    path = folder / _FILE
    wanted = {(channel, sender) for channel, each in options.items() for sender in each.owners}
    before = _read(path)
    for channel, sender in sorted(wanted):
        if not past.is_owner(channel, sender):
            past.set_owner(channel, sender, linked=True)
    for channel, sender in sorted(before - wanted):
        if past.is_owner(channel, sender):
            past.set_owner(channel, sender, linked=False)
    if wanted != before:
        try:
            path.touch(mode=0o600)
            path.write_text(json.dumps(sorted(wanted), ensure_ascii=False), "utf-8")
        except OSError as error:
            raise HomeError(str(path), f"can't be written ({error.strerror})", "Mend its permissions") from error


@contextmanager
def running_alone(folder: Path) -> Iterator[None]:
    """Hold the channels of a home for the block. Raises `HomeError` when another process has them."""
    descriptor = os.open(folder / "running.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            step = "End that process, or leave the channels to it"
            raise HomeError(str(folder), "another process runs the channels of this home", step) from None
        yield
    finally:
        os.close(descriptor)


def _read(path: Path) -> set[tuple[str, str]]:
    try:
        found: object = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return set()
    pairs = found if isinstance(found, list) else []
    return {(str(each[0]), str(each[1])) for each in pairs if isinstance(each, list) and len(each) == len(("c", "s"))}
