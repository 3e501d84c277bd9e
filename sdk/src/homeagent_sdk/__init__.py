"""What a HomeAgent plugin needs: typed tools, memory policies and cleaners. Standard library only."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent_sdk.cleaner_language import parse_cleaner
    from homeagent_sdk.cleaners import drop_ansi, head, html_text, json_field, lines, regex
    from homeagent_sdk.context import ToolContext
    from homeagent_sdk.errors import CleanerError, DeclarationError, NotTextError, SdkError
    from homeagent_sdk.function_cleaners import function_cleaner, import_function_cleaner
    from homeagent_sdk.pipeline import Cleaner, Stage
    from homeagent_sdk.policy import MemoryPolicy
    from homeagent_sdk.tools import Tool, tool

__all__ = [
    "Cleaner",
    "CleanerError",
    "DeclarationError",
    "MemoryPolicy",
    "NotTextError",
    "SdkError",
    "Stage",
    "Tool",
    "ToolContext",
    "drop_ansi",
    "function_cleaner",
    "head",
    "html_text",
    "import_function_cleaner",
    "json_field",
    "lines",
    "parse_cleaner",
    "regex",
    "tool",
]

_MODULES = {
    "cleaner_language": ("parse_cleaner",),
    "cleaners": ("drop_ansi", "head", "html_text", "json_field", "lines", "regex"),
    "context": ("ToolContext",),
    "errors": ("CleanerError", "DeclarationError", "NotTextError", "SdkError"),
    "function_cleaners": ("function_cleaner", "import_function_cleaner"),
    "pipeline": ("Cleaner", "Stage"),
    "policy": ("MemoryPolicy",),
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
