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
    from homeagent_sdk.permissions import Permission

__all__ = ["cleaning_limits", "enforceable", "enforced_of", "limits_of"]

_SYSTEM: Final = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/dev/urandom", "/dev/random")
_OF_PROC: Final = ("cpuinfo", "loadavg", "meminfo", "self", "stat", "sys", "uptime", "version")  # never others' folders
_OF_SYS: Final = (
    "devices/system/cpu",
    "fs/cgroup",
    "kernel/mm/transparent_hugepage",
)  # its size
_OF_ETC: Final = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "alternatives"),  # what programs are linked with
    *("localtime", "timezone", "locale.alias", "locale.conf", "mime.types", "fonts", "os-release", "lsb-release"),
    *("host.conf", "hosts", "hostname", "nsswitch.conf", "gai.conf", "resolv.conf", "services", "protocols"),
    *("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "ssl/ca-bundle.pem", "ca-certificates", "ca-certificates.conf"),
    *("pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf", "crypto-policies"),
)
"""What Python and its libraries look up: the certificates of others but no key, names of hosts but none of users."""
_FOR_PROGRAMS: Final = ("passwd", "group", "shells", "terminfo", "inputrc", "bash.bashrc")
"""What programs that a plugin may run look up besides."""
_RESOLVING: Final = ("/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager")
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full")
_PROGRAMS: Final = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt")
_SECONDS: Final = 20


def limits_of(permissions: tuple[Permission, ...], *, read: tuple[Path, ...], write: tuple[Path, ...]) -> Limits:
    """Return what a process may do with these permissions, and with folders of its own to ``read`` and ``write``.

    What Python needs of the system, and the SDK, may be read; nothing else of the machine or of a person may. The
    network is left to it only where it may have all of it.
    """
    named = {kind: tuple(each.of for each in permissions if each.kind == kind) for kind in ("net", "read", "write")}
    resolving = _RESOLVING if named["net"] else ()
    may_run = any(each.kind == "exec" for each in permissions)
    programs = tuple(f"/etc/{name}" for name in _FOR_PROGRAMS) if may_run else ()
    return Limits(
        (*_readable(read), *programs, *resolving, *named["read"]),
        (*_DEVICES, *map(str, write), *named["write"]),
        (*_PROGRAMS, *_python(), *map(str, read)) if may_run else (),
        net="*" in named["net"],
    )


def cleaning_limits(read: tuple[Path, ...]) -> Limits:
    """Return what a process with cleaners may do: read their code, and nothing else of what is permitted."""
    return Limits(_readable(read), _DEVICES, (), net=False)


def _readable(own: tuple[Path, ...]) -> tuple[str, ...]:
    folders = (("/proc", _OF_PROC), ("/sys", _OF_SYS), ("/etc", _OF_ETC))
    known = (f"{folder}/{name}" for folder, names in folders for name in names)
    return (*_SYSTEM, *known, *_python(), *map(str, own))


def _python() -> tuple[str, ...]:
    """Return where Python and the SDK lie; not the environment of this program, which no plugin has a part in."""
    own = str(Path(homeagent_sdk.__file__).resolve().parent)
    found = {sys.base_prefix, sys.base_exec_prefix, sysconfig.get_path("stdlib")}
    return (own, *sorted(found - {"/"}))


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


def enforced_of(permissions: tuple[Permission, ...]) -> dict[str, str]:
    """Return for ``net`` and ``files`` whether a plugin's limits are ``enforced`` here or only ``declared``.

    For ``net`` it may also be ``hosts``, held to those it names (``declared_hosts`` where that is not enforced), or
    ``open``, the whole network.
    """
    able = enforceable()
    found = {kind: "enforced" if kind in able else "declared" for kind in ("net", "files")}
    hosts = [each.of for each in permissions if each.kind == "net"]
    if "*" in hosts:
        found["net"] = "open"
    elif hosts:
        found["net"] = "hosts" if "net" in able else "declared_hosts"
    return found
