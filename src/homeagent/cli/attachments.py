"""Files that go with a message: read whole, their kind told by their names."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent.errors import InputError
from homeagent.memory import Attachment

if TYPE_CHECKING:
    from homeagent.cli.terminal import Terminal

__all__ = ["attachment"]

_MOST_MEGABYTES: Final = 64


def attachment(name: str, terminal: Terminal) -> Attachment:
    """Return a file as an attachment. Raises `InputError` when there is none, or it is too large."""
    path = Path(name).expanduser()
    step = terminal.message("attach_next")
    try:
        if path.is_dir():
            raise InputError(str(path), terminal.message("attach_folder"), step)
        if path.stat().st_size > _MOST_MEGABYTES * 1_000_000:
            raise InputError(str(path), terminal.message("attach_large", most=_MOST_MEGABYTES), step)
        data = path.read_bytes()
    except OSError as error:
        raise InputError(str(path), error.strerror or str(error), step) from error
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Attachment(kind, data, path.name)
