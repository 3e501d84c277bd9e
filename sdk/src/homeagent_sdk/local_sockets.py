"""No sockets in the file system for a confined process: Landlock does not know them, so a seccomp filter has to.

Behind such a socket may stand a program with other rights (Docker, a key agent, the desktop). A pair of sockets that a
process makes for itself, ``socketpair``, stays.
"""

from __future__ import annotations

import ctypes
import errno
import os
from typing import Final

__all__ = ["forbid_local_sockets"]

_MACHINES: Final = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""By machine: how the kernel calls its architecture, and the number of ``socket`` there."""
_IO_URING: Final = 425  # by it sockets are made without the call that is looked at
_FOREIGN: Final = 0x40000000  # from here on the numbers of another interface of x86-64
_LOAD, _EQUAL, _FROM, _RETURN = 0x20, 0x15, 0x35, 0x06
_CALL, _ARCHITECTURE, _FAMILY = 0, 4, 16
_ALLOW: Final = 0x7FFF0000
_DENY: Final = 0x00050000 | errno.EACCES
_LOCAL: Final = 1
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


class _Step(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.POINTER(_Step)))


def forbid_local_sockets(kernel: ctypes.CDLL) -> bool:
    """Let this process and what it starts make no more sockets of that kind; return whether the kernel sees to it."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None:
        return False
    architecture, make_socket = machine
    found = (  # a jump goes so many steps further than the next one
        _Step(_LOAD, 0, 0, _ARCHITECTURE),
        _Step(_EQUAL, 0, 6, architecture),
        _Step(_LOAD, 0, 0, _CALL),
        _Step(_FROM, 4, 0, _FOREIGN),
        _Step(_EQUAL, 3, 0, _IO_URING),
        _Step(_EQUAL, 0, 3, make_socket),
        _Step(_LOAD, 0, 0, _FAMILY),
        _Step(_EQUAL, 0, 1, _LOCAL),
        _Step(_RETURN, 0, 0, _DENY),
        _Step(_RETURN, 0, 0, _ALLOW),
    )
    steps = (_Step * len(found))(*found)
    kernel.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return int(kernel.prctl(_SECCOMP, _FILTER, ctypes.byref(_Program(len(found), steps)), 0, 0)) == 0
