"""What a reply costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent.models.messages import Usage

__all__ = ["Cost", "Price", "cost"]


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens; ``cached`` for those the server still had (None: they cost what others do)."""

    prompt: float
    completion: float
    cached: float | None = None
    currency: str = "USD"

    def __post_init__(self) -> None:
        if min(self.prompt, self.completion, self.cached or 0.0) < 0:
            raise ValueError("a price can't be negative")


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of money."""

    amount: float
    currency: str = "USD"


def cost(usage: Usage | None, price: Price | None) -> Cost | None:
    """Return what the tokens cost, None when their number or price is not known."""
    if usage is None or price is None:
        return None
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    of_cached = price.prompt if price.cached is None else price.cached
    sum_of_parts = (
        (usage.prompt_tokens - cached) * price.prompt + cached * of_cached + usage.completion_tokens * price.completion
    )
    return Cost(sum_of_parts / 1_000_000, price.currency)
