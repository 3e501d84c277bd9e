import asyncio

from dev.plugin_tests.whole_run import call, stand_in, whole_run


def test_the_words_of_a_song_are_found_and_their_times_are_not_computed(tmp_path):
    async def run():
        script = [call("music_search", words="送别"), call("music_lyrics", 2, song=5271858), "It is by Li Shutong."]
        with stand_in("music") as address:
            permissions = [f"net:{address.removeprefix('http://')}"]
            settings = {"address": address}
            async with whole_run(
                tmp_path / "home", "music", script, settings=settings, permissions=permissions
            ) as world:
                await world.say("Find me that old farewell song and its words.")
                assert "[00:18.84]长亭外" in world.outputs()[-1]
                assert "芳草碧连天" in world.found("芳草连着天的那首歌")[0].text
                assert "学堂乐歌" in world.found("学堂乐歌是谁的专辑？")[0].text
                for wrapping in ("00:18", "offset", "music.163.com", '"seconds"', "126.net"):
                    assert wrapping not in world.computed()

    asyncio.run(run())
