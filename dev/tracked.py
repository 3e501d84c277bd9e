"""The files that belong to the repository: what git tracks, or would track if it were asked now."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from dev.ratchet import ROOT

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["tracked_files"]

_NOT_OURS = frozenset({".git", ".venv", "__pycache__", "build", "dist", "node_modules"})


def tracked_files(*endings: str) -> list[Path]:
    """Return every tracked file, and new ones that are not ignored; with ``endings`` only those (".md").

    In a copy without git, everything that is not obviously made by a tool.
    """
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        paths = [ROOT / name.decode() for name in listed.stdout.split(b"\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not _is_made(path)]
    return sorted(path for path in paths if path.is_file() and (not endings or path.suffix in endings))


def _is_made(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return bool(_NOT_OURS.intersection(parts)) or any(part.endswith((".egg-info", "_cache")) for part in parts)
