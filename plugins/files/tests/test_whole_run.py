import asyncio

from dev.plugin_tests.whole_run import call, whole_run

NOTE = "客厅的路由器密码贴在鱼缸后面。\nThe boiler was serviced on 3 March by Ingrid."


def test_what_is_in_a_file_is_remembered_and_its_wrapping_is_not(tmp_path):
    async def run():
        script = [
            call("folder_write", path="house.txt", content=NOTE),
            "Written down.",
            call("folder_read", path="house.txt"),
            "I have read it.",
        ]
        async with whole_run(tmp_path / "home", "files", script) as world:
            assert await world.say("Write the note, please.") == "Written down."
            await world.say("Read house.txt")
            assert NOTE.splitlines()[1] in world.outputs()[-1]
            assert "Ingrid" in world.found("Who serviced the boiler?")[0].text
            assert "鱼缸" in world.found("路由器密码在哪里？")[0].text
            assert '"characters"' not in world.computed()
            assert '"more"' not in world.computed()

    asyncio.run(run())
