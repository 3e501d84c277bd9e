"""What of a tool's or channel's text may enter computation."""

from __future__ import annotations

from dataclasses import dataclass

from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.pipeline import Cleaner

__all__ = ["MemoryPolicy"]


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """How one source of text enters the memory's computed half; the raw text is always kept.

    ``no_memory``: neither output nor arguments are computed. ``cleaner``: only its result is computed. Neither: plain.
    """

    no_memory: bool = False
    cleaner: Cleaner | None = None

    def __post_init__(self) -> None:
        no_memory: object = self.no_memory
        cleaner: object = self.cleaner
        if not isinstance(no_memory, bool):
            raise DeclarationError("MemoryPolicy", f"no_memory is {no_memory!r}", "Write True or False")
        if cleaner is not None and not isinstance(cleaner, Cleaner):
            raise DeclarationError(
                "MemoryPolicy",
                f"cleaner is a {type(cleaner).__name__}, not a Cleaner",
                'Write parse_cleaner("json(content)") or function_cleaner(clean)',
            )
        if no_memory and cleaner is not None:
            raise DeclarationError(
                "MemoryPolicy",
                "no_memory and cleaner contradict each other: what is never computed needs no cleaning",
                "Keep one of the two",
            )
