import json

import pytest
from music.cleaning import only_songs, only_words
from music.tools import music_lyrics, music_search

from homeagent_sdk.testing import check_cleaner

FOUND = {
    "words": "送别",
    "count": 2,
    "songs": [
        {
            "id": 5271858,
            "title": "送别",
            "artists": ["李叔同"],
            "album": "学堂乐歌",
            "seconds": 163,
            "link": "https://music.163.com/#/song?id=5271858",
        },
        {
            "id": 28406557,
            "title": 'Auld "Lang" Syne',
            "artists": ["Robert Burns", "The Hearth Choir"],
            "album": "",
            "seconds": 201,
            "link": "https://music.163.com/#/song?id=28406557",
        },
    ],
}
SONGS = json.dumps(FOUND, ensure_ascii=False)
SONG = {
    "id": 5271858,
    "title": "送别",
    "artists": ["李叔同"],
    "album": "学堂乐歌",
    "seconds": 163,
    "link": "https://music.163.com/#/song?id=5271858",
    "lyrics": '{"t":0,"c":[{"tx":"作词: "},{"tx":"李叔同","li":"http://p1.music.126.net/x.jpg"}]}\n[ti:送别]\n[offset:500]\n[00:01.000] 作曲 : J. P. Ordway\n[00:18.84]长亭外，古道边\n[00:21:85][01:10.02]芳草碧连天\n\n',
    "translation": "[00:18.84]Beyond the long pavilion [softly]\n[00:21.85]<00:21.90>the <00:22.10>grass\n[10000,3000](10000,1000,0)meets (11000,1000,0)the sky\n",
}
LYRICS = json.dumps(SONG, ensure_ascii=False)
WORDS = """送别 - 李叔同 - 学堂乐歌
作词: 李叔同
作曲 : J. P. Ordway
长亭外，古道边
芳草碧连天
Beyond the long pavilion [softly]
the grass
meets the sky"""


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (SONGS, '送别 - 李叔同 - 学堂乐歌\nAuld "Lang" Syne - Robert Burns, The Hearth Choir'),
        (json.dumps(FOUND), '送别 - 李叔同 - 学堂乐歌\nAuld "Lang" Syne - Robert Burns, The Hearth Choir'),
        (SONGS[: SONGS.index("Burns") + 2], '送别 - 李叔同 - 学堂乐歌\nAuld "Lang" Syne - Robert Bu'),
        (SONGS[: SONGS.index('"album"')], "送别 - 李叔同"),
        ('{"words": "zzz", "count": 0, "songs": []}', ""),
        (
            '{"error": [{"field": "", "reason": "the music service refused: -460 Cheating", "hint": "wait"}]}',
            "the music service refused: -460 Cheating",
        ),
        ("the plugin's process has ended", "the plugin's process has ended"),
        ("", ""),
    ],
)
def test_of_a_search_the_songs_are_kept(output, kept):
    assert only_songs(output) == kept


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (LYRICS, WORDS),
        (json.dumps(SONG), WORDS),
        (LYRICS[: LYRICS.index("芳草") + 1], WORDS[: WORDS.index("芳草") + 1]),
        (
            '{"id": 1, "title": "A", "artists": [], "album": "", "lyrics": "", "note": "There are no lyrics of this song"}',
            "A\nThere are no lyrics of this song",
        ),
        ('{"error": [{"field": "song", "reason": "there is no song 1", "hint": "Look"}]}', "there is no song 1"),
        ("", ""),
    ],
)
def test_of_lyrics_the_words_are_kept(output, kept):
    assert only_words(output) == kept


def test_the_cleaners_are_good_ones():
    assert check_cleaner(music_search.policy.cleaner, [SONGS, "", "{", '{"songs": 3}']) == []
    assert check_cleaner(music_lyrics.policy.cleaner, [LYRICS, "", "[" * 5000]) == []
