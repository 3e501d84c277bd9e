"""Errors that say where, what is wrong, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ArgumentsError",
    "CleanerError",
    "DeclarationError",
    "ManifestError",
    "NotTextError",
    "Problem",
    "SdkError",
    "SettingsError",
    "ToolError",
]


class SdkError(Exception):
    """The root of every error the SDK raises on purpose.

    ``where`` names the file, function or stage; ``problem`` says what is wrong; ``next_step`` says what to do.
    """

    def __init__(self, where: str, problem: str, next_step: str) -> None:
        super().__init__(where, problem, next_step)
        self.where = where
        self.problem = problem
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}. {self.next_step}"


class DeclarationError(SdkError):
    """A tool, policy or cleaner is declared in a way that can't work; raised when it is declared."""


class CleanerError(SdkError):
    """A cleaner can't work on this input, for example because it isn't JSON; the output is then left out."""


class NotTextError(CleanerError):
    """A cleaner function returned something that isn't a ``str``."""


class Problem(NamedTuple):
    """What is wrong with one value: its name (``items.0.path``), what is wrong with it, how to mend it."""

    field: str
    reason: str
    hint: str = ""


class ToolError(SdkError):
    """Raised by a tool that can't do what it was asked; the model reads all three parts and may try again.

    ``field`` names the argument that is the cause, or is empty; ``reason`` says what is wrong, ``hint`` what to do.
    """

    def __init__(self, field: str, reason: str, hint: str = "") -> None:
        super().__init__(field, reason, hint)
        self.field = field
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return ". ".join(part for part in (": ".join(filter(None, (self.field, self.reason))), self.hint) if part)


class _ProblemsError(SdkError):
    def __init__(self, where: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        told = "; ".join(": ".join(filter(None, (each.field, each.reason))) for each in self.problems)
        super().__init__(where, told, " ".join(dict.fromkeys(each.hint for each in self.problems if each.hint)))


class ArgumentsError(_ProblemsError):
    """The arguments of a call don't fit the tool's signature; ``problems`` holds one `Problem` for each of them."""


class SettingsError(_ProblemsError):
    """A plugin's settings can't be used; ``problems`` holds one `Problem` for each key."""


class ManifestError(_ProblemsError):
    """A plugin's manifest can't be used; ``problems`` holds one `Problem` for each key that is wrong."""
