import asyncio
import json

import pytest
from bili import plugin
from bili.extractor import address_of
from stand_in import serving

from homeagent_sdk import ToolError
from homeagent_sdk.testing import FakeHost


def call(video, gateway=None, **settings):
    async def run(address):
        async with FakeHost(plugin, settings={"gateway": address, **settings}) as host:
            return await host.call("bili_video", video=video)

    if gateway:
        return asyncio.run(run(gateway))
    with serving() as own:
        return asyncio.run(run(own))


def test_a_video_is_told_with_chapters_and_subtitles():
    found = json.loads(call("BV1vL411G7N7").text)
    assert (found["id"], found["title"], found["author"]) == (
        "BV1vL411G7N7",
        "【厨房小课】磨刀的角度到底是多少？",
        "爱下厨的阿岚",
    )
    assert (found["published"], found["seconds"], found["views"], found["likes"], found["comments"]) == (
        "2021-10-18",
        254.117,
        88123,
        5120,
        77,
    )
    assert found["tags"] == ["厨房", "磨刀"]
    assert found["chapters"] == [{"at": 0, "title": "泡石头"}, {"at": 60, "title": "找角度"}]
    assert found["subtitle_language"] == "ai-zh"
    assert found["subtitles"][1] == {"at": 4, "text": "先泡十分钟"}
    assert "角度十五度" in found["description"]


def test_a_short_link_leads_to_its_video():
    found = json.loads(call("https://b23.tv/aBc12").text)
    assert found["author"] == "Bread Lab"
    assert [line["text"] for line in found["subtitles"]] == [
        "Keep the dough at four degrees",
        "until Wednesday morning",
    ]


def test_long_subtitles_are_cut():
    found = json.loads(call("BV1vL411G7N7", longest_subtitles=14).text)
    assert ([line["text"] for line in found["subtitles"]], found["subtitles_cut"]) == (
        ["大家好，今天讲磨刀", "先泡十分钟"],
        True,
    )


@pytest.mark.parametrize(
    ("video", "told"),
    [
        ("BV1GoneGone1", "may be deleted or geo-restricted"),
        ("BV1Tired1Out", "412"),
        ("https://www.youtube.com/watch?v=x", "is no video on Bilibili"),
        ("hello", "is no video on Bilibili"),
    ],
)
def test_what_goes_wrong_is_said(video, told):
    result = call(video)
    assert result.error
    assert told in result.text
    assert "report this issue" not in result.text
    assert "--proxy" not in result.text


def test_a_service_that_is_not_there_is_an_error():
    assert call("BV1vL411G7N7", gateway="http://127.0.0.1:9").error


@pytest.mark.parametrize(
    ("video", "address"),
    [
        ("BV1vL411G7N7", "https://www.bilibili.com/video/BV1vL411G7N7"),
        ("av463665680", "https://www.bilibili.com/video/av463665680"),
        (
            "https://m.bilibili.com/video/BV1vL411G7N7?p=3&spm_id_from=333",
            "https://www.bilibili.com/video/BV1vL411G7N7?p=3",
        ),
        ("bilibili.com/video/BV1vL411G7N7/", "https://www.bilibili.com/video/BV1vL411G7N7"),
        ("b23.tv/aBc12", "https://b23.tv/aBc12"),
    ],
)
def test_every_way_to_name_a_video_is_understood(video, address):
    assert address_of(video) == address


@pytest.mark.parametrize(
    "video",
    [
        "file:///etc/passwd",
        "https://bilibili.com.evil.example/video/BV1vL411G7N7",
        "https://www.bilibili.com/read/cv1",
        "https://b23.tv/a/b?x",
    ],
)
def test_other_addresses_are_refused(video):
    with pytest.raises(ToolError):
        address_of(video)
