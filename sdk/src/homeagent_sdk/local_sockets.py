"""What Landlock does not know of, kept from a confined process by a seccomp filter.

Sockets in the file system, behind which may stand a program with other rights (Docker, a key agent, the desktop), and
those to the host of a virtual machine; a pair of sockets that a process makes for itself, ``socketpair``, stays.
Processes of its own, which could leave its session and outlive it; threads stay. The limits of other processes. Owner,
attributes, mode and dates of files, whose path can't be looked at: the first two are refused, the last two stay as they
are without an error, because whatever copies a file sets them.
"""

from __future__ import annotations

import ctypes
import errno
import os
from typing import Final, NamedTuple

__all__ = ["forbid_local_sockets"]


class _Machine(NamedTuple):
    """How the kernel calls an architecture, and its numbers of calls."""

    architecture: int
    socket: int
    clone: int
    prlimit: int
    forks: tuple[int, ...]
    owners: tuple[int, ...]
    attributes: tuple[int, ...]
    modes: tuple[int, ...]


_MACHINES: Final = {
    "x86_64": _Machine(
        0xC000003E, 41, 56, 302, (57, 58),
        (92, 93, 94, 260), (188, 189, 190, 197, 198, 199, 463, 466), (90, 91, 132, 235, 261, 268, 280, 452),
    ),
    "aarch64": _Machine(
        0xC00000B7, 198, 220, 261, (), (54, 55), (5, 6, 7, 14, 15, 16, 463, 466), (52, 53, 88, 452)
    ),
}  # fmt: skip
_IO_URING: Final = 425  # by it sockets are made without the call that is looked at
_CLONE3: Final = 435  # what it is asked for can't be looked at; without it the C library takes clone
_FOREIGN: Final = 0x40000000  # from here on the numbers of another interface of x86-64
_LOAD, _EQUAL, _FROM, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_CALL, _ARCHITECTURE, _FIRST = 0, 4, 16
_ALLOW: Final = 0x7FFF0000
_DENY: Final = 0x00050000 | errno.EACCES
_UNKNOWN: Final = 0x00050000 | errno.ENOSYS
_NOT_YOURS: Final = 0x00050000 | errno.EPERM
_NOT_HERE: Final = 0x00050000 | errno.ENOTSUP
_DONE: Final = 0x00050000
_LOCAL, _OF_THE_HOST = 1, 40
_THREAD: Final = 0x10000
_MYSELF: Final = 0
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


class _Step(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.POINTER(_Step)))


def forbid_local_sockets(kernel: ctypes.CDLL) -> bool:
    """Let this process make no more sockets of that kind and no processes; return whether the kernel sees to it."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None:
        return False
    found = (  # a jump goes so many steps further than the next one
        _Step(_LOAD, 0, 0, _ARCHITECTURE),
        _Step(_EQUAL, 1, 0, machine.architecture),
        _Step(_RETURN, 0, 0, _DENY),
        _Step(_LOAD, 0, 0, _CALL),
        _Step(_FROM, 0, 1, _FOREIGN),
        _Step(_RETURN, 0, 0, _DENY),
        *(step for call in (_IO_URING, *machine.forks) for step in _never(call, _DENY)),
        *_never(_CLONE3, _UNKNOWN),
        *(step for call in machine.owners for step in _never(call, _NOT_YOURS)),
        *(step for call in machine.attributes for step in _never(call, _NOT_HERE)),
        *(step for call in machine.modes for step in _never(call, _DONE)),
        *_if(machine.clone, _Step(_HAS, 1, 0, _THREAD)),
        *_if(machine.prlimit, _Step(_EQUAL, 1, 0, _MYSELF)),
        *_if(machine.socket, _Step(_EQUAL, 1, 0, _OF_THE_HOST), _Step(_EQUAL, 0, 1, _LOCAL)),
        _Step(_RETURN, 0, 0, _ALLOW),
    )
    steps = (_Step * len(found))(*found)
    kernel.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return int(kernel.prctl(_SECCOMP, _FILTER, ctypes.byref(_Program(len(found), steps)), 0, 0)) == 0


def _never(call: int, answer: int) -> tuple[_Step, ...]:
    return _Step(_EQUAL, 0, 1, call), _Step(_RETURN, 0, 0, answer)


def _if(call: int, *tests: _Step) -> tuple[_Step, ...]:
    """Return the steps that deny a call unless the last test of its first argument jumps over that."""
    return (
        _Step(_EQUAL, 0, len(tests) + 3, call),
        _Step(_LOAD, 0, 0, _FIRST),
        *tests,
        _Step(_RETURN, 0, 0, _DENY),
        _Step(_RETURN, 0, 0, _ALLOW),
    )
