"""From a plugin's permissions to what its process may do, and what of that this machine can enforce."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Final

import homeagent_sdk
from homeagent_sdk.confined import Limits

if TYPE_CHECKING:
    from homeagent.plugins.permissions import Permission

__all__ = ["enforceable", "limits_of"]

_SYSTEM: Final = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc", "/sys", "/dev/urandom", "/dev/random")
_OF_PROC: Final = ("cpuinfo", "loadavg", "meminfo", "self", "stat", "sys", "uptime", "version")  # never others' folders
_RESOLVING: Final = ("/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager")
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full")
_PROGRAMS: Final = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt")
_SECONDS: Final = 20


def limits_of(permissions: tuple[Permission, ...], *, read: tuple[Path, ...], write: tuple[Path, ...]) -> Limits:
    """Return what a process may do with these permissions, and with folders of its own to ``read`` and ``write``.

    The system, Python and the SDK may be read; nothing else of a person's files may.
    """
    python = {sys.base_prefix, sys.base_exec_prefix, sysconfig.get_path("stdlib"), *sysconfig.get_paths().values()}
    own = (str(Path(homeagent_sdk.__file__).resolve().parent), *map(str, read))
    named = {kind: tuple(each.of for each in permissions if each.kind == kind) for kind in ("net", "read", "write")}
    resolving = _RESOLVING if named["net"] else ()
    may_run = any(each.kind == "exec" for each in permissions)
    return Limits(
        (*_SYSTEM, *(f"/proc/{name}" for name in _OF_PROC), *sorted(python), *own, *resolving, *named["read"]),
        (*_DEVICES, *map(str, write), *named["write"]),
        (*_PROGRAMS, *sorted(python), *own) if may_run else (),
        net=bool(named["net"]),
    )


@functools.cache
def enforceable() -> tuple[str, ...]:
    """Return what this machine can enforce: ``net``, ``files`` (with programs and signals). It is tried out, once."""
    command = [sys.executable, "-m", "homeagent_sdk.confined"]
    variables = {"PYTHONPATH": str(Path(homeagent_sdk.__file__).resolve().parent.parent)}
    try:
        done = subprocess.run(command, env=variables, capture_output=True, check=True, timeout=_SECONDS)
        found: object = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return ()
    return tuple(map(str, found)) if isinstance(found, list) else ()
