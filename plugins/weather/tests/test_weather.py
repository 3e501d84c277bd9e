"""The tools against a stand-in of open-meteo (see standin.py); the real service is not asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from standin import standing_in
from weather import plugin
from weather.words import sky

from homeagent_sdk.testing import FakeHost

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.server import ThreadingHTTPServer

    from homeagent_sdk import ToolResult


@pytest.fixture
def service() -> Iterator[ThreadingHTTPServer]:
    with standing_in() as server:
        yield server


def call(url: str, tool: str, *, home: str = "", places: str = "", **arguments: object) -> ToolResult:
    async def run() -> ToolResult:
        settings = {"forecast_url": url, "places_url": places or url, "place": home}
        async with FakeHost(plugin, settings=settings) as host:
            return await host.call(tool, **arguments)

    return asyncio.run(run())


def test_the_present_weather_in_english_and_chinese(service: ThreadingHTTPServer) -> None:
    english = call(service.url, "weather_now", home="Berlin")
    assert english.text == (
        "Berlin, State of Berlin, Germany, 2026-05-01 10:15 (Europe/Berlin): light rain, 14.2°C, feels like 12.9°C, "
        "humidity 61%, rain 0.4 mm, wind 11.5 km/h"
    )
    chinese = call(service.url, "weather_now", place="上海")
    assert chinese.text == (
        "上海, 中国, 2026-05-01 10:15 (Asia/Shanghai): 小雨，14.2°C，体感 12.9°C，湿度 61%，降水 0.4 毫米，风速 11.5 公里/小时"
    )
    assert service.asked[-1][1]["timezone"] == "auto"
    assert service.asked[-2][1]["language"] == "zh"


def test_the_forecast_has_a_line_for_each_day_and_leaves_out_what_the_model_does_not_say(
    service: ThreadingHTTPServer,
) -> None:
    found = call(service.url, "weather_forecast", place="Berlin", days=3)
    assert found.text.splitlines() == [
        "Berlin, State of Berlin, Germany (Europe/Berlin)",
        "2026-05-01: light rain, 8.3 to 17.1°C, rain 4.2 mm (chance 83%), wind up to 21.6 km/h",
        "2026-05-02: overcast, 7.9 to 19°C, rain 0 mm (chance 12%), wind up to 14 km/h",
        "2026-05-03: clear, 10 to 22.4°C, rain 0 mm, wind up to 9.7 km/h",
    ]
    assert "晴，10 到 22.4°C" in call(service.url, "weather_forecast", place="上海", days=3).text


def test_what_can_not_be_told_says_why_and_what_to_do(service: ThreadingHTTPServer) -> None:
    unknown = call(service.url, "weather_now", place="Nowhereville")
    assert unknown.error
    assert "no place is called 'Nowhereville'" in unknown.text
    assert "Ask the person where they mean" in call(service.url, "weather_now").text
    assert "Give 1 to 16" in call(service.url, "weather_forecast", place="Berlin", days=17).text
    down = call("http://127.0.0.1:9", "weather_now", place="Berlin")
    assert down.error
    assert "can't be reached" in down.text
    broken = call(service.url, "weather_now", place="Berlin", places=f"{service.url}/broken")
    assert "answered 502 and no JSON" in broken.text
    refused = call(f"{service.url}/other", "weather_now", place="Berlin", places=service.url)
    assert "refused (404: Not Found)" in refused.text


def test_a_code_that_is_not_in_the_table_is_named() -> None:
    assert (sky(42, "en"), sky(42, "zh")) == ("weather code 42", "天气代码 42")
