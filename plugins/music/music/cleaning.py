"""What of the outputs enters memory: which songs there are; the words of a song without their times."""

from __future__ import annotations

import json
import re

from homeagent_sdk import CleanerError, json_field

__all__ = ["only_songs", "only_words"]

_STAMP = re.compile(
    r"\[\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?\]|\[\d+,\d+\]|<\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?>|\(\d+,\d+,\d+\)"
)
_TAG = re.compile(r"\[(?:ti|ar|al|au|by|offset|re|ve|length|id|hash|total|sign|qq|kana)\s*:[^\]]*\]", re.IGNORECASE)


def only_songs(text: str) -> str:
    """Return a line for each song: title, artists, album."""
    lines: list[str] = []
    while (line := _song(text, f"songs.{len(lines)}.")) is not None:
        lines.append(line)
    return "\n".join(lines) if _field(text, "words") is not None else _rest(text)


def only_words(text: str) -> str:
    """Return what the song is and its words, without times, tags and the JSON around them."""
    song = _song(text, "")
    if song is None:
        return _rest(text)
    parts = [song, *(_words(_field(text, kind) or "") for kind in ("lyrics", "translation"))]
    return "\n".join(part for part in (*parts, _field(text, "note") or "") if part)


def _song(text: str, place: str) -> str | None:
    title = _field(text, f"{place}title")
    if title is None:
        return None
    artists: list[str] = []
    while (artist := _field(text, f"{place}artists.{len(artists)}")) is not None:
        artists.append(artist)
    album = _field(text, f"{place}album") or ""
    return " - ".join(part for part in (title, ", ".join(artists), album) if part)


def _words(lyrics: str) -> str:
    lines = (_STAMP.sub("", _TAG.sub("", _credit(line))).strip() for line in lyrics.splitlines())
    return "\n".join(line for line in lines if line)


def _credit(line: str) -> str:
    """Return the text of a line that is JSON, as the credits in front of newer lyrics are."""
    if not line.lstrip().startswith('{"t":'):
        return line
    try:
        return "".join(part.get("tx", "") for part in json.loads(line)["c"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def _field(text: str, path: str) -> str | None:
    """Return a field of JSON that may be cut off, None when it is not there."""
    try:
        return json_field(path)(text)
    except CleanerError:
        return None


def _rest(text: str) -> str:
    """Return what of an output that is none of ours says something: the reason of an error, or the text."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    return _field(text, "error.0.reason") or ""
