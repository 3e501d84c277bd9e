"""The tool ``bili_video``."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Final

from bili.cleaning import only_content
from bili.settings import BiliSettings
from homeagent_sdk import ToolContext, tool

__all__ = ["bili_video"]

_LANGUAGES: Final = ("zh-CN", "zh-Hans", "ai-zh", "zh-Hant", "zh-TW", "zh-HK", "en-US", "en", "ai-en")
_CUE: Final = re.compile(r"(\d+):(\d+):(\d+),\d+ --> .*\n([\s\S]*?)\n\n")


@tool(cleaner=only_content, timeout=120, parallel=True)
def bili_video(context: ToolContext, video: str) -> str:
    """Find out what a video on Bilibili is about: title, author, description, tags, chapters, subtitles; JSON.

    Args:
        video: Its name, e.g. "BV1vL411G7N7", the address of its page, or a b23.tv link.
    """
    from bili.extractor import Extractor  # late: the process that runs the cleaner needs no yt-dlp

    settings = context.settings(BiliSettings)
    with Extractor(settings, context.log) as extractor:
        found = extractor.facts(video)
    return json.dumps(_about(found, settings.longest_subtitles), ensure_ascii=False)


def _about(found: dict[str, object], longest: int) -> dict[str, object]:
    stamp = found.get("timestamp")
    chapters = found.get("chapters")
    about: dict[str, object] = {
        "id": found.get("id"),
        "link": found.get("webpage_url") or found.get("original_url"),
        "title": found.get("title"),
        "author": found.get("uploader") or found.get("series") or "",
        "published": datetime.fromtimestamp(stamp, UTC).date().isoformat() if isinstance(stamp, int) else "",
        "seconds": found.get("duration"),
        "views": found.get("view_count"),
        "likes": found.get("like_count"),
        "comments": found.get("comment_count"),
        "tags": found.get("tags") or [],
        "description": found.get("description") or "",
        "chapters": [
            {"at": each.get("start_time"), "title": each.get("title")}
            for each in (chapters if isinstance(chapters, list) else [])
        ],
    }
    language, lines = _subtitles(found.get("subtitles"))
    kept, count = [], 0
    for line in lines:
        count += len(str(line["text"]))
        if count > longest:
            about["subtitles_cut"] = True
            break
        kept.append(line)
    return about | {"subtitle_language": language, "subtitles": kept}


def _subtitles(found: object) -> tuple[str, list[dict[str, object]]]:
    """Return the language and the lines of the subtitles: Chinese before English before any other."""
    there = found if isinstance(found, dict) else {}
    languages = [each for each in there if each != "danmaku"]  # what viewers threw in is no subtitle
    order = sorted(languages, key=lambda each: _LANGUAGES.index(each) if each in _LANGUAGES else len(_LANGUAGES))
    for language in order:
        text = next((each.get("data") for each in there[language] if each.get("data")), None)
        if text:
            lines = [_line(cue) for cue in _CUE.finditer(text + "\n\n")]
            return language, [line for line in lines if line["text"]]
    return "", []


def _line(cue: re.Match[str]) -> dict[str, object]:
    return {"at": int(cue[1]) * 3600 + int(cue[2]) * 60 + int(cue[3]), "text": cue[4].strip()}
