"""Reading a noise set with the pool that belongs in front of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench.toolnoise import NoiseSet

if TYPE_CHECKING:
    from bench.data import Sets

__all__ = ["read_noise_set"]

_PREFIX: Final = "toolnoise_"


def read_noise_set(sets: Sets, name: str) -> NoiseSet:
    """Return a noise set; its pool is that of the plain set of the same name, where the folder has that one."""
    lines = sets.read_noise(name)
    plain = name.removeprefix(_PREFIX)
    if plain not in sets.conversations:
        return NoiseSet(name, lines)
    of_lines = {line.conv for line in lines}
    pools = {each.haystack for each in sets.read(plain) if each.haystack and each.id in of_lines}
    pool = min(pools, default="")
    return NoiseSet(name, lines, sets.read_pool(pool) if pool else ())
