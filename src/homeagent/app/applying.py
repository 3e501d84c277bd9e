"""The owner's policies stand in the settings; the memory goes by its log. Here the log follows the settings.

What was set last from the settings is remembered beside them, so that an entry that is gone is taken back, and what
others set in the memory is not. The policies of an MCP server that is gone stay: what it left behind is still its
output.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal, cast

from homeagent import config
from homeagent.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from homeagent.memory import Memory
    from homeagent_sdk import MemoryPolicy

__all__ = ["apply_policies", "policy_text"]

_FILE: Final = "policies.applied.json"
_SERVERS: Final = "mcp"
"""In that file the policies of tools that stood at MCP servers."""


def apply_policies(memory: Memory, settings: config.Config, root: Path) -> None:
    """Set what differs between the settings and the memory's own record. Raises `ConfigError`, `PolicyError`."""
    path = root / _FILE
    wanted = cast("dict[str, dict[str, object]]", config.shown(settings)["policies"])
    before = _read(path)
    left = {name: value for name, value in before.get(_SERVERS, {}).items() if _is_left(name, settings)}
    at_servers = {f"mcp.{server}.{tool}" for server, each in settings.mcp.items() for tool in each.policies}
    wanted[_SERVERS] = left | {name: wanted["tools"][name] for name in sorted(at_servers)}
    kinds: tuple[tuple[Literal["tool", "channel"], str, Mapping[str, MemoryPolicy]], ...] = (
        ("tool", "tools", settings.tools),
        ("channel", "channels", settings.channels),
    )
    for kind, section, named in kinds:
        changed = memory.overrides.differing(named, kind=kind)
        set_now = memory.overrides.overridden(kind)
        known = {*before.get(section, {}), *(before.get(_SERVERS, {}) if kind == "tool" else ())}
        gone = {name: None for name in sorted(known) if name not in named and name in set_now and name not in left}
        if changed or gone:
            memory.set_policies({**changed, **gone}, kind=kind)
    if wanted == before or not (settings.tools or settings.channels or before):
        return
    try:
        path.touch(mode=0o600)
        path.write_text(json.dumps(wanted), encoding="utf-8")
    except OSError as error:
        step = "Mend its permissions; the policies are in force"
        raise ConfigError(str(path), f"can't be written ({error.strerror})", step) from error


def _is_left(name: str, settings: config.Config) -> bool:
    """Whether this is a policy that stood at an MCP server which the settings don't have any more."""
    return name not in settings.tools and name.split(".")[1] not in settings.mcp


def policy_text(policy: MemoryPolicy) -> str:
    """Return a policy as `homeagent.config.change` takes it."""
    if policy.cleaner is None:
        return f"no_memory = {str(policy.no_memory).lower()}"
    spec = policy.cleaner.spec
    quoted = f"'{spec}'" if "'" not in spec and "\n" not in spec else json.dumps(spec, ensure_ascii=False)
    return f"cleaner = {quoted}"


def _read(path: Path) -> dict[str, dict[str, object]]:
    try:
        found: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(section): names for section, names in found.items() if isinstance(names, dict)}
