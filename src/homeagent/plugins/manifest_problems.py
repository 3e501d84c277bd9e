"""What is wrong with a manifest: every problem at once, each with its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.plugins.boundary import PluginError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent_sdk import Problem

__all__ = ["ManifestError"]


class ManifestError(PluginError):
    """A manifest can't be used; ``problems`` holds one `Problem` for each key that is wrong."""

    def __init__(self, where: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        told = "; ".join(": ".join(filter(None, (each.field, each.reason))) for each in self.problems)
        super().__init__(where, told, ". ".join(dict.fromkeys(each.hint for each in self.problems if each.hint)))
