"""What went wrong between the agent and a model, in the person's language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent import models

if TYPE_CHECKING:
    from homeagent.cli.terminal import Terminal
    from homeagent.errors import HomeAgentError

__all__ = ["problem_of", "step_of"]

_KINDS: Final[tuple[tuple[type[models.ModelError], str], ...]] = (
    (models.KeyMissingError, "model_key_missing"),
    (models.KeyRefusedError, "model_key_refused"),
    (models.CreditError, "model_credit"),
    (models.ContextTooLongError, "model_too_long"),
    (models.BusyError, "model_busy"),
    (models.ModelTimeoutError, "model_slow"),
    (models.ServerDownError, "model_down"),
    (models.BrokenReplyError, "model_broken"),
    (models.EmptyReplyError, "model_silent"),
    (models.RequestRefusedError, "model_refused"),
    (models.NoSourceError, "model_none"),
)


def problem_of(error: HomeAgentError, terminal: Terminal) -> str:
    """Return what is wrong: in Chinese a sentence for the kind of error, then what the server or this machine said."""
    if terminal.language != "zh":
        return error.problem
    for kind, key in _KINDS:
        if isinstance(error, kind):
            return terminal.message(key, problem=terminal.told(error.problem))
    return terminal.told(error.problem)


def step_of(error: HomeAgentError, terminal: Terminal) -> str:
    """Return what to do about it, in the person's language where there are words for it."""
    if terminal.language != "zh":
        return error.next_step  # it may know more than the kind of error says
    told = terminal.told(error.next_step)
    for kind, key in _KINDS:
        if isinstance(error, kind):
            said = terminal.message(f"{key}_next", step=error.next_step)
            in_it = error.next_step in said and told != error.next_step  # it would be said twice
            return told if in_it else said
    return told
