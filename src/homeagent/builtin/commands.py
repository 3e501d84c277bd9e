"""What `shell` and `terminal` have in common: a command that can be passed on, and the folder it runs in."""

from __future__ import annotations

import os
from pathlib import Path

from homeagent.builtin.consent import visible
from homeagent_sdk import ToolError

__all__ = ["check_characters", "running_folder"]


def check_characters(text: str, field: str) -> None:
    """Raise ``ToolError`` about ``field`` when the system could not take this text."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise ToolError(field, "holds half a character", "Write it again") from None
    if "\0" in text:
        raise ToolError(field, "holds a NUL character", "Write it without")


def running_folder(asked: str, usual: str) -> Path:
    """Return the folder to run something in: ``usual``, the person's own if empty, or ``asked``, seen from there.

    Raises ``ToolError`` when there is no such folder.
    """
    check_characters(asked, "folder")
    named = Path(usual or "~") if not asked else Path(asked)
    try:
        folder = Path(usual or "~").expanduser() / named.expanduser()
        folder = folder.resolve(strict=True)
        is_folder = folder.is_dir()
    except (OSError, RuntimeError):  # RuntimeError: the home folder of someone who has none
        is_folder = False
    if not is_folder:
        hint = "Leave it out, or name one that exists"
        raise ToolError("folder", f"there is no folder {visible(str(named))}", hint) from None
    return folder
