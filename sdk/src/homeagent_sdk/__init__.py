"""What a HomeAgent plugin needs: tools, channels, policies, cleaners, stages, settings. Standard library only."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent_sdk.channels import (
        Arrival,
        Capabilities,
        Channel,
        ChannelContext,
        Connection,
        Outgoing,
        RefusedError,
    )
    from homeagent_sdk.cleaner_language import parse_cleaner
    from homeagent_sdk.cleaners import drop_ansi, head, html_text, json_field, lines, regex
    from homeagent_sdk.context import Injection, InjectOptions, PluginContext, ToolContext
    from homeagent_sdk.errors import (
        ArgumentsError,
        CleanerError,
        DeclarationError,
        NotTextError,
        Problem,
        SdkError,
        SettingsError,
        ToolError,
    )
    from homeagent_sdk.function_cleaners import function_cleaner, import_function_cleaner
    from homeagent_sdk.json_path import read_json
    from homeagent_sdk.pipeline import Cleaner, Stage
    from homeagent_sdk.plugin import Plugin
    from homeagent_sdk.policy import MemoryPolicy
    from homeagent_sdk.recollection import ExplainedSegment, MemoryAccess, Recollected, Recollection
    from homeagent_sdk.remembering import (
        DocumentAccess,
        Evidence,
        FactAccess,
        KnownDocument,
        KnownFact,
        OpenedDocument,
    )
    from homeagent_sdk.results import Attachment, ToolResult
    from homeagent_sdk.settings import Secret
    from homeagent_sdk.stage_data import Message, No, Output, Prompt, Reply, ToolCall, ToolOutcome, TurnInfo
    from homeagent_sdk.stages import StageHandler, stage
    from homeagent_sdk.tools import Tool, tool

__all__ = [
    "ArgumentsError",
    "Arrival",
    "Attachment",
    "Capabilities",
    "Channel",
    "ChannelContext",
    "Cleaner",
    "CleanerError",
    "Connection",
    "DeclarationError",
    "DocumentAccess",
    "Evidence",
    "ExplainedSegment",
    "FactAccess",
    "InjectOptions",
    "Injection",
    "KnownDocument",
    "KnownFact",
    "MemoryAccess",
    "MemoryPolicy",
    "Message",
    "No",
    "NotTextError",
    "OpenedDocument",
    "Outgoing",
    "Output",
    "Plugin",
    "PluginContext",
    "Problem",
    "Prompt",
    "Recollected",
    "Recollection",
    "RefusedError",
    "Reply",
    "SdkError",
    "Secret",
    "SettingsError",
    "Stage",
    "StageHandler",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolOutcome",
    "ToolResult",
    "TurnInfo",
    "drop_ansi",
    "function_cleaner",
    "head",
    "html_text",
    "import_function_cleaner",
    "json_field",
    "lines",
    "parse_cleaner",
    "read_json",
    "regex",
    "stage",
    "tool",
]

_MODULES = {
    "channels": (
        "Arrival",
        "Capabilities",
        "Channel",
        "ChannelContext",
        "Connection",
        "Outgoing",
        "RefusedError",
    ),
    "cleaner_language": ("parse_cleaner",),
    "cleaners": ("drop_ansi", "head", "html_text", "json_field", "lines", "regex"),
    "context": ("InjectOptions", "Injection", "PluginContext", "ToolContext"),
    "errors": (
        "ArgumentsError",
        "CleanerError",
        "DeclarationError",
        "NotTextError",
        "Problem",
        "SdkError",
        "SettingsError",
        "ToolError",
    ),
    "function_cleaners": ("function_cleaner", "import_function_cleaner"),
    "json_path": ("read_json",),
    "pipeline": ("Cleaner", "Stage"),
    "plugin": ("Plugin",),
    "policy": ("MemoryPolicy",),
    "recollection": ("ExplainedSegment", "MemoryAccess", "Recollected", "Recollection"),
    "remembering": ("DocumentAccess", "Evidence", "FactAccess", "KnownDocument", "KnownFact", "OpenedDocument"),
    "results": ("Attachment", "ToolResult"),
    "settings": ("Secret",),
    "stage_data": ("Message", "No", "Output", "Prompt", "Reply", "ToolCall", "ToolOutcome", "TurnInfo"),
    "stages": ("StageHandler", "stage"),
    "tools": ("Tool", "tool"),
}
_HOME_OF = {name: module for module, names in _MODULES.items() for name in names}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # On first use: the process that runs cleaners is started often and needs neither tools nor inspect.
        module = _HOME_OF.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
