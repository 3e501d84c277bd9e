import asyncio
import json
import shutil

import pytest

from dev.plugin_tests.whole_run import call, stand_in, whole_run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def running(tmp_path, script, check, **more):
    """Run a script of the model on the small web of `stand_in` and look at the home with ``check``."""

    async def run():
        with stand_in("browser") as address:
            calls = [
                call(each, number, **json.loads(json.dumps(given).replace("WEB", address)))
                for number, (each, given) in enumerate(script)
            ]
            settings = {"search": f"{address}/duck?q={{words}}", "own_hosts": [address.removeprefix("http://")], **more}
            async with whole_run(tmp_path / "home", "browser", [*calls, "Done."], settings=settings) as world:
                assert await world.say("Look at the web for me, please.") == "Done."
                check(world)

    asyncio.run(run())


def test_what_a_page_says_is_found_and_its_frame_is_not_computed(tmp_path):
    def check(world):
        search, page = world.outputs()
        assert '"link": "https://garden.example.org/tomato"' in search
        assert '<script>var tracker = "trackerword";</script>' in page
        assert "四月底播种最好。" in "".join(hit.text for hit in world.found("番茄什么时候播种最好？")[:5])
        assert "Gardener's Delight" in world.found("Which variety did best?")[0].text
        assert "Sow in late April" in world.computed()
        for frame in ("trackerword", "首页导航", "备案号", "发表评论", "garden.example.org", "<p>", '"results"'):
            assert frame not in world.computed()

    running(tmp_path, [("browser_search", {"words": "番茄"}), ("browser_fetch", {"address": "WEB/article"})], check)


def test_a_private_address_is_refused_in_the_confined_process_too(tmp_path):
    def check(world):
        assert "no address of the public internet" in world.outputs()[0]

    running(tmp_path, [("browser_fetch", {"address": "http://127.0.0.1:9/"})], check, own_hosts=[])


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_the_confined_browser_renders_drives_and_takes_pictures(tmp_path):
    def check(world):
        rendered, navigated, typed, picture, closed = world.outputs()
        assert "<p>Bus 12 leaves at 07:40.</p>" in rendered
        assert navigated.startswith("200 ")
        assert typed.startswith("Typed 10 characters")
        assert picture.startswith(str(tmp_path / "home" / "plugins" / "browser" / "screenshots"))
        assert closed == "The browser is closed"
        assert "07:40" in world.found("When does bus 12 leave?")[0].text
        for hidden in ("quagmirish", "Typed", "screenshots", "Send it", "<p>"):
            assert hidden not in world.computed()

    script = [
        ("browser_render", {"address": "WEB/scripted"}),
        ("browser_navigate", {"address": "WEB/form"}),
        ("browser_type", {"selector": "input[name=q]", "text": "quagmirish"}),
        ("browser_screenshot", {}),
        ("browser_close", {}),
    ]
    running(tmp_path, script, check)
