"""What the owner has agreed to of one plugin, and what of it is new since."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from homeagent.plugins.declaration import Manifest, ToolDeclaration
    from homeagent.plugins.outline import ToolOutline
    from homeagent_sdk import MemoryPolicy
    from homeagent_sdk.manifest import Description

__all__ = ["Consent", "Growth", "asked_of", "tools_of", "treatment_of", "wanted_of"]


@dataclass(frozen=True, slots=True)
class Growth:
    """What a plugin wants beyond what was agreed to; ``policies`` are tools of which more would be remembered."""

    tools: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tools or self.policies or self.permissions or self.dependencies)


@dataclass(frozen=True)
class Consent:
    """What was agreed to: ``tools`` by name with what is remembered of them (``plain``, ``no_memory``, a cleaner).

    ``on`` says whether the plugin runs; switched off it is still agreed to.
    """

    version: str
    on: bool = True
    tools: Mapping[str, str] = field(default_factory=dict)
    permissions: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()

    def growth(self, wanted: Consent) -> Growth:
        """Return what ``wanted`` has beyond this."""
        return Growth(
            tuple(name for name in wanted.tools if name not in self.tools),
            tuple(name for name, now in wanted.tools.items() if _is_more(self.tools.get(name, now), now)),
            tuple(each for each in wanted.permissions if each not in self.permissions),
            tuple(each for each in wanted.dependencies if each not in self.dependencies),
        )


def asked_of(told: Description, tools: Mapping[str, str]) -> Consent:
    """Return what a plugin wants to be agreed to."""
    return Consent(told.version, True, dict(tools), tuple(map(str, told.permissions)), told.dependencies)


def tools_of(tools: Iterable[ToolOutline | ToolDeclaration]) -> dict[str, str]:
    """Return tools by name with what is remembered of each; a cleaner by the spec, a function by its name alone."""
    return {tool.name: _treatment(tool) for tool in tools}


def wanted_of(manifest: Manifest) -> dict[str, str]:
    """Return the same of all that a plugin declares: its tools, and its channels as ``channel:NAME``."""
    channels = {f"channel:{each.name}": treatment_of(each.input) for each in manifest.channels}
    return {**tools_of(manifest.tools), **channels}


def _treatment(tool: ToolOutline | ToolDeclaration) -> str:
    from homeagent.plugins.outline import ToolOutline  # late: it reads syntax trees

    if isinstance(tool, ToolOutline):
        return _spaced(tool.cleaner) if tool.treatment == "cleaner" else tool.treatment
    return treatment_of(tool.policy)


def treatment_of(policy: MemoryPolicy | None) -> str:
    """Return what is remembered under a policy, in one word: ``default`` where nobody declared one."""
    if policy is None:
        return "default"
    if policy.no_memory:
        return "no_memory"
    return _spaced(policy.cleaner.spec) if policy.cleaner else "plain"


def _spaced(cleaner: str) -> str:
    """Return a cleaner without what differs between how it is written and how it is declared: spaces, its module."""
    return "".join(cleaner.split()).rpartition(":")[2]


def _is_more(before: str, now: str) -> bool:
    return now not in (before, "no_memory")
