import asyncio
import io
import json
import shutil
import zlib
from pathlib import Path

import pytest
from ocr import plugin
from PIL import Image

from homeagent_sdk.testing import FakeHost

SAMPLES = Path(__file__).parent / "pictures"


def calls(folder, *paths, **settings):
    async def run():
        async with FakeHost(plugin, settings={"folders": [str(folder)], **settings}, data_folder=folder) as host:
            return [await host.call("ocr_image", path=str(path)) for path in paths]

    return asyncio.run(run())


def words(result):
    return [line["text"].replace(" ", "") for line in json.loads(result.text)["lines"]]


def test_chinese_and_english_are_read(tmp_path):
    for name in ("note_zh.png", "note_en.png"):
        shutil.copy(SAMPLES / name, tmp_path / name)
    chinese, english = calls(tmp_path, "note_zh.png", "note_en.png")
    assert words(chinese) == ["周三下午三点牙医", "钥匙在花盆下面"]
    assert words(english) == ["Boilerservice:3March", "AskforIngridBerg"]
    (left, top, right, bottom), lower = (line["box"] for line in json.loads(chinese.text)["lines"])
    assert left < right
    assert top < bottom <= lower[3]


def test_see_through_and_turned_pictures_are_read(tmp_path):
    with Image.open(SAMPLES / "note_en.png") as picture:
        grey = picture.convert("L")
        clear = Image.new("RGBA", picture.size, (0, 0, 0, 0))
        clear.putalpha(grey.point(lambda value: 255 - value))
        clear.save(tmp_path / "clear.png")
        turned = picture.convert("RGB").transpose(Image.Transpose.ROTATE_90)
        about = Image.Exif()
        about[0x0112] = 6  # to be turned right when shown
        turned.save(tmp_path / "turned.jpg", exif=about, quality=95)
    clear, turned = calls(tmp_path, "clear.png", "turned.jpg")
    assert words(clear) == words(turned) == ["Boilerservice:3March", "AskforIngridBerg"]


def test_a_picture_without_text_has_no_lines(tmp_path):
    Image.new("RGB", (200, 100), "white").save(tmp_path / "white.png")
    assert words(calls(tmp_path, "white.png")[0]) == []


def bomb():
    """Return a PNG of a few kB that says it is 50,000 pixels wide and high."""
    made = io.BytesIO()
    Image.new("1", (8, 8)).save(made, "PNG")
    data = bytearray(made.getvalue())
    data[16:24] = (50_000).to_bytes(4) * 2
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (bomb(), "pixels"),
        (b"no picture", "is no picture"),
        (b"", "is no picture"),
        (b"%!PS-Adobe-3.0 EPSF\n%%BoundingBox: 0 0 9 9\n", "is no picture"),  # would start a program
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "no picture"),
    ],
)
def test_what_is_no_good_picture_is_refused(tmp_path, data, told):
    (tmp_path / "a.png").write_bytes(data)
    (result,) = calls(tmp_path, "a.png")
    assert result.error
    assert told in result.text


def test_a_damaged_picture_is_an_error(tmp_path):
    data = (SAMPLES / "note_en.png").read_bytes()
    (tmp_path / "a.png").write_bytes(data[: len(data) // 2])
    (result,) = calls(tmp_path, "a.png")
    assert result.error
    assert "can't be read" in result.text


@pytest.mark.parametrize("path", ["../outside.png", "link.png", "missing.png", "a\0.png", "http://127.0.0.1:9/x.png"])
def test_only_pictures_of_the_folders_are_read(tmp_path, path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    shutil.copy(SAMPLES / "note_en.png", tmp_path / "outside.png")
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    (result,) = calls(folder, path)
    assert result.error
    assert "Ingrid" not in result.text
