"""How the agent behaves: who it is, and its limits."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AgentSettings"]


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """``persona`` and ``about`` (the pinned block about the people of the home) stand first in every prompt.

    ``recall_limit`` is how many passages a turn recalls, ``rounds`` how often the model may call tools before it has to
    answer, ``repeats`` how often it may make the very same call. ``tool_seconds`` is how long a call may take when its
    tool says nothing else, ``ask_seconds`` how long a person may think about a question. ``result_characters`` is how
    much of one result the model reads at once. ``window_tokens`` caps prompt and answer together, 0 leaves it to the
    model; ``reply_tokens`` of them are kept free for the answer. ``stage_seconds`` is how long one handler of a stage
    may take.
    """

    persona: str = ""
    about: str = ""
    recall_limit: int = 5
    rounds: int = 24
    repeats: int = 3
    tool_seconds: float = 60.0
    ask_seconds: float = 300.0
    result_characters: int = 24_000
    window_tokens: int = 0
    reply_tokens: int = 2_048
    stage_seconds: float = 5.0
