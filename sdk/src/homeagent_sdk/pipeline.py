"""What a cleaner is: one or more stages, each ``str -> str``, applied from left to right."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from homeagent_sdk.errors import NotTextError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Cleaner", "Stage", "single_stage"]


class Stage(NamedTuple):
    """One step of a cleaner.

    ``spec`` is how the step is written in the cleaner language, ``identity`` changes whenever its results may change,
    ``is_json`` marks a step that reads JSON (skipped for outputs flagged as errors).
    """

    spec: str
    identity: str
    is_json: bool
    run: Callable[[str], str]


class Cleaner:
    """A pure, immutable ``str -> str`` made of stages; join two with ``|``.

    Equal when their identities are equal. Calling it raises ``CleanerError`` for a text it can't work on; a function
    stage may raise anything. The core runs cleaners where they can be killed.
    """

    __slots__ = ("_stages",)
    _stages: tuple[Stage, ...]

    def __init__(self, stages: tuple[Stage, ...]) -> None:
        # Frozen by hand: dataclasses would cost the cleaner process 10 ms at every start.
        object.__setattr__(self, "_stages", stages)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Cleaner can't be changed ({name}); build a new one")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The steps, in the order in which they run."""
        return self._stages

    @property
    def spec(self) -> str:
        """The canonical text of this cleaner, which ``parse_cleaner`` reads back."""
        return " | ".join(stage.spec for stage in self._stages)

    @property
    def identity(self) -> str:
        """A text that is the same exactly as long as the results are; part of the policy fingerprint."""
        return " | ".join(stage.identity for stage in self._stages)

    def for_error_output(self) -> Cleaner | None:
        """Return the cleaner for an output flagged as an error: without JSON stages; None if nothing is left."""
        stages = tuple(stage for stage in self._stages if not stage.is_json)
        if len(stages) == len(self._stages):
            return self
        return Cleaner(stages) if stages else None

    def __call__(self, text: str, /) -> str:
        """Return what the stages make of ``text``. Raises ``CleanerError``, or whatever a function stage raises."""
        for stage in self._stages:
            result: object = stage.run(text)
            if not isinstance(result, str):
                raise NotTextError(
                    stage.spec, f"returned {type(result).__name__}, not str", "Return the cleaned text as a str"
                )
            text = result
        return text

    def __or__(self, other: Cleaner | Callable[[str], str]) -> Cleaner:
        return Cleaner(self._stages + _as_cleaner(other).stages)

    def __ror__(self, other: Callable[[str], str]) -> Cleaner:
        return Cleaner(_as_cleaner(other).stages + self._stages)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cleaner) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"<Cleaner {self.spec}>"


def single_stage(spec: str, version: int, run: Callable[[str], str], *, is_json: bool = False) -> Cleaner:
    """Build a built-in cleaner of one stage; raise ``version`` whenever ``run`` may give other results."""
    return Cleaner((Stage(spec, f"{spec}@{version}", is_json, run),))


def _as_cleaner(value: Cleaner | Callable[[str], str]) -> Cleaner:
    if isinstance(value, Cleaner):
        return value
    # Late: wrapping a function needs inspect and hashlib, the built-ins don't.
    from homeagent_sdk.function_cleaners import function_cleaner

    return function_cleaner(value)
