import asyncio

from dev.plugin_tests.whole_run import call, stand_in, whole_run


def test_what_a_video_says_is_found_and_its_numbers_are_not_computed(tmp_path):
    async def run():
        script = [
            call("bili_video", video="BV1vL411G7N7"),
            "It is about whetstones.",
            call("bili_video", video="https://b23.tv/aBc12"),
            "Bread.",
        ]
        with stand_in("bili") as address:
            permissions = [f"net:{address.removeprefix('http://')}"]
            settings = {"gateway": address}
            async with whole_run(
                tmp_path / "home", "bili", script, settings=settings, permissions=permissions
            ) as world:
                await world.say("What is this video about?")
                await world.say("And this one?")
                assert '"views": 88123' in world.outputs()[0]
                assert "十五度" in world.found("磨刀用什么角度？")[0].text
                assert "four degrees" in world.found("At how many degrees does the dough stay?")[0].text
                for wrapping in ("88123", "bilibili.com/read", '"subtitle_language"', "hdslb"):
                    assert wrapping not in world.computed()

    asyncio.run(run())
