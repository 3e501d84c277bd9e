import asyncio
import shutil
from pathlib import Path

from dev.plugin_tests.whole_run import call, whole_run

SAMPLES = Path(__file__).parent / "pictures"


def test_what_stands_in_a_picture_is_found_and_where_it_stands_is_not_computed(tmp_path):
    async def run():
        folder = tmp_path / "Pictures"
        shutil.copytree(SAMPLES, folder)
        script = [call("ocr_image", path="note_zh.png"), call("ocr_image", 2, path="note_en.png"), "I have read both."]
        settings, permissions = {"folders": [str(folder)]}, [f"read:{folder}"]
        async with whole_run(tmp_path / "home", "ocr", script, settings=settings, permissions=permissions) as world:
            await world.say("Read these two notes.")
            assert '"score"' in world.outputs()[0]
            assert "花盆" in world.found("钥匙在哪里？")[0].text
            assert "Ingrid" in world.found("Whom shall I ask about the boiler?")[0].text
            for wrapping in ('"score"', '"box"', '"width"'):
                assert wrapping not in world.computed()

    asyncio.run(run())
