"""The files that belong to the repository: what git tracks, or would track if it were asked now."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from dev.ratchet import ROOT

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["tracked_files"]

_NOT_OURS = frozenset({".git", ".plugin-environments", ".venv", "__pycache__", "build", "dist", "node_modules"})


def tracked_files(*endings: str) -> list[Path]:
    """Return every tracked file, and new ones that are not ignored; with ``endings`` only those (".md").

    In a copy without git, everything that is not obviously made by a tool.
    """
    names = _listed_by_git()
    paths = [ROOT / name for name in names] or [path for path in ROOT.rglob("*") if not _is_made(path)]
    return sorted(path for path in paths if path.is_file() and (not endings or path.suffix in endings))


def _listed_by_git() -> list[str]:
    """Return what git lists; nothing where there is no git, or this is no checkout."""
    git = shutil.which("git")
    if git is None:
        return []
    command = [git, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    return [name.decode() for name in listed.stdout.split(b"\0") if name]


def _is_made(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return bool(_NOT_OURS.intersection(parts)) or any(part.endswith((".egg-info", "_cache")) for part in parts)
