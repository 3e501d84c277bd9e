import json

import pytest
from bili.cleaning import only_content
from bili.tools import bili_video

from homeagent_sdk.testing import check_cleaner

VIDEO = {
    "id": "BV1vL411G7N7",
    "link": "https://www.bilibili.com/video/BV1vL411G7N7",
    "title": "【厨房小课】磨刀的角度到底是多少？",
    "author": "爱下厨的阿岚",
    "published": "2021-10-18",
    "seconds": 254.117,
    "views": 88123,
    "likes": 5120,
    "comments": 77,
    "tags": ["厨房", "磨刀"],
    "description": "磨刀石先泡水十分钟。\n更多内容：https://www.bilibili.com/read/cv123456。\n",
    "chapters": [{"at": 0, "title": "泡石头"}, {"at": 60, "title": "找角度"}],
    "subtitle_language": "ai-zh",
    "subtitles": [{"at": 0, "text": "大家好，今天讲磨刀"}, {"at": 4, "text": "Thumb on the spine"}],
}
OUTPUT = json.dumps(VIDEO, ensure_ascii=False)
KEPT = """【厨房小课】磨刀的角度到底是多少？ - 爱下厨的阿岚 - 2021-10-18
厨房, 磨刀
磨刀石先泡水十分钟。
更多内容：。
泡石头
找角度
大家好，今天讲磨刀
Thumb on the spine"""


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (OUTPUT, KEPT),
        (json.dumps(VIDEO), KEPT),  # as \uXXXX
        (OUTPUT[: OUTPUT.index("the spine")], KEPT[: KEPT.index(" the spine")]),
        (OUTPUT[: OUTPUT.index('"author"')], "【厨房小课】磨刀的角度到底是多少？"),
        (
            json.dumps(
                {
                    "id": "BV1",
                    "title": "Why sourdough",
                    "author": "",
                    "tags": [],
                    "description": "-",
                    "chapters": [],
                    "subtitles": [],
                }
            ),
            "Why sourdough",
        ),
        (
            '{"error": [{"field": "video", "reason": "This video may be deleted", "hint": "Look"}]}',
            "This video may be deleted",
        ),
        ("took longer than 120 seconds", "took longer than 120 seconds"),
        ('{"id": "BV1vL', ""),
        ("[" * 5000, ""),
    ],
)
def test_what_the_video_says_is_kept(output, kept):
    assert only_content(output) == kept


def test_the_cleaner_is_a_good_one():
    assert (
        check_cleaner(
            bili_video.policy.cleaner, [OUTPUT, "", '{"title": 3}', '{"title": "a", "tags": 3, "chapters": [1]}']
        )
        == []
    )
