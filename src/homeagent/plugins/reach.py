"""Which hosts a plugin may reach: ``net:HOST``, ``net:HOST:PORT``, ``net:*.DOMAIN``, matched for each connection."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent_sdk.permissions import Permission

__all__ = ["Refused", "Rule", "Target", "reach"]

_LOCAL = frozenset({"localhost", "localhost.localdomain", "ip6-localhost"})


class Refused(Exception):  # noqa: N818 - it is an answer
    """A plugin may not reach a host; the text names the host and the permission to ask for."""


class Target(NamedTuple):
    """A host, small letters and without brackets, and a port."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> Target:
        """Read ``HOST:PORT``; an IPv6 address stands in brackets. Raises ``ValueError``."""
        host, _, port = text.rpartition(":")
        if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
            raise ValueError(f"{text!r} is no host and port")
        return cls.at(host, int(port))

    @classmethod
    def at(cls, host: str, port: int) -> Target:
        """Return a host and a port however the host was written."""
        return cls(host.strip("[]").rstrip(".").lower(), port)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Rule(NamedTuple):
    """One host that may be reached: exactly, or every name below it; with a port, or 0 for every one."""

    host: str
    port: int
    below: bool

    @classmethod
    def of(cls, text: str) -> Rule:
        """Read what stands behind ``net:``."""
        host, port = text, 0
        name, colon, number = text.rpartition(":")
        if colon and number.isdigit() and (":" not in name or name.endswith("]")):
            host, port = name, int(number)
        host = host.strip("[]").rstrip(".").lower()
        return cls(host.removeprefix("*."), port, host.startswith("*."))

    def matches(self, target: Target) -> bool:
        """Whether a target is this host."""
        host = target.host.rstrip(".").lower()
        same = host.endswith(f".{self.host}") if self.below else host == self.host
        return same and self.port in (0, target.port)

    def passed(self, target: Target, addresses: Sequence[str]) -> tuple[str, ...]:
        """Return the addresses of a name that may be connected to. Raises `Refused` when none is left.

        A name of the outside may not lead to this very machine or to its link: only one that says so itself may.
        """
        if self.host in _LOCAL or self.host.endswith(".localhost") or _is_address(self.host):
            return tuple(addresses)
        passed = tuple(each for each in addresses if not _is_here(each))
        if addresses and not passed:
            here = Target(addresses[0], target.port)
            told = f"{target} leads to {here.host}, this very machine; ask for net:{here} in its manifest"
            raise Refused(told)
        return passed


def reach(permissions: Sequence[Permission], target: Target) -> Rule:
    """Return the rule by which a target may be reached. Raises `Refused` when there is none."""
    for rule in (Rule.of(each.of) for each in permissions if each.kind == "net"):
        if rule.matches(target):
            return rule
    told = f"{target} is not among this plugin's permissions; ask for net:{target} in its manifest"
    raise Refused(told)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_here(address: str) -> bool:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return True
    inner = getattr(found, "ipv4_mapped", None) or found
    return bool(inner.is_loopback or inner.is_link_local or inner.is_unspecified or inner.is_multicast)
