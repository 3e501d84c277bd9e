"""Which settings there are, what each may be, and an example to write instead of what is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "CHANNEL",
    "KEYS",
    "KEY_STEP",
    "MCP",
    "MCP_EXAMPLE",
    "MODEL",
    "MODEL_EXAMPLE",
    "SECTIONS",
    "Field",
    "text_value",
]

MODEL_EXAMPLE: Final = "base_url = 'http://127.0.0.1:11434/v1', model = 'qwen3:8b'"
"""A whole source in one line, as ``config set models.NAME`` takes it."""

MCP_EXAMPLE: Final = "command = 'uvx', args = ['mcp-server-time']"
"""A whole MCP server in one line, as ``config set mcp.NAME`` takes it."""

KEYS: Final = frozenset({"key", "api_key", "apikey", "token", "password", "secret"})
"""What people call the setting in which they would write a key."""

KEY_STEP: Final = (
    "Keys do not stand here: put it into a file of mode 600 and name that in key_file, or into an environment variable "
    "and name that in key_env"
)
"""What to do instead."""

_NOT_THE_KEY: Final = "the name of an environment variable, not the key itself"


_VARIABLE: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_ADDRESS: Final = re.compile(r"https?://[^\s/@?#]+(?:[/?#][^\s]*)?")


@dataclass(frozen=True, slots=True)
class Field:
    """One setting. ``wrong`` says what is expected of a value that does not fit, None of one that does.

    What stands in a ``private`` one is never repeated: it may be a key in the wrong place.
    """

    wrong: Callable[[object], str | None]
    example: str
    private: bool = False


def text_value(value: object) -> str | None:
    """Say what is expected unless it is text."""
    return None if isinstance(value, str) else "text in double quotes"


def _some_text(value: object) -> str | None:
    return None if isinstance(value, str) and value.strip() else "text in double quotes that is not empty"


def _variable(value: object) -> str | None:
    return None if isinstance(value, str) and re.fullmatch(r"|[A-Za-z_]\w*", value) else _NOT_THE_KEY


def _texts(value: object) -> str | None:
    fits = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return None if fits else "a list of texts"


def _ids(value: object) -> str | None:
    fits = isinstance(value, list) and all(isinstance(each, str | int) and not isinstance(each, bool) for each in value)
    return None if fits else "a list of ids"


def _flag(value: object) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _whole(least: int, most: int) -> Callable[[object], str | None]:
    def wrong(value: object) -> str | None:
        if not isinstance(value, int) or isinstance(value, bool):
            return "a whole number"
        return None if least <= value <= most else f"a whole number from {least} to {most}"

    return wrong


def _number(above: float, *, or_equal: bool = False) -> Callable[[object], str | None]:
    def wrong(value: object) -> str | None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return "a number"
        fits = above <= value if or_equal else above < value
        return None if fits and value < 1e9 else f"a number {'of at least' if or_equal else 'above'} {above:g}"

    return wrong


def _one_of(*names: str) -> Callable[[object], str | None]:
    return lambda value: None if value in names else " or ".join(f'"{name}"' for name in names)


def _truth(value: object) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _variables(value: object) -> str | None:
    fits = isinstance(value, list) and all(isinstance(each, str) and _VARIABLE.fullmatch(each) for each in value)
    return None if fits else "a list of names of environment variables"


def _named(value: object) -> str | None:
    fits = isinstance(value, dict) and all(
        isinstance(each, str) and _NAME.fullmatch(name) for name, each in value.items()
    )
    return None if fits else "a table of texts"


def _named_variables(value: object) -> str | None:
    fits = _named(value) is None and isinstance(value, dict) and _variables([*value.values()]) is None
    return None if fits else "a table of names of environment variables, not the keys themselves"


def _address(value: object) -> str | None:
    fits = isinstance(value, str) and _ADDRESS.fullmatch(value)
    return None if fits else "an address that begins with http:// or https://, without a user name or password"


_TOKENS: Final = _whole(256, 100_000_000)
_SECONDS: Final = _number(0)
_PRICE: Final = _number(0, or_equal=True)

SECTIONS: Final[Mapping[str, Mapping[str, Field]]] = {
    "memory": {
        "recall_limit": Field(_whole(1, 1000), "recall_limit = 8"),
        "embedder": Field(_one_of("offline", "none", "server"), 'embedder = "offline"'),
        "distil": Field(_one_of("auto", "rules", "model"), 'distil = "rules"'),
        "base_url": Field(text_value, 'base_url = "http://127.0.0.1:11434/v1"'),
        "model": Field(text_value, 'model = "bge-m3"'),
        "key_env": Field(_variable, 'key_env = "EMBEDDING_KEY"', private=True),
    },
    "ui": {"language": Field(_one_of("auto", "en", "zh"), 'language = "zh"')},
    "agent": {
        "persona": Field(text_value, 'persona = "You are Pip, the parrot of this house. You answer in two sentences."'),
        "rounds": Field(_whole(1, 1000), "rounds = 24"),
        "repeats": Field(_whole(1, 1000), "repeats = 3"),
        "window": Field(_whole(0, 100_000_000), "window = 16000, or 0 for the model's own"),
        "reply_tokens": Field(_whole(16, 1_000_000), "reply_tokens = 2048"),
        "result_characters": Field(_whole(500, 10_000_000), "result_characters = 24000"),
        "tool_seconds": Field(_SECONDS, "tool_seconds = 60"),
        "ask_seconds": Field(_SECONDS, "ask_seconds = 300"),
    },
}
"""The sections with fixed settings."""

MODEL: Final[Mapping[str, Field]] = {
    "base_url": Field(_some_text, 'base_url = "http://127.0.0.1:11434/v1"', private=True),
    "model": Field(_some_text, 'model = "qwen3:8b"'),
    "key_env": Field(_variable, 'key_env = "MODEL_KEY"', private=True),
    "key_file": Field(text_value, 'key_file = "~/.config/model.key"', private=True),
    "window": Field(_TOKENS, "window = 32768"),
    "max_tokens": Field(_whole(0, 10_000_000), "max_tokens = 1000, or 0 for no limit"),
    "takes": Field(_texts, 'takes = ["image/*"]'),
    "prompt_price": Field(_PRICE, "prompt_price = 0.5, for a million tokens"),
    "completion_price": Field(_PRICE, "completion_price = 1.5, for a million tokens"),
    "cached_price": Field(_PRICE, "cached_price = 0.1, for a million tokens"),
    "currency": Field(_some_text, 'currency = "EUR"'),
    "connect_seconds": Field(_SECONDS, "connect_seconds = 10"),
    "first_token_seconds": Field(_SECONDS, "first_token_seconds = 300"),
    "next_token_seconds": Field(_SECONDS, "next_token_seconds = 120"),
    "retries": Field(_whole(0, 100), "retries = 2"),
    "priority": Field(_whole(0, 1_000_000), "priority = 1"),
}
"""What a source of a model may have."""

MCP: Final[Mapping[str, Field]] = {
    "command": Field(_some_text, 'command = "uvx"'),
    "args": Field(_texts, 'args = ["mcp-server-time"]'),
    "env": Field(_named, 'env = { LOG_LEVEL = "warning" }', private=True),
    "pass_env": Field(_variables, 'pass_env = ["NOTES_KEY"]', private=True),
    "cwd": Field(_some_text, 'cwd = "~/notes"'),
    "url": Field(_address, 'url = "http://127.0.0.1:8080/mcp"', private=True),
    "headers": Field(_named, 'headers = { X-Room = "kitchen" }', private=True),
    "headers_env": Field(_named_variables, 'headers_env = { X-Key = "NOTES_KEY" }', private=True),
    "key_env": Field(_variable, 'key_env = "NOTES_KEY"', private=True),
    "timeout": Field(_SECONDS, "timeout = 60"),
    "confirm": Field(_one_of("destructive", "always", "never"), 'confirm = "always"'),
    "enabled": Field(_truth, "enabled = true"),
}
"""What an MCP server may have, besides its table of policies."""
CHANNEL: Final[Mapping[str, Field]] = {
    "on": Field(_flag, "on = true"),
    "owners": Field(_ids, 'owners = ["12345678"]'),
    "members": Field(_ids, 'members = ["12345678", "23456789"]'),
    "groups": Field(_ids, 'groups = ["98765432"]'),
    "strangers": Field(_one_of("silent", "polite"), 'strangers = "polite"'),
    "answer": Field(_one_of("addressed", "always"), 'answer = "addressed"'),
    "prefixes": Field(_texts, 'prefixes = ["/ai", "小家"]'),
    "merge_seconds": Field(_PRICE, "merge_seconds = 1.5"),
    "status_seconds": Field(_SECONDS, "status_seconds = 8"),
    "guest_tools": Field(_texts, 'guest_tools = ["clock_now", "memory_recall"]'),
    "language": Field(_one_of("auto", "en", "zh"), 'language = "zh"'),
    "key_env": Field(_variable, 'key_env = "WEBHOOK_KEY"', private=True),
    "key_file": Field(text_value, 'key_file = "~/.config/webhook.key"', private=True),
    "callback": Field(text_value, 'callback = "http://127.0.0.1:9000/answers"', private=True),
}
"""What may be said of a channel."""
