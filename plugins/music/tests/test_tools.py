import asyncio
import json

import pytest
from music import plugin
from stand_in import serving

from homeagent_sdk.testing import FakeHost


def call(name, /, address=None, **arguments):
    async def run(address):
        async with FakeHost(plugin, settings={"address": address}) as host:
            return await host.call(name, **arguments)

    if address:
        return asyncio.run(run(address))
    with serving() as own:
        return asyncio.run(run(own))


def test_songs_are_found_in_either_spelling_of_the_interface():
    found = json.loads(call("music_search", words="送别 李叔同").text)
    assert found["songs"] == [
        {
            "id": 5271858,
            "title": "送别",
            "artists": ["李叔同"],
            "album": "学堂乐歌",
            "seconds": 163,
            "link": "https://music.163.com/#/song?id=5271858",
        }
    ]
    (song,) = json.loads(call("music_search", words="Auld Lang Syne").text)["songs"]
    assert (song["artists"], song["album"]) == (["Robert Burns", "The Hearth Choir"], 'Songs for the "Old Year"')


def test_no_song_is_an_empty_list():
    assert json.loads(call("music_search", words="nothing like it").text)["songs"] == []


def test_lyrics_come_with_their_times_and_their_translation():
    found = json.loads(call("music_lyrics", song=5271858).text)
    assert (found["title"], found["artists"]) == ("送别", ["李叔同"])
    assert "[00:18.84]长亭外，古道边" in found["lyrics"]
    assert "[00:18.84]Beyond" in found["translation"]


def test_a_song_without_lyrics_says_so():
    assert json.loads(call("music_lyrics", song=28406557).text)["note"] == "There are no lyrics of this song"


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("music_search", {"words": "too often"}, "refused: -460 Cheating"),
        ("music_search", {"words": "wrong"}, "refused: 400 参数错误"),
        ("music_search", {"words": "html"}, "sent no JSON"),
        ("music_search", {"words": " "}, "are empty"),
        ("music_lyrics", {"song": 1}, "there is no song 1"),
    ],
)
def test_what_goes_wrong_is_said(name, arguments, told):
    result = call(name, **arguments)
    assert result.error
    assert told in result.text


def test_a_service_that_is_not_there_is_an_error():
    result = call("music_search", words="x", address="http://127.0.0.1:9")
    assert result.error
    assert "can't be reached" in result.text
