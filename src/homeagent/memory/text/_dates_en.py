"""English time expressions and dates in digits: 8 May 2023, 29.12.2023, last Wednesday, two weeks ago."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.text._calendar import (
    DayRange,
    day_of,
    days_from,
    feast,
    month_of,
    month_shifted,
    nearest,
    part_of,
    season,
    week_of,
    year_of,
)  # fmt: skip
from homeagent.memory.text._rules import Reading, rule

if TYPE_CHECKING:
    import re
    from datetime import date

__all__ = ["DIGIT_RULES", "RULES"]

_MONTHS = {
    name: at
    for at, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNT = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_NUMBERS = {
    name: at for at, name in enumerate(_COUNT.split("|"), 1)
} | {"a": 1, "an": 1, "couple": 2, "a couple of": 2, "a couple": 2}  # fmt: skip
_N = rf"(?P<n>\d{{1,3}}|a couple of|a couple|an?|{_COUNT}|a few|several)"
_UNIT = r"(?P<unit>day|night|fortnight|week|weekend|month|year)s?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?![\d.,:/%-]\d|\d)"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?P<th>st|nd|rd|th)?(?![\d:%]|\.\d)"
_LENGTH = {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14, "month": 30}
_PARTS = {
    "beginning of": "early", "start of": "early", "end of": "late", "early": "early", "late": "late", "mid": "mid",
    "mid-": "mid",
}  # fmt: skip
_WAY = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1, "coming": 1, "following": 1}
_SEASONS = {"spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn", "winter": "winter"}
_FEASTS = (
    r"christmas eve|christmas|xmas|boxing day|halloween|valentine|independence day"
    r"|new year's eve|new year|thanksgiving"
)
_FEAST_WAY = r"last|this past|this|next|coming"
_SEASON = r"spring|summer|autumn|fall|winter"
_SPOKEN = {
    "day before yesterday": -2, "day after tomorrow": 2, "yesterday": -1, "last night": -1, "tomorrow": 1, "today": 0,
    "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
}  # fmt: skip


def _dated(year: str | None, month: int, day: int, today: date | None) -> DayRange | None:
    """Return the day; without a year the one nearest to today."""
    if year:
        return day_of(int(year), month, day)
    if today is None:
        return None
    return nearest(today, [day_of(today.year + shift, month, day) for shift in (-1, 0, 1)])


@rule(r"(?<![\w./:-])(?P<year>(?:19|20)\d\d)(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\d-]|[./]\d)")
def _year_first(match: re.Match[str], today: date | None) -> Reading:  # noqa: ARG001 - every reader has this form
    if match["mark"] == "." and len(match["month"] + match["day"]) < 4:
        return None  # 2024.1.2 is a version
    return day_of(int(match["year"]), int(match["month"]), int(match["day"]))


@rule(r"(?<![\w./:-])(?P<one>\d{1,2})(?P<mark>[./])(?P<two>\d{1,2})(?P=mark)(?P<year>(?:19|20)\d\d)(?![\d-]|[./]\d)")
def _year_last(match: re.Match[str], today: date | None) -> Reading:  # noqa: ARG001 - every reader has this form
    one, two, year = int(match["one"]), int(match["two"]), int(match["year"])
    # Points: the day comes first. Strokes: the month, as in America, unless that can't be.
    if match["mark"] == "." or one > 12:
        return day_of(year, two, one)
    return day_of(year, one, two)


@rule(rf"(?<![\w.$]){_DAY}(?: of)?[ ,-]*{_MONTH}(?:,? (?:of )?{_YEAR})?(?!\w)")
def _day_month(match: re.Match[str], today: date | None) -> Reading:
    month = _MONTHS[match["month"].lower()]
    if match["month"].lower() == "may" and not (match["month"][0] == "M" or match["th"] or match["year"]):
        return None
    return _dated(match["year"], month, int(match["day"]), today)


@rule(
    rf"\b{_MONTH} (?:the )?{_DAY}"
    r"(?: ?(?:-|to|through|until) ?(?P<last>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\d:%]))?"
    rf"(?:,? (?:of )?{_YEAR})?(?!\w)"
)
def _month_day(match: re.Match[str], today: date | None) -> Reading:
    month = _MONTHS[match["month"].lower()]
    if match["month"].lower() in ("may", "march", "mar") and not (
        match["month"][0] == "M" or match["th"] or match["year"]
    ):
        return None
    start = _dated(match["year"], month, int(match["day"]), today)
    end = day_of(start.start.year, month, int(match["last"])) if start and match["last"] else None
    return DayRange(start.start, end.start) if start and end and end.start > start.start else start


@rule(rf"\b{_MONTH},? (?:of )?{_YEAR}(?!\w)")
def _month_year(match: re.Match[str], today: date | None) -> Reading:  # noqa: ARG001 - every reader has this form
    return month_of(int(match["year"]), _MONTHS[match["month"].lower()])


@rule(rf"\b(?P<way>last|this|next|previous|coming) {_MONTH}(?!\w)")
def _way_month(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    month, way = _MONTHS[match["month"].lower()], _WAY[match["way"].lower()]
    if way == 0:
        return month_of(today.year, month)
    over = month < today.month if way < 0 else month <= today.month
    return month_of(today.year - (not over) if way < 0 else today.year + over, month)


@rule(
    r"\b(?P<lead>in|since|during|until|till|by|(?:beginning|start|end) of|of|from|early|late|mid|after|before|mid-) ?"
    rf"{_MONTH}(?! \d)(?!\w)"
)
def _month_alone(match: re.Match[str], today: date | None) -> Reading:
    if today is None or (match["month"].lower() in ("may", "march", "mar") and match["month"][0] != "M"):
        return None
    month, lead = _MONTHS[match["month"].lower()], match["lead"].lower()
    found = nearest(today, [month_of(today.year + shift, month) for shift in (-1, 0, 1)])
    return part_of(found, _PARTS.get(lead, ""))


@rule(rf"\b(?:the )?(?P<part>{'|'.join(_PARTS)})(?: of)? (?P<way>the|this|next|last) month\b")
def _part_of_month(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    year, month = month_shifted(today, _WAY.get(match["way"].lower(), 0))
    return part_of(month_of(year, month), _PARTS[match["part"].lower()])


@rule(rf"\b(?:the )?({'|'.join(_SPOKEN)})\b")
def _spoken_day(match: re.Match[str], today: date | None) -> Reading:
    return days_from(today, _SPOKEN[match[1].lower()]) if today else None


@rule(
    rf"\b(?:the )?(?P<weekday>{'|'.join(_WEEKDAYS)})"
    r" (?:(?P<which>before last|after next)|(?:of )?(?P<way>last|this|next) week)\b"
)
def _weekday_of_week(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    weekday = _WEEKDAYS.index(match["weekday"].lower()) + 1
    if match["way"]:
        return week_of(today, _WAY[match["way"].lower()], weekday, weekday)
    if match["which"].lower() == "after next":
        return week_of(today, 2, weekday, weekday)
    return days_from(today, -((today.weekday() + 1 - weekday) % 7 or 7) - 7)


@rule(
    r"\b(?:(?P<way>last|previous|this past|past|this coming|this|next|coming|following) )?"
    rf"(?P<weekday>{'|'.join(_WEEKDAYS)})s?\b"
)
def _weekday(match: re.Match[str], today: date | None) -> Reading:
    if today is None or match[0].lower().endswith("days"):  # "on Mondays" is a habit
        return None
    weekday = _WEEKDAYS.index(match["weekday"].lower()) + 1
    back = (today.weekday() + 1 - weekday) % 7
    match (match["way"] or "").lower().split():
        case ["last" | "previous" | "past"] | ["this", "past"]:
            return days_from(today, -(back or 7))
        case ["next" | "following"]:
            return week_of(today, 1, weekday, weekday)
        case ["coming"] | ["this", "coming"]:
            return days_from(today, 7 - back)
        case ["this"]:
            return week_of(today, 0, weekday, weekday)
    # A bare weekday: the one just over or the one to come. Both are kept.
    return (days_from(today, -back), days_from(today, 7 - back)) if back else days_from(today, 0)


@rule(r"\b(?:the )?(?P<unit>week|weekend|month|year) (?P<which>before last|after next)\b")
def _before_last(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    return _unit(today, match["unit"].lower(), -2 if match["which"].lower() == "before last" else 2)


@rule(
    r"\b(?P<way>last|previous|this past|past|this coming|this|next|coming|following)"
    r" (?P<unit>week|weekend|month|year)(?! and a)\b"
)
def _way_unit(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    way, unit = match["way"].lower(), match["unit"].lower()
    if way == "this coming":
        return _unit(today, unit, 0 if unit == "weekend" else 1)
    return _unit(today, unit, _WAY[way.removeprefix("this ")])


def _unit(today: date, unit: str, shift: int) -> DayRange | None:
    """Return the week, weekend, month or year ``shift`` of them away."""
    match unit:
        case "week":
            return week_of(today, shift)
        case "weekend":
            return week_of(today, shift, 6, 7)
        case "month":
            return month_of(*month_shifted(today, shift))
    return year_of(today.year + shift)


@rule(rf"\b{_N} (?P<weekday>{'|'.join(_WEEKDAYS)})s? ago\b")
def _weekdays_ago(match: re.Match[str], today: date | None) -> Reading:
    number = match["n"].lower()
    if today is None or number in ("a few", "several"):
        return None
    weekday = _WEEKDAYS.index(match["weekday"].lower()) + 1
    count = _NUMBERS.get(number) or int(number)
    return days_from(today, -((today.weekday() + 1 - weekday) % 7 or 7) - 7 * (count - 1))


@rule(rf"\b{_N} {_UNIT}(?: and a half)? (?P<way>ago|back|earlier|later|from now|from today)\b")
def _so_long_ago(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    return _away(today, match["n"], match["unit"], -1 if match["way"].lower() in ("ago", "back", "earlier") else 1)


@rule(rf"\b(?:in|within) (?!an? day\b){_N} {_UNIT}(?:' time)?(?! (?:ago|of))\b")
def _in_so_long(match: re.Match[str], today: date | None) -> Reading:
    return _away(today, match["n"], match["unit"], 1) if today else None


def _away(today: date, number: str, unit: str, sign: int) -> DayRange | None:
    """Return what lies so far away, as exact as it was said: a day, the days around a week, a month, a year."""
    number, unit = number.lower(), unit.lower()
    if number in ("a few", "several"):
        length = _LENGTH.get(unit, 365)
        return days_from(today, *sorted((2 * length * sign, 6 * length * sign)))
    count = sign * (_NUMBERS.get(number) or int(number))
    if unit in ("day", "night"):
        return days_from(today, count)
    if unit in ("week", "fortnight"):
        middle = (7 if unit == "week" else 14) * count
        return days_from(today, middle - 3, middle + 3)
    return _unit(today, unit, count)


@rule(rf"\b(?:the )?(?:last|past|previous) (?P<n>\d{{1,3}}|few|couple of|couple|{_COUNT}) {_UNIT}\b")
def _lately(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    number = match["n"].lower()
    count = 5 if number == "few" else 2 if number.startswith("couple") else _NUMBERS.get(number) or int(number)
    return days_from(today, -count * _LENGTH.get(match["unit"].lower(), 365), 0)


@rule(
    rf"\b(?P<season>{_SEASON})(?:(?: of|,|') ?| ){_YEAR}"
    rf"|\b(?P<way>{_FEAST_WAY}) (?P<season2>{_SEASON})\b(?! break)"
)
def _season(match: re.Match[str], today: date | None) -> Reading:
    name = _SEASONS[(match["season"] or match["season2"]).lower()]
    if match["year"]:
        return season(int(match["year"]), name)
    if today is None:
        return None
    years = [found for shift in (-2, -1, 0, 1, 2) if (found := season(today.year + shift, name))]
    match match["way"].lower():
        case "last" | "this past":
            return max((found for found in years if found.end < today), default=None)
        case "next" | "coming":
            return min((found for found in years if found.start > today), default=None)
    return season(today.year, name)


@rule(rf"\b(?:(?P<way>{_FEAST_WAY}) )?(?P<feast>{_FEASTS})\b(?:'s)?(?: day)?(?:,? {_YEAR})?")
def _feast(match: re.Match[str], today: date | None) -> Reading:
    name = match["feast"].lower()
    if match["year"]:
        return feast(int(match["year"]), name)
    if today is None:
        return None
    years = [found for shift in (-1, 0, 1) if (found := feast(today.year + shift, name))]
    match (match["way"] or "").lower():
        case "last" | "this past":
            return max((found for found in years if found.end < today), default=None)
        case "next" | "coming":
            return min((found for found in years if found.start > today), default=None)
    return nearest(today, list(years))


@rule(
    rf"\b(?:in|since|during|of|from|until|till|by|year|before|after|through|early|late|mid|mid-) ?{_YEAR}"
    r"(?! ?(?:people|users|kg|mb|gb|usd|eur|dollars|calories|steps|words|times)\b)"
)
def _year_alone(match: re.Match[str], today: date | None) -> Reading:  # noqa: ARG001 - every reader has this form
    return year_of(int(match["year"]))


@rule(
    r"\b(?:on|by|until|since|before|after) (?:the )?(?P<day>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)\b"
    r"(?! (?:floor|street|birthday|anniversary|place|grade|time|avenue|century|row|edition|version|one|day"
    r"|of|week|year|month|round|chapter|season|largest|best))"
)
def _day_alone(match: re.Match[str], today: date | None) -> Reading:
    return day_of(today.year, today.month, int(match["day"])) if today else None


DIGIT_RULES = (_year_first, _year_last)
RULES = (
    _day_month, _month_day, _month_year, _way_month, _part_of_month, _spoken_day, _weekdays_ago,
    _weekday_of_week, _weekday, _before_last, _lately, _so_long_ago,
    _in_so_long, _season, _way_unit, _feast, _month_alone, _year_alone, _day_alone,
)  # fmt: skip
