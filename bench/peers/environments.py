"""An environment of its own for each peer, made with pip once and used again."""

from __future__ import annotations

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.peers.process import PeerError
from bench.progress import say

__all__ = ["OURSELVES", "PEERS", "Package", "python_of"]

_SECONDS: Final = 1800
_DONE: Final = "installed"
_TOLD: Final = 600


@dataclass(frozen=True, slots=True)
class Package:
    """A peer: what pip installs, and the module that drives it. Nothing to install: it runs in this environment."""

    name: str
    requirements: tuple[str, ...]
    driver: str


OURSELVES: Final = Package("homeagent", (), "bench.peers.drivers.drive_homeagent")
"""This memory, for comparison on the same terms."""

PEERS: Final = (
    OURSELVES,
    Package("mempalace", ("mempalace",), "bench.peers.drivers.drive_mempalace"),
    Package("mem0", ("mem0ai",), "bench.peers.drivers.drive_mem0"),
    Package("langgraph", ("langgraph", "langgraph-checkpoint-sqlite", "numpy"), "bench.peers.drivers.drive_langgraph"),
    Package("chroma", ("chromadb",), "bench.peers.drivers.drive_chroma"),
    Package("bm25s", ("bm25s",), "bench.peers.drivers.drive_bm25s"),
)
"""Who is measured, the others by the registry's newest release."""


def python_of(package: Package, environments: Path) -> Path:
    """Return the Python that the peer is installed in. Raises `PeerError` with what pip said when it can't be."""
    if not package.requirements:
        return Path(sys.executable)
    folder = environments / package.name
    python = folder / "bin" / "python"
    mark = folder / _DONE
    if mark.is_file() and mark.read_text() == "\n".join(package.requirements):
        return python
    say(f"{package.name}: installing {', '.join(package.requirements)}")
    venv.create(folder, with_pip=True, clear=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *package.requirements]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise PeerError(f"pip install was not done after {_SECONDS} s") from None
    if done.returncode:
        raise PeerError(f"pip install failed: {done.stderr.strip()[-_TOLD:]}")
    mark.write_text("\n".join(package.requirements))
    return python
