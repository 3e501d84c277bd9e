"""The tools: ``music_search`` and ``music_lyrics``."""

from __future__ import annotations

import json

from homeagent_sdk import ToolContext, ToolError, tool
from music.cleaning import only_songs, only_words
from music.service import MusicSettings, ask

__all__ = ["music_lyrics", "music_search"]


@tool(cleaner=only_songs, parallel=True)
def music_search(context: ToolContext, words: str) -> str:
    """Find songs by title, artist or a line of the lyrics; JSON with the id of each.

    Args:
        words: What to look for, e.g. "送别 李叔同" or "Auld Lang Syne".
    """
    if not words.strip():
        raise ToolError("words", "are empty", "Give a title, an artist or a line of the lyrics")
    settings = context.settings(MusicSettings)
    values = {"s": words.strip(), "type": 1, "offset": 0, "limit": settings.results}
    found = ask(settings.address, "/api/search/get", values).get("result")
    songs = found.get("songs") if isinstance(found, dict) else None
    listed = [_song(each) for each in songs or () if isinstance(each, dict)]
    answer = {"words": words, "count": len(listed), "songs": listed}
    return json.dumps(answer, ensure_ascii=False)


@tool(cleaner=only_words, parallel=True)
def music_lyrics(context: ToolContext, song: int) -> str:
    """Get the lyrics of a song, with their times in seconds and a translation where there is one; JSON.

    Args:
        song: The id that music_search gave.
    """
    address = context.settings(MusicSettings).address
    # The answer with the lyrics does not say whose they are.
    details = ask(address, "/api/song/detail", {"id": song, "ids": f"[{song}]"}).get("songs")
    if not isinstance(details, list) or not details:
        raise ToolError("song", f"there is no song {song}", "Look for it with music_search")
    found = ask(address, "/api/song/lyric", {"id": song, "lv": 1, "kv": 1, "tv": -1})
    answer = _song(details[0]) | {"lyrics": _text(found, "lrc"), "translation": _text(found, "tlyric")}
    if not answer["lyrics"]:
        answer["note"] = "There are no lyrics of this song"
    return json.dumps(answer, ensure_ascii=False)


def _song(found: dict[str, object]) -> dict[str, object]:
    # Two spellings of the same: the older interface has whole words, the newer one two letters.
    artists = found.get("artists") or found.get("ar")
    album = found.get("album") or found.get("al")
    length = found.get("duration") or found.get("dt")
    return {
        "id": found.get("id"),
        "title": found.get("name") or "",
        "artists": [each["name"] for each in artists if each.get("name")] if isinstance(artists, list) else [],
        "album": (album.get("name") if isinstance(album, dict) else "") or "",
        "seconds": round(length / 1000) if isinstance(length, int) else 0,
        "link": f"https://music.163.com/#/song?id={found.get('id')}",
    }


def _text(found: dict[str, object], kind: str) -> str:
    part = found.get(kind)
    return str(part.get("lyric") or "") if isinstance(part, dict) else ""
