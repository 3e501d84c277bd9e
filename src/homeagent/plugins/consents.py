"""What the owner has agreed to of every plugin: a private file of the home, written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

from homeagent.plugins.boundary import PluginError
from homeagent.plugins.consent import Consent

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Consents"]

_FILE: Final = "consents.json"
_PRIVATE: Final = 0o600


class Consents:
    """The consents of the home in ``root``. Methods raise `PluginError` when the file can't be read or written."""

    def __init__(self, root: Path, file: str = _FILE) -> None:
        self._path = root / file

    def all(self) -> dict[str, Consent]:
        """Return every consent, by the plugin's name."""
        try:
            read: object = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._unreadable(str(error)) from error
        if not isinstance(read, dict):
            raise self._unreadable("it holds no object")
        return {str(name): self._consent(str(name), value) for name, value in read.items()}

    def give(self, plugin: str, consent: Consent) -> None:
        """Agree to a plugin, in place of what was agreed to before."""
        self._write({**self.all(), plugin: consent})

    def switch(self, plugin: str, *, on: bool) -> None:
        """Turn a plugin that was agreed to on or off."""
        found = self.all()
        if plugin in found:
            self._write({**found, plugin: replace(found[plugin], on=on)})

    def take_back(self, plugin: str) -> None:
        """Forget what was agreed to of a plugin; harmless when it was nothing."""
        found = self.all()
        if found.pop(plugin, None) is not None:
            self._write(found)

    def _consent(self, name: str, value: object) -> Consent:
        match value:
            case {
                "version": str(version),
                "on": bool(on),
                "tools": dict(tools),
                "permissions": [*permissions],
                "dependencies": [*dependencies],
            }:
                agreed = {str(tool): str(treatment) for tool, treatment in tools.items()}
                return Consent(version, on, agreed, tuple(map(str, permissions)), tuple(map(str, dependencies)))
        raise self._unreadable(f"what it says of {name!r} is incomplete")

    def _unreadable(self, problem: str) -> PluginError:
        step = "Move the file away: what was agreed to is then off until you agree again"
        return PluginError(str(self._path), f"can't be read ({problem})", step)

    def _write(self, consents: Mapping[str, Consent]) -> None:
        part = self._path.with_name(f".{self._path.name}.{secrets.token_hex(4)}.part")
        text = json.dumps({name: asdict(each) for name, each in consents.items()}, ensure_ascii=False, indent=1)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE), "w", encoding="utf-8") as file:  # noqa: PTH123
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._path)
        except OSError as error:
            step = "Free some space or mend the permissions; nothing was changed"
            raise PluginError(str(self._path), f"can't be written ({error.strerror or error})", step) from error
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
