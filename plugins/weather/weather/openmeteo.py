"""What open-meteo is asked and answers: a place by its name, the weather at a place. Parsed here, trusted elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import httpx

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weather.words import Language

__all__ = ["Day", "Now", "OpenMeteo", "Place", "Report"]

_SECONDS: Final = 20.0
_LATER: Final = "Say that the weather can't be had at the moment; try again later"
_CURRENT: Final = "temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,wind_speed_10m"
_DAILY: Final = (
    "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,"
    "wind_speed_10m_max"
)

T = TypeVar("T", int, float, str)


@dataclass(frozen=True, slots=True)
class Place:
    """A place that was found: degrees north and east, and what it is called with its region and country."""

    name: str
    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class Now:
    """The weather at ``time`` (local, ISO 8601): degrees Celsius, per cent, millimetres, kilometres an hour."""

    time: str
    code: int
    temperature: float
    felt: float
    humidity: float
    rain: float
    wind: float


@dataclass(frozen=True, slots=True)
class Day:
    """A day's forecast. ``chance`` of rain is in per cent, None where the model gives none."""

    date: str
    code: int
    high: float
    low: float
    rain: float
    chance: float | None
    wind: float


@dataclass(frozen=True, slots=True)
class Report:
    """What was asked for, in the place's own zone."""

    zone: str
    now: Now | None
    days: tuple[Day, ...]


@dataclass(frozen=True, slots=True)
class OpenMeteo:
    """The two services. Raises ``ToolError`` when one can't be reached or refuses."""

    forecast_url: str
    places_url: str

    async def place(self, name: str, language: Language) -> Place:
        """Return the best known place of that name."""
        found = await _get(f"{self.places_url}/v1/search", {"name": name, "count": "1", "language": language})
        results = found.get("results")
        if not isinstance(results, list) or not results or not isinstance(results[0], dict):
            hint = "Give the name of a town without street or country, e.g. Berlin or 上海"
            raise ToolError("place", f"no place is called {name!r}", hint)
        first = results[0]
        names = (first.get(key) for key in ("name", "admin1", "country"))
        called = ", ".join(dict.fromkeys(each for each in names if isinstance(each, str) and each))
        return Place(called or name, _value(first, "latitude", 0.0), _value(first, "longitude", 0.0))

    async def report(self, place: Place, *, days: int = 0) -> Report:
        """Return the present weather, or with ``days`` (1 to 16) the forecast from today on."""
        asked = {"latitude": f"{place.latitude:.5f}", "longitude": f"{place.longitude:.5f}", "timezone": "auto"}
        asked |= {"daily": _DAILY, "forecast_days": str(days)} if days else {"current": _CURRENT}
        found = await _get(f"{self.forecast_url}/v1/forecast", asked)
        now, daily = found.get("current"), found.get("daily")
        return Report(
            _value(found, "timezone", ""),
            _now(now) if isinstance(now, dict) else None,
            _days(daily) if isinstance(daily, dict) else (),
        )


def _now(found: Mapping[str, object]) -> Now:
    numbers = ("temperature_2m", "apparent_temperature", "relative_humidity_2m", "precipitation", "wind_speed_10m")
    return Now(
        _value(found, "time", ""), _value(found, "weather_code", -1), *(_value(found, name, 0.0) for name in numbers)
    )


def _days(found: Mapping[str, object]) -> tuple[Day, ...]:
    dates = found.get("time")
    return tuple(_day(found, row) for row in range(len(dates) if isinstance(dates, list) else 0))


def _day(found: Mapping[str, object], row: int) -> Day:
    def cell(name: str) -> object:
        column = found.get(name)
        return column[row] if isinstance(column, list) and row < len(column) else None

    values = {name: cell(name) for name in found}
    chance = values.get("precipitation_probability_max")
    return Day(
        _value(values, "time", ""),
        _value(values, "weather_code", -1),
        _value(values, "temperature_2m_max", 0.0),
        _value(values, "temperature_2m_min", 0.0),
        _value(values, "precipitation_sum", 0.0),
        float(chance) if isinstance(chance, int | float) else None,
        _value(values, "wind_speed_10m_max", 0.0),
    )


def _value(found: Mapping[str, object], name: str, otherwise: T) -> T:
    """Return a value of the kind that was promised, or ``otherwise`` where the service left it out (null)."""
    value = found.get(name)
    if isinstance(otherwise, float) and isinstance(value, int | float):
        return float(value)
    return value if isinstance(value, type(otherwise)) else otherwise


async def _get(url: str, asked: Mapping[str, str]) -> Mapping[str, object]:
    try:
        async with httpx.AsyncClient(timeout=_SECONDS) as client:
            answer = await client.get(url, params=asked)
            found: object = answer.json()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ToolError("", f"the weather service can't be reached ({error or type(error).__name__})", _LATER) from None
    except ValueError:
        raise ToolError("", f"the weather service answered {answer.status_code} and no JSON", _LATER) from None
    if not isinstance(found, dict):
        raise ToolError("", "the weather service answered something else than a report", _LATER)
    if answer.is_error or found.get("error"):
        reason = str(found.get("reason") or answer.reason_phrase)
        raise ToolError("", f"the weather service refused ({answer.status_code}: {reason})", _LATER)
    return found
