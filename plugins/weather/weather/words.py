"""How the weather is spoken of, in English and Chinese."""

from __future__ import annotations

import re
from typing import Final, Literal

__all__ = ["Language", "language_of", "sky"]

Language = Literal["en", "zh"]

_HAN: Final = re.compile("[\u3400-\u9fff]")

# WMO code table 4677, as far as open-meteo uses it.
_SKY: Final = {
    0: ("clear", "晴"),
    1: ("mainly clear", "大部晴朗"),
    2: ("partly cloudy", "局部多云"),
    3: ("overcast", "阴"),
    45: ("fog", "雾"),
    48: ("freezing fog", "雾凇"),
    51: ("light drizzle", "小毛毛雨"),
    53: ("drizzle", "毛毛雨"),
    55: ("dense drizzle", "大毛毛雨"),
    56: ("light freezing drizzle", "轻度冻毛毛雨"),
    57: ("freezing drizzle", "冻毛毛雨"),
    61: ("light rain", "小雨"),
    63: ("rain", "中雨"),
    65: ("heavy rain", "大雨"),
    66: ("light freezing rain", "小冻雨"),
    67: ("freezing rain", "冻雨"),
    71: ("light snow", "小雪"),
    73: ("snow", "中雪"),
    75: ("heavy snow", "大雪"),
    77: ("snow grains", "米雪"),
    80: ("light showers", "小阵雨"),
    81: ("showers", "阵雨"),
    82: ("violent showers", "强阵雨"),
    85: ("light snow showers", "小阵雪"),
    86: ("snow showers", "阵雪"),
    95: ("thunderstorm", "雷暴"),
    96: ("thunderstorm with light hail", "雷暴伴小冰雹"),
    99: ("thunderstorm with heavy hail", "雷暴伴大冰雹"),
}


def language_of(*texts: str) -> Language:
    """Return the language of whoever wrote the texts: Chinese as soon as one holds a Chinese character."""
    return "zh" if any(_HAN.search(text) for text in texts) else "en"


def sky(code: int, language: Language) -> str:
    """Return what a WMO weather code means; a code that is not in the table is named."""
    english, chinese = _SKY.get(code, (f"weather code {code}", f"天气代码 {code}"))
    return chinese if language == "zh" else english
