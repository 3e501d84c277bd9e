"""Reading ``config.toml``: everything unknown or wrong is an error that says where it stands and what to write."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Final, Literal, TypedDict, cast

from homeagent.config.fields import CHANNEL, KEY_STEP, KEYS, MCP, MCP_EXAMPLE, MODEL, MODEL_EXAMPLE, SECTIONS
from homeagent.config.settings import (
    AgentOptions,
    ChannelOptions,
    Config,
    McpSettings,
    MemorySettings,
    ModelSettings,
    UiSettings,
)
from homeagent.errors import ConfigError
from homeagent_sdk import MemoryPolicy, parse_cleaner
from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from homeagent.config.fields import Field
    from homeagent.config.settings import ConfirmName, DistilName, EmbedderName, LanguageName

__all__ = ["load", "parse", "text_of"]


_LONGEST_SERVER: Final = 32
_OF_COMMAND: Final = frozenset({"args", "env", "pass_env", "cwd"})
_OF_URL: Final = frozenset({"headers", "headers_env", "key_env"})
_KEY_OF_SERVER: Final = "Put the key into an environment variable and name that in key_env, headers_env or pass_env"


class _MemoryValues(TypedDict, total=False):
    """What `_checked` lets through of ``[memory]``."""

    recall_limit: int
    embedder: EmbedderName
    base_url: str
    model: str
    key_env: str
    distil: DistilName


class _UiValues(TypedDict, total=False):
    """What `_checked` lets through of ``[ui]``."""

    language: LanguageName


class _AgentValues(TypedDict, total=False):
    """What `_checked` lets through of ``[agent]``."""

    persona: str
    rounds: int
    repeats: int
    window: int
    reply_tokens: int
    result_characters: int
    tool_seconds: float
    ask_seconds: float


class _ModelValues(TypedDict, total=False):
    """What `_checked` lets through of ``[models.NAME]``, but for ``takes``."""

    base_url: str
    model: str
    key_env: str
    key_file: str
    window: int
    max_tokens: int
    prompt_price: float
    completion_price: float
    cached_price: float
    currency: str
    connect_seconds: float
    first_token_seconds: float
    next_token_seconds: float
    retries: int
    priority: int


class _McpValues(TypedDict, total=False):
    """What `_checked` lets through of ``[mcp.NAME]``, but for ``args`` and ``pass_env``."""

    command: str
    env: dict[str, str]
    cwd: str
    url: str
    headers: dict[str, str]
    headers_env: dict[str, str]
    key_env: str
    timeout: float
    confirm: ConfirmName
    enabled: bool


class _ChannelValues(TypedDict, total=False):
    """What `_checked` lets through of ``[channels.NAME]``."""

    on: bool
    owners: tuple[str, ...]
    members: tuple[str, ...]
    groups: tuple[str, ...]
    strangers: Literal["silent", "polite"]
    answer: Literal["addressed", "always"]
    prefixes: tuple[str, ...]
    merge_seconds: float
    status_seconds: float
    guest_tools: tuple[str, ...]
    language: LanguageName
    key_env: str
    key_file: str
    callback: str


def load(path: Path) -> Config:
    """Return the settings in ``path``, the defaults when there is no such file. Raises `ConfigError`."""
    return parse(text_of(path), str(path))


def text_of(path: Path) -> str:
    """Return what stands in the file, nothing when there is none. Raises `ConfigError`."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), "is not UTF-8 text", "Save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(str(path), f"can't be read ({error.strerror})", "Mend its permissions") from error


def parse(text: str, where: str) -> Config:
    """Return the settings that ``text`` holds. Raises `ConfigError` naming the key for everything unknown or wrong."""
    try:
        document: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(where, f"is not TOML ({error})", "Mend that line") from error
    _refuse_unknown(document, (*SECTIONS, "policies", "models", "plugins", "channels", "mcp"), where, "section")
    servers = _mcp(document.get("mcp", {}), where)
    return Config(
        memory=_memory(document, where),
        ui=UiSettings(**cast("_UiValues", _section(document, "ui", where))),
        tools=_with_servers(_policies(document.get("policies", {}), "tools", where), servers, where),
        agent=AgentOptions(**cast("_AgentValues", _section(document, "agent", where))),
        models=_models(document.get("models", {}), where),
        plugins=_plugins(document.get("plugins", {}), where),
        channels=_policies(document.get("policies", {}), "channels", where),
        mcp=servers,
        channel_options=_channels(document.get("channels", {}), where),
    )


def _memory(document: Mapping[str, object], where: str) -> MemorySettings:
    memory = MemorySettings(**cast("_MemoryValues", _section(document, "memory", where)))
    if memory.embedder == "server" and not (memory.base_url and memory.model):
        missing = "base_url" if not memory.base_url else "model"
        step = 'Write e.g. base_url = "http://127.0.0.1:11434/v1" and model = "bge-m3"'
        raise ConfigError(f"{where} [memory] {missing}", 'embedder = "server" needs it', step)
    return memory


def _models(value: object, where: str) -> dict[str, ModelSettings]:
    table = _table(value, f"{where} [models]", "[models.home]")
    found = {name: _model(name, each, f"{where} [models.{name}]") for name, each in table.items()}
    return dict(sorted(found.items(), key=lambda each: each[1].priority))


def _model(name: str, value: object, where: str) -> ModelSettings:
    if not re.fullmatch(r"[\w-]{1,40}", name):
        raise ConfigError(where, "a source is named with letters, digits, - and _", "Write e.g. [models.home]")
    table = _table(value, where, "[models.home]")
    if KEYS & set(table):
        raise ConfigError(f"{where} {min(KEYS & set(table))}", "there is no such setting", KEY_STEP)
    values = _checked(table, MODEL, where)
    for needed in ("base_url", "model"):
        if needed not in values:
            step = f'Write both: homeagent config set models.{name} "{MODEL_EXAMPLE}"'
            raise ConfigError(f"{where} {needed}", "is missing", step)
    if values.get("key_env") and values.get("key_file"):
        raise ConfigError(where, "names both key_env and key_file", "Keep one of them")
    if ("prompt_price" in values) != ("completion_price" in values):
        step = "Write prompt_price and completion_price, or neither"
        raise ConfigError(where, "has one price and not the other", step)
    takes = tuple(cast("list[str]", values.pop("takes", [])))
    return ModelSettings(**cast("_ModelValues", values), takes=takes)


def _plugins(value: object, where: str) -> dict[str, dict[str, object]]:
    table = _table(value, f"{where} [plugins]", "[plugins.shell]")
    return {name: _table(each, f"{where} [plugins.{name}]", f"[plugins.{name}]") for name, each in table.items()}


def _mcp(value: object, where: str) -> dict[str, McpSettings]:
    table = _table(value, f"{where} [mcp]", "[mcp.notes]")
    return {name: _server(name, each, f"{where} [mcp.{name}]") for name, each in table.items()}


def _server(name: str, value: object, where: str) -> McpSettings:
    if not re.fullmatch(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*", name) or len(name) > _LONGEST_SERVER:
        problem = f"a server is named with at most {_LONGEST_SERVER} small letters, digits, and a - or _ between them"
        raise ConfigError(where, problem, "Write e.g. [mcp.notes]")
    table = _table(value, where, f"[mcp.{name}]")
    found = _policies_in(table.pop("policies", {}), f"{where[:-1]}.policies]")
    if KEYS & set(table):
        raise ConfigError(f"{where} {min(KEYS & set(table))}", "there is no such setting", _KEY_OF_SERVER)
    values = _checked(table, MCP, where)
    kind = "command" if "command" in values else "url"
    if ("command" in values) == ("url" in values):
        problem = "it has both a command and a url" if "command" in values else "it has neither a command nor a url"
        raise ConfigError(where, problem, f"Write one of the two, e.g. {MCP_EXAMPLE}")
    odd = sorted(set(values) & (_OF_URL if kind == "command" else _OF_COMMAND))
    if odd:
        raise ConfigError(f"{where} {odd[0]}", f"it is of no use beside a {kind}", "Take it out")
    if any(header.lower() == "authorization" for header in cast("dict[str, str]", values.get("headers", {}))):
        raise ConfigError(f"{where} headers", "a key does not stand here", _KEY_OF_SERVER)
    args, passed = (tuple(cast("list[str]", values.pop(key, []))) for key in ("args", "pass_env"))
    return McpSettings(**cast("_McpValues", values), args=args, pass_env=passed, policies=found)


def _with_servers(
    tools: dict[str, MemoryPolicy], servers: Mapping[str, McpSettings], where: str
) -> dict[str, MemoryPolicy]:
    """Return the policies of tools with those that stand at the MCP servers."""
    found = dict(tools)
    for server, settings in servers.items():
        for tool, policy in settings.policies.items():
            name = f"mcp.{server}.{tool}"
            if name in found:
                problem = "it has a policy in [policies.tools] too"
                raise ConfigError(f"{where} [mcp.{server}.policies] {tool}", problem, "Keep one of the two")
            found[name] = policy
    return found


def _channels(value: object, where: str) -> dict[str, ChannelOptions]:
    table = _table(value, f"{where} [channels]", "[channels.qq]")
    return {name: _channel(each, f"{where} [channels.{name}]") for name, each in table.items()}


def _channel(value: object, where: str) -> ChannelOptions:
    table = _table(value, where, "[channels.qq]")
    if KEYS & set(table):
        raise ConfigError(f"{where} {min(KEYS & set(table))}", "there is no such setting", KEY_STEP)
    checked = _checked(table, CHANNEL, where)
    if checked.get("key_env") and checked.get("key_file"):
        raise ConfigError(where, "names both key_env and key_file", "Keep one of them")
    values = {
        key: tuple(map(str, each)) if isinstance(each, list) else each  # ids may be written as numbers
        for key, each in checked.items()
    }
    return ChannelOptions(**cast("_ChannelValues", values))


def _section(document: Mapping[str, object], name: str, where: str) -> dict[str, object]:
    table = _table(document.get(name, {}), f"{where} [{name}]", f"[{name}]")
    return _checked(table, SECTIONS[name], f"{where} [{name}]")


def _checked(table: dict[str, object], known: Mapping[str, Field], where: str) -> dict[str, object]:
    _refuse_unknown(table, tuple(known), where, "setting")
    for key, found in table.items():
        expected = known[key].wrong(found)
        if expected is not None:
            got = "" if known[key].private else f", got {found!r}"
            raise ConfigError(f"{where} {key}", f"expected {expected}{got}", f"Write e.g. {known[key].example}")
    return dict(table)


def _policies(value: object, kind: str, where: str) -> dict[str, MemoryPolicy]:
    table = _table(value, f"{where} [policies]", "[policies.tools]")
    _refuse_unknown(table, ("tools", "channels"), f"{where} [policies]", "section")
    return _policies_in(table.get(kind, {}), f"{where} [policies.{kind}]")


def _policies_in(value: object, where: str) -> dict[str, MemoryPolicy]:
    named = _table(value, where, where.rpartition(" ")[2])
    return {name: _policy(found, f"{where} {name}") for name, found in named.items()}


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
        # Not repeated: whoever writes a key in the wrong place should not see it in a log.
        raise ConfigError(where, f"expected a table, got {type(value).__name__}", f"Write e.g. {example}")
    return value


def _refuse_unknown(table: Mapping[str, object], known: tuple[str, ...], where: str, kind: str) -> None:
    for key in table:
        if key not in known:
            raise ConfigError(f"{where} {key}", f"there is no such {kind}", f"Use one of {', '.join(known)}")
