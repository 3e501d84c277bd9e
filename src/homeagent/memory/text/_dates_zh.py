"""Chinese time expressions: 2026年5月3日, 上周三, 三天前. Patterns are matched on folded text, in this order."""

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
from homeagent.memory.text._numerals import numeral
from homeagent.memory.text._rules import Reading, rule

if TYPE_CHECKING:
    import re
    from datetime import date

__all__ = ["RULES"]

_N_CHARACTERS = "零〇一二两三四五六七八九十百"
_N = rf"[{_N_CHARACTERS}]{{1,4}}|\d{{1,4}}"
_YEAR = r"(?<!\d)(?P<year>(?:19|20)\d\d|[一二][九〇零][〇零一二三四五六七八九]{2}) ?年"
_SPOKEN_YEAR = r"(?P<spoken>大前年|前年|去年|上一年|今年|本年|明年|来年|后年)"
_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]) ?月"
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9]|二?十[一二三四五六七八九]?|三十一?|[一二三四五六七八九]) ?"
_SPOKEN_MONTH = r"(?P<spoken>上上个?|上个?|这个?|本|当|下下个?|下个?)月"
_PART = r"(?P<part>初|上旬|中旬|下旬|底|末)"
_PARTS = {"初": "early", "上旬": "early", "中旬": "mid", "下旬": "late", "底": "late", "末": "late"}
_YEAR_SHIFT = {
    "大前年": -3, "前年": -2, "去年": -1, "上一年": -1, "今年": 0, "本年": 0, "明年": 1, "来年": 1, "后年": 2,
}  # fmt: skip
_DAY_SHIFT = {
    "大前天": -3, "前天": -2, "前日": -2, "前晚": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "昨儿": -1,
    "今天": 0, "今日": 0, "今晚": 0, "今早": 0, "今晨": 0, "今夜": 0, "今儿": 0,
    "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "明晨": 1, "明儿": 1, "后天": 2, "后日": 2, "后晚": 2, "大后天": 3,
}  # fmt: skip
_WEEKDAY = {name: at for at, name in enumerate("一二三四五六日", 1)} | {"天": 7} | {str(at): at for at in range(1, 7)}
_SEASON = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_FEAST = r"元旦|情人节|妇女节|劳动节|儿童节|教师节|国庆|万圣节|双十一|双11|平安夜|圣诞|跨年夜"
# After 5号: what follows a day of the month; 5号柜, 5号线 and 5号楼 are no days.
_AFTER_DAY = (
    r"(?=$|[\s,.;:!?、。)\-~]|[上中下]午|晚|早|之?[前后]|以[前后]|那天|当天"
    r"|开始|截止|要|去|到|至|有|我|和|还|出|交|是|发)"
)


def _shift(spoken: str) -> int:
    """Return how many weeks or months 上, 上上, 下 ... lie away."""
    return spoken.count("下") - spoken.count("上")


def _month_day(year: int | None, month: int, day: int, today: date | None) -> DayRange | None:
    """Return the day; without a year the one nearest to today."""
    if year is not None:
        return day_of(year, month, day)
    if today is None:
        return None
    return nearest(today, [day_of(today.year + shift, month, day) for shift in (-1, 0, 1)])


def _year(match: re.Match[str], today: date | None) -> int | None:
    """Return the year of a match, written or spoken (去年)."""
    named = match.groupdict()
    if named.get("year"):
        return numeral(named["year"] or "")
    if named.get("spoken") and today is not None:
        return today.year + _YEAR_SHIFT[match["spoken"]]
    return None


@rule(
    rf"(?:(?:{_YEAR}|{_SPOKEN_YEAR}) ?的?|(?<![\d.])){_MONTH} ?{_DAY}[日号]?"
    rf" ?(?:到|至|-|~)(?!\d+ ?月) ?(?P<last>{_N}) ?[日号]"
)
def _days_of_a_month(match: re.Match[str], today: date | None) -> Reading:
    month, first, last = (numeral(match[name]) or 0 for name in ("month", "day", "last"))
    if match["spoken"] and today is None:
        return None
    start = _month_day(_year(match, today), month, first, today)
    end = day_of(start.start.year, month, last) if start else None
    return DayRange(start.start, end.start) if start and end and end.start >= start.start else start


@rule(rf"(?:{_YEAR}|{_SPOKEN_YEAR}) ?的? ?(?:{_MONTH}份? ?(?:{_DAY}[日号]?(?!\d))?)")
def _year_month_day(match: re.Match[str], today: date | None) -> Reading:
    year, month = _year(match, today), numeral(match["month"]) or 0
    if year is None:
        return None
    return day_of(year, month, numeral(match["day"]) or 0) if match["day"] else month_of(year, month)


@rule(rf"(?<![\d.两]){_MONTH}份? ?{_DAY}(?:[日号]|(?=$|[\s,.;!?。、]))")
def _day_without_year(match: re.Match[str], today: date | None) -> Reading:
    return _month_day(None, numeral(match["month"]) or 0, numeral(match["day"]) or 0, today)


@rule(rf"{_SPOKEN_MONTH}(?:份)?(?: ?的?{_DAY}[日号])?{_PART}?")
def _spoken_month(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    year, month = month_shifted(today, _shift(match["spoken"]))
    if match["day"]:
        return day_of(year, month, numeral(match["day"]) or 0)
    return part_of(month_of(year, month), _PARTS.get(match["part"], ""))


@rule(rf"(?<![\d个上下这本当每正腊岁蜜满{_N_CHARACTERS}])月{_PART}")
def _part_of_this_month(match: re.Match[str], today: date | None) -> Reading:
    return part_of(month_of(today.year, today.month), _PARTS[match["part"]]) if today else None


@rule(
    r"(?P<spoken>上上个?|上个?|这个?|本|下下下?个?|下个?)?"
    r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天1-6])(?![\d个年月日])"
)
def _weekday(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    weekday = _WEEKDAY[match["weekday"]]
    if match["spoken"]:
        return week_of(today, _shift(match["spoken"]), weekday, weekday)
    this, following = week_of(today, 0, weekday, weekday), week_of(today, 1, weekday, weekday)
    # A weekday of this week that is over: what was, or the next one. Both are kept.
    return (this, following) if weekday <= today.weekday() else this


@rule(r"(?P<spoken>上上个?|上个?|这个?|本|下下个?|下个?)?(?:周末|星期末|礼拜末)")
def _weekend(match: re.Match[str], today: date | None) -> Reading:
    return week_of(today, _shift(match["spoken"] or ""), 6, 7) if today else None


@rule(r"(?P<spoken>上上个?|上个?|这个?|本|下下个?|下个?|这一|上一|下一)(?:周|星期|礼拜)(?![一二三四五六日天末年])")
def _week(match: re.Match[str], today: date | None) -> Reading:
    return week_of(today, _shift(match["spoken"])) if today else None


@rule(f"(?<!小)(?:{'|'.join(sorted(_DAY_SHIFT, key=len, reverse=True))})")
def _spoken_day(match: re.Match[str], today: date | None) -> Reading:
    return days_from(today, _DAY_SHIFT[match[0]]) if today else None


@rule(
    rf"(?P<n>{_N}|几|半) ?(?P<unit>天|日|周|个?星期|个?礼拜|个月|年)(?P<half>半)?"
    r"(?:之|以)?(?P<way>前|后)(?!端|台|面|来|者|排|几)"
)
def _so_long_ago(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    sign = -1 if match["way"] == "前" else 1
    if match["n"] == "半" and match["unit"] == "个月":
        return days_from(today, *sorted((12 * sign, 18 * sign)))
    if match["n"] == "半":
        months = 6 * sign if match["unit"] == "年" else 0
        return month_of(*month_shifted(today, months)) if months else None
    if match["n"] == "几":
        return days_from(today, *sorted((2 * sign, 9 * sign))) if match["unit"] in "天日" else None
    return _away(today, sign * (numeral(match["n"]) or 0), match["unit"])


def _away(today: date, count: int, unit: str) -> DayRange | None:
    """Return the day, week's days around it, month or year that lies ``count`` units away: as exact as it was said."""
    if unit in ("天", "日"):
        return days_from(today, count)
    if "周" in unit or "星期" in unit or "礼拜" in unit:
        return days_from(today, 7 * count - 3, 7 * count + 3)
    if "月" in unit:
        return month_of(*month_shifted(today, count))
    return year_of(today.year + count)


@rule(rf"(?:最近|过去|近|前)(?:的|这)?(?P<n>{_N}|几) ?(?P<unit>天|周|个?星期|个?礼拜|个月|年)(?!前|后|级)")
def _lately(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    count = 7 if match["n"] == "几" else numeral(match["n"]) or 0
    length = {"天": 1, "月": 30, "年": 365}.get(match["unit"][-1], 7)
    return days_from(today, -min(count * length, 36500), 0)


@rule(rf"(?:(?:{_YEAR}|{_SPOKEN_YEAR}) ?的?)?(?P<season>[春夏秋冬])(?:天|季)(?!装|服|裙)")
def _season(match: re.Match[str], today: date | None) -> Reading:
    year = _year(match, today)
    name = _SEASON[match["season"]]
    if year is None:
        if today is None or not _said_as_date(match):
            return None
        return nearest(today, [season(today.year + shift, name) for shift in (-1, 0, 1)])
    return season(year, name)


def _said_as_date(match: re.Match[str]) -> bool:
    """Tell whether a season without a year is a time (这个夏天) and no habit (夏天很热)."""
    return match.string[max(0, match.start() - 2) : match.start()].endswith(("这个", "今", "上个", "去"))


@rule(rf"(?:(?:{_YEAR}|{_SPOKEN_YEAR}) ?的?)?(?P<feast>{_FEAST})(?:节|假期|期间)?")
def _feast(match: re.Match[str], today: date | None) -> Reading:
    year = _year(match, today)
    if year is not None:
        return feast(year, match["feast"])
    if today is None:
        return None
    return nearest(today, [feast(today.year + shift, match["feast"]) for shift in (-1, 0, 1)])


@rule(rf"(?:{_YEAR}|{_SPOKEN_YEAR})(?P<part>上半年|下半年|年初|年底|初|底)?(?!级|薪|龄|终|代|会|货|画|夜|检)")
def _year_alone(match: re.Match[str], today: date | None) -> Reading:
    year = _year(match, today)
    if year is None:
        return None
    whole = year_of(year)
    if whole is None or not match["part"]:
        return whole
    first, last = {"上半年": (1, 6), "下半年": (7, 12)}.get(
        match["part"], (1, 2) if "初" in match["part"] else (11, 12)
    )
    start, end = month_of(year, first), month_of(year, last)
    return DayRange(start.start, end.end) if start and end else None


@rule(
    r"(?<![\d.个两])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
    rf"(?:份|{_PART}|(?=$|[\s,.;!?。、的]|[我他她你去要在有])|(?<=\d月)(?![\d一二三四五六七八九十天内租薪供费刊报付结亮]))"
)
def _month_alone(match: re.Match[str], today: date | None) -> Reading:
    if today is None:
        return None
    month, part = numeral(match["month"]) or 0, _PARTS.get(match["part"], "")
    return part_of(nearest(today, [month_of(today.year + shift, month) for shift in (-1, 0, 1)]), part)


@rule(rf"(?<![\d.月\-]){_DAY}号{_AFTER_DAY}")
def _day_alone(match: re.Match[str], today: date | None) -> Reading:
    return day_of(today.year, today.month, numeral(match["day"]) or 0) if today else None


RULES = (
    _days_of_a_month, _year_month_day, _day_without_year, _so_long_ago, _lately, _spoken_month,
    _part_of_this_month, _weekday, _weekend,
    _week, _spoken_day, _season, _feast, _year_alone, _month_alone, _day_alone,
)  # fmt: skip
