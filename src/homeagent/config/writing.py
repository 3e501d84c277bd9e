"""Changing one setting in ``config.toml``: the file keeps its comments, and is written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import tomllib
from typing import TYPE_CHECKING, Final, cast

from homeagent.config.fields import (
    CHANNEL,
    KEY_STEP,
    KEYS,
    MCP,
    MCP_EXAMPLE,
    MODEL,
    MODEL_EXAMPLE,
    SECTIONS,
    text_value,
)
from homeagent.config.reading import parse, text_of
from homeagent.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from homeagent.config.settings import Config

__all__ = ["change"]

_POLICIES: Final = ("policies.tools.", "policies.channels.")
_POLICY_EXAMPLE: Final = "no_memory or cleaner='json(content) | head(4000)'"


def change(path: Path, key: str, text: str | None, check: Callable[[Config], object] | None = None) -> Config:
    """Set ``key`` (``memory.recall_limit``, ``policies.tools.NAME``) to what ``text`` says, or take it out (None).

    The file keeps its comments and order, is written whole or not at all, and only when all of it can be used;
    ``check`` may refuse it too. Raises `ConfigError`.
    """
    import tomlkit

    document = tomlkit.parse(text_of(path)) if _is_toml(path) else tomlkit.document()
    table = cast("dict[str, object]", document)
    *parents, name = _at_server(table, _key_parts(key))
    for parent in parents:
        table = cast("dict[str, object]", table.setdefault(parent, tomlkit.table()))
    if text is None:
        table.pop(name, None)
    else:
        table[name] = _value(parents, name, text)
    written = tomlkit.dumps(document)
    config = parse(written, str(path))
    if check is not None:
        check(config)
    _write(path, written)
    return config


def _is_toml(path: Path) -> bool:
    """Whether the file can be read at all; raises what `parse` says when it can't."""
    parse(text_of(path), str(path))
    return path.exists()


def _key_parts(key: str) -> list[str]:
    """Return the sections and the name of a key; the name of a tool or channel may hold dots and stands for itself."""
    for start in _POLICIES:
        if key.startswith(start) and len(key) > len(start):
            return [*start.split(".")[:2], key.removeprefix(start).strip("\"'")]
    match key.split("."):
        case ["models", name] if name:
            return ["models", name]
        case ["models", name, setting] if name and setting in MODEL:
            return ["models", name, setting]
        case ["models", name, setting] if name:
            step = KEY_STEP if setting in KEYS else f"Use one of {', '.join(MODEL)}"
            raise ConfigError(key, "there is no such setting", step)
        case ["channels", name, setting] if name and setting in CHANNEL:
            return ["channels", name, setting]
        case ["channels", name, setting] if name:
            step = KEY_STEP if setting in KEYS else f"Use one of {', '.join(CHANNEL)}"
            raise ConfigError(key, "there is no such setting", step)
        case ["plugins", name, setting] if name and setting:
            return ["plugins", name, setting]
        case ["mcp", name, "policies", *tool] if name and any(tool):
            return ["mcp", name, "policies", ".".join(tool)]
        case ["mcp", name] if name:
            return ["mcp", name]
        case ["mcp", name, setting] if name and setting in MCP:
            return ["mcp", name, setting]
        case [section, setting] if section in SECTIONS and setting in SECTIONS[section]:
            return [section, setting]
    known = [f"{section}.{name}" for section, names in SECTIONS.items() for name in names]
    more = (
        "policies.tools.NAME, policies.channels.NAME, models.NAME, models.NAME.SETTING, plugins.NAME.SETTING, "
        "channels.NAME.SETTING, mcp.NAME, mcp.NAME.SETTING, mcp.NAME.policies.TOOL"
    )
    raise ConfigError(key, "there is no such setting", f"Use one of {', '.join(known)}, {more}")


def _at_server(document: Mapping[str, object], parts: list[str]) -> list[str]:
    """Return where a policy of a tool is written: beside its MCP server, when it stands there already."""
    match parts:
        case ["policies", "tools", name] if name.count(".") >= 2 and name.startswith("mcp."):
            _, server, tool = name.split(".", 2)
            servers = document.get("mcp")
            settings = servers.get(server) if isinstance(servers, dict) else None
            policies = settings.get("policies") if isinstance(settings, dict) else None
            if isinstance(policies, dict) and tool in policies:
                return ["mcp", server, "policies", tool]
    return parts


def _value(parents: list[str], name: str, text: str) -> object:
    """Return ``text`` as the value it means: TOML where it is TOML, else the text itself."""
    if "policies" in (parents[0], parents[-1]):
        inner = "no_memory = true" if text.strip() == "no_memory" else text
        key = f"policies.{parents[1]}.{name}" if parents[0] == "policies" else f"mcp.{parents[1]}.policies.{name}"
        return _table(key, inner, _POLICY_EXAMPLE, inline=True)
    if parents == ["models"]:
        return _table(f"models.{name}", text, f'"{MODEL_EXAMPLE}"', inline=False)
    if parents == ["mcp"]:
        return _table(f"mcp.{name}", text, f'"{MCP_EXAMPLE}"', inline=False)
    tables = {"models": MODEL, "channels": CHANNEL, "mcp": MCP}
    known = tables.get(parents[0]) or SECTIONS.get(parents[0], {})
    if name in known and known[name].wrong("some text") is None and not text.startswith(('"', "'")):
        return text
    if name in known and known[name].wrong is text_value:
        return text.strip("\"'")
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _table(key: str, text: str, example: str, *, inline: bool) -> object:
    import tomlkit

    inner = text.strip()
    if inner.startswith("{") and inner.endswith("}"):
        inner = inner[1:-1].strip()
    try:
        table = tomllib.loads(f"value = {{{inner}}}")["value"]
    except tomllib.TOMLDecodeError as error:
        # The text is not repeated: it may hold a key in the wrong place.
        raise ConfigError(key, f"what is given can't be read ({error})", f"Write e.g. {example}") from None
    found = tomlkit.inline_table() if inline else tomlkit.table()
    found.update(table)
    return found


def _write(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        step = "Free some space or mend the permissions; nothing was changed"
        raise ConfigError(str(path), f"can't be written ({error.strerror or error})", step) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
