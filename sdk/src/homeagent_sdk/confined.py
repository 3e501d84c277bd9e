"""``python -m homeagent_sdk.confined LIMITS -m MODULE ARGUMENT...``: run a module that may do no more than ``LIMITS``.

Linux only: files, programs, signals and traces by Landlock, sockets in the file system by seccomp, the network by an
empty network namespace, out of which the one way is a proxy of the core (`forwarded`), where it offers one. What the
kernel does not have is left out; ``python -m homeagent_sdk.confined`` alone prints what it has, as JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import runpy
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from homeagent_sdk.local_sockets import forbid_local_sockets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["PROXY_VARIABLE", "Limits", "confine", "main"]

PROXY_VARIABLE: Final = "HOMEAGENT_PROXY_FD"
"""The variable with the descriptor that a listener is handed to the core through."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture Python is run on
_VERSION_FLAG: Final = 1
_PATH_BENEATH: Final = 1
_NO_NEW_PRIVILEGES: Final = 38
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_EXECUTE: Final = 1 << 0
_READ: Final = 1 << 2 | 1 << 3
_OF_FILES: Final = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_ACCESS_BITS: Final = ((1, 13), (2, 14), (3, 15), (5, 16))
"""How many kinds of access a version of Landlock knows, from that version on."""
_SCOPES: Final = 1 << 0 | 1 << 1  # abstract sockets and signals of others, from version 6 on


class Limits(NamedTuple):
    """What may be done: folders and files to read, to write (and read), to run programs from; the network or none."""

    read: tuple[str, ...]
    write: tuple[str, ...]
    run: tuple[str, ...]
    net: bool

    def as_text(self) -> str:
        """Return them as one argument of a command."""
        return json.dumps(self._asdict())

    @classmethod
    def of_text(cls, text: str) -> Limits:
        """Read what `as_text` wrote. Raises ``ValueError``."""
        match json.loads(text):
            case {"read": [*read], "write": [*write], "run": [*run], "net": bool(net)}:
                return cls(tuple(map(str, read)), tuple(map(str, write)), tuple(map(str, run)), net)
        raise ValueError("these are no limits")


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathAttributes(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def confine(limits: Limits) -> tuple[str, ...]:
    """Confine this process and what it starts, for good; return what is enforced: ``net``, ``files``, ``sockets``.

    A process that may run programs may also use their sockets in the file system.
    """
    if sys.platform != "linux":
        return ()
    enforced = []
    kernel = ctypes.CDLL(None, use_errno=True)
    proxy = os.environ.pop(PROXY_VARIABLE, "")
    if not limits.net and _without_network(kernel):
        enforced.append("net")
        if proxy:
            from homeagent_sdk.forwarded import hand_over, raise_loopback  # late: cleaners are started often

            raise_loopback()
            hand_over(int(proxy))
    elif proxy:
        os.close(int(proxy))  # the network is open here: nobody asks for a way out
    if _without_files(kernel, limits):
        enforced.append("files")
    if not limits.run and forbid_local_sockets(kernel):
        enforced.append("sockets")
    return tuple(enforced)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code, unless the module that it runs ends the process."""
    arguments = sys.argv[1:] if arguments is None else arguments
    match arguments:
        case []:
            print(json.dumps(confine(Limits(("/",), ("/",), (), net=False))))  # noqa: T201
            return 0
        case [limits, "-m", module, *rest]:
            confine(Limits.of_text(limits))
            sys.argv = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
            return 0
    print("usage: python -m homeagent_sdk.confined LIMITS -m MODULE ARGUMENT...", file=sys.stderr)  # noqa: T201
    return 2


def _without_network(kernel: ctypes.CDLL) -> bool:
    """Go into an empty network namespace, as root directly, else by a user namespace in which we stay who we are."""
    if os.getuid() == 0 and kernel.unshare(_NEW_NET) == 0:
        return True
    user, group = os.getuid(), os.getgid()
    if kernel.unshare(_NEW_USER | _NEW_NET):
        return False
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        try:
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - pathlib would be one more import
                file.write(text)
        except OSError:
            continue
    return True


def _without_files(kernel: ctypes.CDLL, limits: Limits) -> bool:
    version = kernel.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    if version < 1:
        return False
    every = (1 << max(bits for since, bits in _ACCESS_BITS if since <= version)) - 1
    attributes = _RulesetAttributes(every, 0, _SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = kernel.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    _allow(kernel, ruleset, limits.read, _READ & every)
    _allow(kernel, ruleset, limits.write, every & ~_EXECUTE)
    _allow(kernel, ruleset, limits.run, (_READ | _EXECUTE) & every)
    kernel.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    done = int(kernel.syscall(_RESTRICT_SELF, ruleset, 0)) == 0
    os.close(ruleset)
    return done


def _allow(kernel: ctypes.CDLL, ruleset: int, paths: Iterable[str], access: int) -> None:
    for path in paths:
        try:
            folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what is not there can't be used either
        allowed = access if os.path.isdir(path) else access & _OF_FILES  # noqa: PTH112 - pathlib is one more import
        rule = _PathAttributes(allowed, folder)
        kernel.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
        os.close(folder)


if __name__ == "__main__":
    sys.exit(main())
