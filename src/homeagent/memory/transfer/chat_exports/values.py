"""Looking into JSON that others wrote: what is not as expected is said with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from homeagent.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Value"]

_STEP = "Export your data again, or report this with the first lines of the file; nothing was kept"


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value and where it stands. Raises `InputError` naming that place for what is of another kind."""

    value: object
    where: str

    def __getitem__(self, key: str) -> Value:
        """Return the value under a key of this object; None under a key that it does not have."""
        if self.value is None:
            return Value(None, f"{self.where}.{key}")
        if not isinstance(self.value, Mapping):
            raise self.error("expected an object")
        return Value(self.value.get(key), f"{self.where}.{key}")

    def __bool__(self) -> bool:
        return bool(self.value)

    def __iter__(self) -> Iterator[Value]:
        """Yield the values of this list, none for null."""
        if self.value is None:
            return
        if not isinstance(self.value, list):
            raise self.error("expected a list")
        for place, each in enumerate(self.value):
            yield Value(each, f"{self.where}[{place}]")

    def items(self) -> Iterator[tuple[str, Value]]:
        """Yield the keys and values of this object."""
        if not isinstance(self.value, Mapping):
            raise self.error("expected an object")
        for key, each in self.value.items():
            yield str(key), Value(each, f"{self.where}.{key}")

    def text(self) -> str:
        """Return this string, empty for null."""
        if self.value is None:
            return ""
        if not isinstance(self.value, str):
            raise self.error("expected text")
        return self.value

    def seconds(self) -> datetime | None:
        """Return this number of seconds since 1970 as a moment in UTC, None for null and 0."""
        if self.value is None or self.value == 0:
            return None
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.error("expected a number of seconds")
        try:
            return datetime.fromtimestamp(self.value, UTC)
        except (OverflowError, OSError, ValueError) as error:
            raise self.error("expected a number of seconds") from error

    def moment(self) -> datetime | None:
        """Return this ISO 8601 text as a moment, in UTC where it names no zone; None for null and empty text."""
        text = self.text()
        if not text:
            return None
        try:
            found = datetime.fromisoformat(text)
        except ValueError as error:
            raise self.error("expected a time such as 2026-05-01T10:00:00Z") from error
        return found if found.tzinfo is not None else found.replace(tzinfo=UTC)

    def error(self, expected: str) -> InputError:
        """Return the error that this value is not what was expected."""
        return InputError(self.where, f"{expected}, got {type(self.value).__name__}", _STEP)
