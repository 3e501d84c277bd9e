"""The settings of the terminals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

__all__ = ["TerminalSettings"]


@dataclass(frozen=True)
class TerminalSettings:
    """How many terminals there may be, for how long, and what the person is asked."""

    ask: Annotated[
        Literal["input", "opening", "never"],
        "what the person is asked about: opening a terminal and each input, only opening one, or nothing",
    ] = "input"
    sessions: Annotated[int, "how many terminals may run at the same time"] = 4
    idle_seconds: Annotated[float, "a terminal that is not used for so long is closed"] = 1800.0
    buffer_bytes: Annotated[int, "how much unread output is kept; the oldest goes first"] = 1024 * 1024
    read_bytes: Annotated[int, "how much output one call returns at most"] = 64 * 1024
    folder: Annotated[str, "where programs start; your home folder if empty"] = ""
    shell: Annotated[str, "what runs when no command is given; your own shell if empty"] = ""
    keep_variables: Annotated[
        tuple[str, ...], "environment variables that programs may see although they look like secrets"
    ] = ()
    hide_variables: Annotated[
        tuple[str, ...],
        "further environment variables that programs may not see; those with the keys of models they never do",
    ] = ()

    def __post_init__(self) -> None:
        """Refuse what can't work."""
        for name, least in (("sessions", 1), ("idle_seconds", 0.1), ("buffer_bytes", 1000), ("read_bytes", 100)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}: {getattr(self, name)} is less than {least}")
