"""The owner's settings: ``config.toml`` in the home, read into typed values, changed without losing a comment."""

from __future__ import annotations

import contextlib
import os
import secrets
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypedDict, cast

from homeagent.errors import ConfigError
from homeagent_sdk import MemoryPolicy, parse_cleaner
from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["Config", "MemorySettings", "UiSettings", "change", "load", "parse", "shown"]

EmbedderName = Literal["offline", "none", "server"]
LanguageName = Literal["auto", "en", "zh"]


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """``[memory]``: how many passages recall gives, and what makes the vectors.

    ``base_url``, ``model`` and ``key_env`` (the environment variable that holds the key) are for ``server``, any
    OpenAI-compatible one.
    """

    recall_limit: int = 5
    embedder: EmbedderName = "offline"
    base_url: str = ""
    model: str = ""
    key_env: str = ""


@dataclass(frozen=True, slots=True)
class UiSettings:
    """``[ui]``: the language of messages; ``auto`` goes by the environment."""

    language: LanguageName = "auto"


@dataclass(frozen=True, slots=True)
class Config:
    """Everything in ``config.toml``. ``tools`` are the owner's policies, by a tool's name or a glob."""

    memory: MemorySettings = field(default_factory=MemorySettings)
    ui: UiSettings = field(default_factory=UiSettings)
    tools: Mapping[str, MemoryPolicy] = field(default_factory=dict)


def load(path: Path) -> Config:
    """Return the settings in ``path``, the defaults when there is no such file. Raises `ConfigError`."""
    return parse(_text(path), str(path))


def parse(text: str, where: str) -> Config:
    """Return the settings that ``text`` holds. Raises `ConfigError` naming the key for everything unknown or wrong."""
    try:
        document: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(where, f"is not TOML ({error})", "Mend that line") from error
    _refuse_unknown(document, (*_SECTIONS, "policies"), where, "section")
    memory = MemorySettings(**cast("_MemoryValues", _section(document, "memory", where)))
    if memory.embedder == "server" and not (memory.base_url and memory.model):
        missing = "base_url" if not memory.base_url else "model"
        step = 'Write e.g. base_url = "http://127.0.0.1:11434/v1" and model = "bge-m3"'
        raise ConfigError(f"{where} [memory] {missing}", 'embedder = "server" needs it', step)
    ui = UiSettings(**cast("_UiValues", _section(document, "ui", where)))
    return Config(memory, ui, _policies(document.get("policies", {}), where))


def change(path: Path, key: str, text: str | None) -> Config:
    """Set ``key`` (``memory.recall_limit``, ``policies.tools.NAME``) to what ``text`` says, or take it out (None).

    The file keeps its comments and order, is written whole or not at all, and only when all of it can be used. Raises
    `ConfigError`.
    """
    import tomlkit

    document = tomlkit.parse(_text(path)) if _is_toml(path) else tomlkit.document()
    *parents, name = _key_parts(key)
    table = cast("dict[str, object]", document)
    for parent in parents:
        table = cast("dict[str, object]", table.setdefault(parent, tomlkit.table()))
    if text is None:
        table.pop(name, None)
    else:
        table[name] = _value(parents, name, text)
    written = tomlkit.dumps(document)
    config = parse(written, str(path))
    _write(path, written)
    return config


def shown(config: Config) -> dict[str, object]:
    """Return every setting in force as plain values."""
    return {
        "memory": {name: getattr(config.memory, name) for name in _SECTIONS["memory"]},
        "ui": {name: getattr(config.ui, name) for name in _SECTIONS["ui"]},
        "policies": {"tools": {name: _policy_value(policy) for name, policy in config.tools.items()}},
    }


def _policy_value(policy: MemoryPolicy) -> dict[str, object]:
    if policy.cleaner is not None:
        return {"cleaner": policy.cleaner.spec}
    return {"no_memory": policy.no_memory}


# -- reading ----------------------------------------------------------------------------------------------------------


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), "is not UTF-8 text", "Save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(str(path), f"can't be read ({error.strerror})", "Mend its permissions") from error


def _is_toml(path: Path) -> bool:
    """Whether the file can be read at all; raises what `parse` says when it can't."""
    parse(_text(path), str(path))
    return path.exists()


def _whole_number(value: object) -> str | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return "a whole number"
    return None if 1 <= value <= 1000 else "a whole number from 1 to 1000"


def _string(value: object) -> str | None:
    return None if isinstance(value, str) else "text in double quotes"


def _one_of(*names: str) -> Callable[[object], str | None]:
    return lambda value: None if value in names else " or ".join(f'"{name}"' for name in names)


_SECTIONS: Final[Mapping[str, Mapping[str, tuple[Callable[[object], str | None], str]]]] = {
    "memory": {
        "recall_limit": (_whole_number, "recall_limit = 8"),
        "embedder": (_one_of("offline", "none", "server"), 'embedder = "offline"'),
        "base_url": (_string, 'base_url = "http://127.0.0.1:11434/v1"'),
        "model": (_string, 'model = "bge-m3"'),
        "key_env": (_string, 'key_env = "EMBEDDING_KEY"'),
    },
    "ui": {"language": (_one_of("auto", "en", "zh"), 'language = "zh"')},
}


class _MemoryValues(TypedDict, total=False):
    """What `_section` lets through of ``[memory]``."""

    recall_limit: int
    embedder: EmbedderName
    base_url: str
    model: str
    key_env: str


class _UiValues(TypedDict, total=False):
    """What `_section` lets through of ``[ui]``."""

    language: LanguageName


def _section(document: Mapping[str, object], name: str, where: str) -> dict[str, object]:
    table = _table(document.get(name, {}), f"{where} [{name}]", f"[{name}]")
    known = _SECTIONS[name]
    _refuse_unknown(table, tuple(known), f"{where} [{name}]", "setting")
    for key, found in table.items():
        wrong, example = known[key]
        expected = wrong(found)
        if expected is not None:
            raise ConfigError(f"{where} [{name}] {key}", f"expected {expected}, got {found!r}", f"Write e.g. {example}")
    return table


def _policies(value: object, where: str) -> dict[str, MemoryPolicy]:
    table = _table(value, f"{where} [policies]", "[policies.tools]")
    _refuse_unknown(table, ("tools",), f"{where} [policies]", "section")
    tools = _table(table.get("tools", {}), f"{where} [policies.tools]", "[policies.tools]")
    return {name: _policy(found, f"{where} [policies.tools] {name}") for name, found in tools.items()}


def _policy(value: object, where: str) -> MemoryPolicy:
    table = _table(value, where, "{no_memory = true}")
    _refuse_unknown(table, ("no_memory", "cleaner"), where, "setting")
    no_memory, cleaner = table.get("no_memory", False), table.get("cleaner")
    if not isinstance(no_memory, bool):
        raise ConfigError(f"{where} no_memory", f"expected true or false, got {no_memory!r}", "Write no_memory = true")
    if cleaner is not None and not isinstance(cleaner, str):
        raise ConfigError(f"{where} cleaner", f"expected text, got {cleaner!r}", "Write cleaner = 'json(content)'")
    try:
        return MemoryPolicy(no_memory=no_memory, cleaner=parse_cleaner(cleaner) if cleaner is not None else None)
    except SdkError as error:
        raise ConfigError(where, f"{error.where}: {error.problem}", error.next_step) from error


def _table(value: object, where: str, example: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ConfigError(where, f"expected a table, got {value!r}", f"Write e.g. {example}")
    return value


def _refuse_unknown(table: Mapping[str, object], known: tuple[str, ...], where: str, kind: str) -> None:
    for key in table:
        if key not in known:
            raise ConfigError(f"{where} {key}", f"there is no such {kind}", f"Use one of {', '.join(known)}")


# -- writing ----------------------------------------------------------------------------------------------------------


def _key_parts(key: str) -> list[str]:
    """Return the sections and the name of a key; a tool's name may hold dots and stands for itself."""
    start = "policies.tools."
    if key.startswith(start) and len(key) > len(start):
        return ["policies", "tools", key.removeprefix(start).strip("\"'")]
    parts = key.split(".")
    if len(parts) != 2 or parts[0] not in _SECTIONS or parts[1] not in _SECTIONS[parts[0]]:
        known = [f"{section}.{name}" for section, names in _SECTIONS.items() for name in names]
        raise ConfigError(key, "there is no such setting", f"Use one of {', '.join(known)}, policies.tools.NAME")
    return parts


def _value(parents: list[str], name: str, text: str) -> object:
    """Return ``text`` as the value it means: TOML where it is TOML, else the text itself."""
    if parents == ["policies", "tools"]:
        inner = text.strip().removeprefix("{").removesuffix("}").strip()
        inner = f"{inner} = true" if inner == "no_memory" else inner
        return _inline_table(name, inner)
    if _SECTIONS[parents[0]][name][0] is _string and not text.startswith(('"', "'")):
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _inline_table(name: str, inner: str) -> object:
    import tomlkit

    try:
        table = tomllib.loads(f"value = {{{inner}}}")["value"]
    except tomllib.TOMLDecodeError as error:
        step = "Write no_memory or cleaner='json(content) | head(4000)'"
        raise ConfigError(f"policies.tools.{name}", f"{inner!r} is no policy ({error})", step) from error
    found = tomlkit.inline_table()
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
