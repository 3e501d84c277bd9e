"""What a package needs, of what is installed here, and links to it: an environment with nothing else, made at once."""

from __future__ import annotations

import contextlib
from importlib import metadata
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["closure", "link_packages"]


def closure(needed: Iterable[str]) -> list[metadata.Distribution]:
    """Return the distributions that these requirements ask for and all that those ask for, by name.

    One that is not installed is left out: it is asked for on another system only.
    """
    found: dict[str, metadata.Distribution] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [Requirement(each) for each in needed]
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        for extra in ("", *wanted.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            try:
                found.setdefault(name, metadata.distribution(name))
            except metadata.PackageNotFoundError:
                continue
            each = [Requirement(line) for line in found[name].requires or ()]
            waiting += [one for one in each if one.marker is None or one.marker.evaluate({"extra": extra})]
    return [found[each] for each in sorted(found)]


def link_packages(distributions: Iterable[metadata.Distribution], folder: Path) -> None:
    """Let a folder of packages hold these ones, as links to where they are installed."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in distributions:
        tops = {file.parts[0] for file in each.files or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            with contextlib.suppress(FileExistsError):
                (folder / top).symlink_to(str(each.locate_file(top)))
