"""Putting a plugin's files into a home, and taking them out again. What is in the home is what was agreed to."""

from __future__ import annotations

import contextlib
import errno
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.plugins.boundary import PluginError
from homeagent.plugins.shelf import CODE, FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from homeagent_sdk.manifest import Description
    from homeagent_sdk.manifest_source import PluginSource

__all__ = ["put_back_unless_good", "put_in", "take_out"]

_LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*", "*.pyc")


def put_in(root: Path, source: PluginSource, told: Description) -> Path:
    """Copy a plugin into the home in ``root`` in place of what was there of it; return the folder of its files.

    A failure leaves what was there. Raises `PluginError`.
    """
    home = root / FOLDER / told.name
    code = home / CODE
    part = home / f".{CODE}.{secrets.token_hex(4)}"
    old = part.with_suffix(".old")
    try:
        (root / FOLDER).mkdir(parents=True, exist_ok=True, mode=0o700)
        home.mkdir(exist_ok=True, mode=0o700)
        if source.path.is_file():
            part.mkdir()
            shutil.copyfile(source.path, part / f"{told.module}.py")
        else:
            _copy(source.path, part)
        if code.exists():
            code.rename(old)
        part.rename(code)
    except (OSError, shutil.Error) as error:
        if old.exists() and not code.exists():
            old.rename(code)
        problem = f"its files can't be copied ({error})"
        raise PluginError(f"plugin {told.name!r}", problem, "Free some space or mend the permissions") from error
    finally:
        for left in (part, old):
            shutil.rmtree(left, ignore_errors=True)
    return code


def _copy(source: Path, part: Path) -> None:
    """Copy a folder as it is now. What another program takes away meanwhile, a cache for one, is not part of it."""
    try:
        shutil.copytree(source, part, ignore=_LEFT_OUT)
    except shutil.Error as error:
        gone = f"[Errno {errno.ENOENT}]"
        if any(gone not in why or Path(name).is_symlink() for name, _, why in error.args[0]):
            raise


@contextlib.contextmanager
def put_back_unless_good(root: Path, name: str) -> Iterator[Callable[[], None]]:
    """Put the files that a plugin has now back at the end, unless what this gives was called: the new ones are good."""
    code = root / FOLDER / name / CODE
    before = code.with_name(f".before.{secrets.token_hex(4)}")
    good = False

    def keep() -> None:
        nonlocal good
        good = True

    if code.is_dir():
        shutil.copytree(code, before)
    try:
        yield keep
    finally:
        if not good and before.is_dir():
            shutil.rmtree(code, ignore_errors=True)
            before.rename(code)
        elif not good:
            shutil.rmtree(code.parent, ignore_errors=True)
        shutil.rmtree(before, ignore_errors=True)


def take_out(root: Path, name: str) -> bool:
    """Delete a plugin's files from the home, not its data; return whether there were any. Raises `PluginError`."""
    home = root / FOLDER / name
    if not (root / FOLDER).is_dir() or home not in (root / FOLDER).iterdir():  # the name may be any text
        return False
    try:
        shutil.rmtree(home)
    except OSError as error:
        raise PluginError(str(home), f"can't be deleted ({error.strerror})", "Mend the permissions") from error
    return True
