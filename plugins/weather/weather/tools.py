"""The tools and the settings. Both tools are ``no_memory``: the weather of that day is old tomorrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from homeagent_sdk import ToolContext, ToolError, tool
from weather.openmeteo import Day, Now, OpenMeteo, Place
from weather.words import Language, language_of, sky

__all__ = ["WeatherSettings", "weather_forecast", "weather_now"]

_MOST_DAYS: Final = 16


@dataclass(frozen=True)
class WeatherSettings:
    """Where the home is, and who is asked."""

    place: Annotated[str, "where the home is, e.g. Berlin or 上海; asked about when no place is named"] = ""
    forecast_url: Annotated[str, "the forecast service"] = "https://api.open-meteo.com"
    places_url: Annotated[str, "the service that finds places by name"] = "https://geocoding-api.open-meteo.com"


@tool(no_memory=True, parallel=True)
async def weather_now(context: ToolContext, place: str = "") -> str:
    """Tell the present weather.

    Args:
        place: A town, in English or Chinese; the home's own if left out.
    """
    service, found, language = await _found(context, place)
    report = await service.report(found)
    if report.now is None:
        raise ToolError("place", "the service has no present weather for it", "Ask for a forecast")
    return _spoken_now(found, report.zone, report.now, language)


@tool(no_memory=True, parallel=True)
async def weather_forecast(context: ToolContext, place: str = "", days: int = 3) -> str:
    """Tell the weather of today and the days after it, a line for each day.

    Args:
        place: A town, in English or Chinese; the home's own if left out.
        days: How many days, 1 to 16, today included.
    """
    if not 1 <= days <= _MOST_DAYS:
        raise ToolError("days", f"is {days}", f"Give 1 to {_MOST_DAYS}")
    service, found, language = await _found(context, place)
    report = await service.report(found, days=days)
    if not report.days:
        raise ToolError("place", "the service has no forecast for it", "Ask for another place")
    return "\n".join([f"{found.name} ({report.zone})", *(_spoken_day(day, language) for day in report.days)])


async def _found(context: ToolContext, place: str) -> tuple[OpenMeteo, Place, Language]:
    settings = context.settings(WeatherSettings)
    name = place.strip() or settings.place.strip()
    if not name:
        raise ToolError("place", "is missing, and the home has none", "Ask the person where they mean")
    language = language_of(name)
    service = OpenMeteo(settings.forecast_url.rstrip("/"), settings.places_url.rstrip("/"))
    return service, await service.place(name, language), language


def _spoken_now(place: Place, zone: str, now: Now, language: Language) -> str:
    head = f"{place.name}, {now.time.replace('T', ' ')} ({zone}): {sky(now.code, language)}"
    if language == "zh":
        return (
            f"{head}，{now.temperature:g}°C，体感 {now.felt:g}°C，湿度 {now.humidity:g}%，"
            f"降水 {now.rain:g} 毫米，风速 {now.wind:g} 公里/小时"
        )
    return (
        f"{head}, {now.temperature:g}°C, feels like {now.felt:g}°C, humidity {now.humidity:g}%, "
        f"rain {now.rain:g} mm, wind {now.wind:g} km/h"
    )


def _spoken_day(day: Day, language: Language) -> str:
    if language == "zh":
        chance = "" if day.chance is None else f"，降水概率 {day.chance:g}%"
        return (
            f"{day.date}：{sky(day.code, language)}，{day.low:g} 到 {day.high:g}°C，降水 {day.rain:g} 毫米{chance}，"
            f"最大风速 {day.wind:g} 公里/小时"
        )
    chance = "" if day.chance is None else f" (chance {day.chance:g}%)"
    return (
        f"{day.date}: {sky(day.code, language)}, {day.low:g} to {day.high:g}°C, rain {day.rain:g} mm{chance}, "
        f"wind up to {day.wind:g} km/h"
    )
