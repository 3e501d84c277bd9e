"""The one root of every error this program raises on purpose: where, what, and what to do next."""

from __future__ import annotations

__all__ = [
    "ConfigError",
    "DamagedError",
    "EmbedError",
    "HomeAgentError",
    "HomeError",
    "InputError",
    "NotFoundError",
    "OutdatedError",
    "PolicyError",
    "StoreError",
]


class HomeAgentError(Exception):
    """An error a person can act on.

    ``where`` names the file, line, option or row; ``problem`` says what is wrong there; ``next_step`` says what to do.
    """

    def __init__(self, where: str, problem: str, next_step: str) -> None:
        super().__init__(where, problem, next_step)
        self.where = where
        self.problem = problem
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}. {self.next_step}"


class ConfigError(HomeAgentError):
    """The configuration holds something that can't be used."""


class HomeError(HomeAgentError):
    """The home folder can't be used: not there, not ours, read-only, full."""


class StoreError(HomeAgentError):
    """A database file is damaged, locked for too long, or written by a newer version."""


class DamagedError(StoreError):
    """A database file is no database, or some of its pages are wrong."""


class OutdatedError(StoreError):
    """A database file of an older version that is not brought up to date but made again."""


class InputError(HomeAgentError):
    """What was handed in can't be kept as it is; nothing of it was kept."""


class NotFoundError(HomeAgentError):
    """No turn, segment or document has that id."""


class PolicyError(HomeAgentError):
    """A memory policy or cleaner that contradicts itself or can't be read."""


class EmbedError(HomeAgentError):
    """The embedder can't be loaded or did not answer."""
