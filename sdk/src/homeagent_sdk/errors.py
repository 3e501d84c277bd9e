"""Errors that say where, what is wrong, and what to do next."""

from __future__ import annotations

__all__ = ["CleanerError", "DeclarationError", "NotTextError", "SdkError"]


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
