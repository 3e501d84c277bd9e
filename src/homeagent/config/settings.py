"""What can be set, as typed values with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent_sdk import MemoryPolicy

__all__ = [
    "GUEST_TOOLS",
    "AgentOptions",
    "ChannelOptions",
    "Config",
    "ConfirmName",
    "DistilName",
    "EmbedderName",
    "LanguageName",
    "McpSettings",
    "MemorySettings",
    "ModelSettings",
    "UiSettings",
]

EmbedderName = Literal["offline", "none", "server"]
"""What makes the vectors: the model that comes with the package, nothing, or a server."""

DistilName = Literal["auto", "rules", "model"]
"""What finds facts: the rules, and any model too, or one that runs in the house and has no price."""

ConfirmName = Literal["destructive", "always", "never"]
"""Which calls of an MCP server's tools ask the person first: those that say they destroy, all that change, none."""

LanguageName = Literal["auto", "en", "zh"]
"""Which language messages are in; ``auto`` goes by the environment."""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """``[memory]``: how many passages recall gives, what makes the vectors, and what finds facts.

    ``distil`` is ``rules``, or ``model``: the sources of models are asked about every turn as well. ``auto`` asks only
    those that run in the house and have no price.

    ``base_url``, ``model`` and ``key_env`` (the environment variable that holds the key) are for ``server``, any
    OpenAI-compatible one.
    """

    recall_limit: int = 5
    embedder: EmbedderName = "offline"
    base_url: str = ""
    model: str = ""
    key_env: str = ""
    distil: DistilName = "auto"


@dataclass(frozen=True, slots=True)
class UiSettings:
    """``[ui]``: the language of messages; ``auto`` goes by the environment."""

    language: LanguageName = "auto"


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """``[agent]``: who the assistant is, and its limits.

    ``rounds`` is how often the model may call tools in a turn, ``repeats`` how often it may make the very same call.
    ``window`` caps the tokens that prompt and answer have together, 0 leaves it to the model; ``reply_tokens`` of them
    are kept free for the answer. ``result_characters`` is how much of one result the model reads at once.
    ``tool_seconds`` and ``ask_seconds`` are how long a call may take, and a person may think about a question.
    """

    persona: str = ""
    rounds: int = 24
    repeats: int = 3
    window: int = 0
    reply_tokens: int = 2_048
    result_characters: int = 24_000
    tool_seconds: float = 60.0
    ask_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """``[models.NAME]``: one model on one OpenAI-compatible server.

    The key is never here: ``key_env`` names the environment variable and ``key_file`` the file (mode 600) that holds
    it. ``window`` and ``max_tokens``, the longest answer (0: as long as the server likes), are in tokens. Prices are
    for a million tokens in ``currency``; those that are None are not known. ``connect_seconds``,
    ``first_token_seconds`` and ``next_token_seconds`` are how long to wait for each. ``takes`` are media types it may
    be given. Sources with a smaller ``priority`` are asked first, else those that stand first.
    """

    base_url: str
    model: str
    key_env: str = ""
    key_file: str = ""
    window: int = 32_768
    max_tokens: int = 0
    takes: tuple[str, ...] = ()
    prompt_price: float | None = None
    completion_price: float | None = None
    cached_price: float | None = None
    currency: str = "USD"
    connect_seconds: float = 10.0
    first_token_seconds: float = 300.0
    next_token_seconds: float = 120.0
    retries: int = 2
    priority: int = 100


GUEST_TOOLS: Final = ("clock_now", "memory_recall", "memory_note", "doc_query", "person_query", "read_more")
"""The tools that people other than the owner may use in a channel, unless the settings name others."""


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """``[channels.NAME]``: who is answered in a channel, when, and how.

    ``owners``, ``members`` and ``groups`` are ids as the platform has them: the owner of this home, others who are
    answered, and the group chats in which everybody is; nobody is known by a nickname. ``strangers`` get nothing or one
    polite line. In groups ``answer`` is ``addressed`` (mentioned, replied to, or the message begins with one of the
    ``prefixes``) or ``always``. Messages of one sender with less than ``merge_seconds`` between them are one turn.
    After ``status_seconds`` without a word a line says what is going on. ``guest_tools`` are what others than the owner
    may use, by names or globs. ``language`` is that of such lines; ``auto`` goes by the message. ``key_env`` or
    ``key_file`` and ``callback`` are for the webhook: where its key is, and where answers are posted (with none they
    are in the response). A channel that is not ``on`` neither listens nor sends.
    """

    on: bool = True
    owners: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    strangers: Literal["silent", "polite"] = "silent"
    answer: Literal["addressed", "always"] = "addressed"
    prefixes: tuple[str, ...] = ()
    merge_seconds: float = 1.5
    status_seconds: float = 8.0
    guest_tools: tuple[str, ...] = GUEST_TOOLS
    language: LanguageName = "auto"
    key_env: str = ""
    key_file: str = ""
    callback: str = ""


@dataclass(frozen=True, slots=True)
class McpSettings:
    """``[mcp.NAME]``: one MCP server, either a ``command`` that is run or a ``url`` that is asked.

    A command gets ``args``, the variables in ``env``, and those of this program that ``pass_env`` names; it runs in
    ``cwd``, or in a folder of its own. A URL is asked with ``headers``, with those of ``headers_env`` that stand in
    environment variables, and with the bearer token in the variable ``key_env``. ``timeout`` is how many seconds a call
    may take. ``confirm`` says before which calls the person is asked. ``policies`` are the owner's for its tools, by
    their own name or a glob.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    headers_env: Mapping[str, str] = field(default_factory=dict)
    key_env: str = ""
    timeout: float = 60.0
    confirm: ConfirmName = "destructive"
    enabled: bool = True
    policies: Mapping[str, MemoryPolicy] = field(default_factory=dict)

    @property
    def secret_variables(self) -> tuple[str, ...]:
        """The environment variables that hold what only this server may see."""
        return tuple(name for name in (*self.pass_env, *self.headers_env.values(), self.key_env) if name)


@dataclass(frozen=True, slots=True)
class Config:
    """Everything in ``config.toml``.

    ``tools`` and ``channels`` are the owner's policies, by a name or a glob, those of ``[mcp.NAME.policies]`` among
    them as ``mcp.NAME.TOOL``; ``models`` the sources of models by name, the first to ask first; ``plugins`` what is
    configured of each plugin, checked when the plugin reads it; ``channel_options`` who is answered in each channel,
    and how; ``mcp`` the MCP servers by name.
    """

    memory: MemorySettings = field(default_factory=MemorySettings)
    ui: UiSettings = field(default_factory=UiSettings)
    tools: Mapping[str, MemoryPolicy] = field(default_factory=dict)
    agent: AgentOptions = field(default_factory=AgentOptions)
    models: Mapping[str, ModelSettings] = field(default_factory=dict)
    plugins: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    channels: Mapping[str, MemoryPolicy] = field(default_factory=dict)
    mcp: Mapping[str, McpSettings] = field(default_factory=dict)
    channel_options: Mapping[str, ChannelOptions] = field(default_factory=dict)
