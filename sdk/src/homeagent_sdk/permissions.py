"""What a plugin may ask to do outside of its own folder: ``net:host``, ``read:path``, ``write:path``, ``exec``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from homeagent_sdk.errors import Problem

__all__ = ["PERMISSION_STEP", "Permission", "read_permission"]

PERMISSION_STEP: Final = (
    'Write "net:api.example.com", "net:*.example.com:443", "net:*", "read:~/Music", "write:~/Music", "exec"'
)
"""How a permission is written."""

_LABEL: Final = r"[A-Za-z0-9_][A-Za-z0-9_-]{0,62}"
_HOST: Final = re.compile(rf"\*|(?:(?:\*\.)?(?:{_LABEL}\.)*{_LABEL}|\[[0-9A-Fa-f:.]+\])(?::[0-9]{{1,5}})?")


@dataclass(frozen=True, slots=True, order=True)
class Permission:
    """One permission. ``of`` is empty for ``exec``, an absolute path for ``read`` and ``write``.

    For ``net`` it is a host, every host below a domain as ``*.example.org``, or an IPv6 address in brackets, each
    perhaps with a port; or ``*``, the whole network.
    """

    kind: Literal["net", "read", "write", "exec"]
    of: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.of}" if self.of else self.kind


def read_permission(text: object) -> Permission | Problem:
    """Return the permission that a line of a manifest asks for, or what is wrong with the line."""
    kind, _, of = text.partition(":") if isinstance(text, str) else ("", "", "")
    match kind:
        case "exec" if not of:
            return Permission("exec")
        case "net" if _HOST.fullmatch(of):
            return Permission("net", of.lower())
        case "read" | "write" if of and Path(of).expanduser().is_absolute():
            return Permission("read" if kind == "read" else "write", str(Path(of).expanduser()))
        case "read" | "write":
            return Problem("permissions", f"{text!r} names no absolute path", PERMISSION_STEP)
        case _:
            return Problem("permissions", f"{text!r} is no permission", PERMISSION_STEP)
