"""A plugin that an installed distribution brings: the distribution is put into the plugin's own environment as it is.

Its files are copied, since the very version that is installed here is what was agreed to; an index may have another
one, or none at all.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from homeagent.plugins.boundary import PluginError

if TYPE_CHECKING:
    from importlib.metadata import Distribution

__all__ = ["copy_distribution", "distribution_stamp", "source_folders"]


def distribution_stamp(name: str) -> str:
    """Return what differs when another version is installed, or the same one again. Raises `PluginError`."""
    dist = _found(name)
    told = f"{dist.version}\n{dist.read_text('RECORD') or ''}\n{dist.read_text('direct_url.json') or ''}"
    return hashlib.sha256(told.encode()).hexdigest()


def copy_distribution(name: str, packages: Path) -> None:
    """Copy the files of an installed distribution into a ``site-packages``. Raises `PluginError`."""
    dist = _found(name)
    files = dist.files
    if files is None:
        step = "Install it with pip or uv, which write down what its files are"
        raise PluginError(f"distribution {name}", "which files belong to it is not known", step)
    try:
        for file in files:
            if file.is_absolute() or ".." in file.parts or "__pycache__" in file.parts:
                continue  # programs and the like: the environment needs what can be imported
            there = Path(str(dist.locate_file(file)))
            here = packages / Path(*file.parts)
            if there.is_file():
                here.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(there, here)
    except OSError as error:
        step = "Free some space or mend the permissions"
        raise PluginError(f"distribution {name}", f"its files can't be copied ({error})", step) from error


def source_folders(name: str) -> tuple[Path, ...]:
    """Return the folder that a distribution is worked on in, where it is installed so that changes there count."""
    try:
        told: object = json.loads(_found(name).read_text("direct_url.json") or "null")
    except ValueError:
        return ()
    match told:
        case {"url": str(url), "dir_info": {"editable": True}}:
            return (Path(unquote(urlsplit(url).path)),)
    return ()


def _found(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        step = "Install it again; its plugin is off until then"
        raise PluginError(f"distribution {name}", "it is not installed", step) from error
