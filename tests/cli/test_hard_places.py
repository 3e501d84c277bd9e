"""Read-only homes, full disks, closed pipes: a clear error or it works, and nothing is lost."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys

import pytest

from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder


def mounted(words, point):
    """Mount something for a test, or skip it where that is not allowed."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    done = subprocess.run(["mount", *map(str, words), str(point)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of 2 MB."""
    point = tmp_path / "small"
    point.mkdir()
    mounted(["-t", "tmpfs", "-o", "size=2m", "tmpfs"], point)
    yield point
    subprocess.run(["umount", "-l", str(point)], check=True)


@pytest.fixture
def read_only(home, homeagent):
    """The test's home with a turn in it, on a file system that can't be written."""
    homeagent("ask", "The cellar key hangs on the nail.")
    mounted(["--bind", home], home)
    subprocess.run(["mount", "-o", "remount,ro,bind", str(home)], check=True)
    yield home
    subprocess.run(["umount", "-l", str(home)], check=True)


def test_a_read_only_home_is_a_clear_error_for_every_command(read_only, homeagent):
    for words in (
        ["ask", "more"],
        ["memory", "stats"],
        ["memory", "search", "key"],
        ["config", "set", "ui.language", "zh"],
    ):
        ran = homeagent(*words, "--json")
        assert ran.code == 1
        assert str(read_only) in ran.json["error"]["where"]
        assert ran.json["error"]["next_step"]
        assert "Traceback" not in ran.err
    assert homeagent("doctor", "--json").code == 1


def test_a_full_disk_refuses_what_has_no_room_and_keeps_what_was_acknowledged(small_disk, homeagent, lines):
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)  # room for some turns
    home = small_disk / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[memory]\nembedder = "none"\n')
    acknowledged = 0
    for number in range(200):
        ran = homeagent("ask", f"{number} " + os.urandom(30_000).hex(), "--home", home, "--json")
        if ran.code:
            assert "error" in ran.json
            break
        acknowledged += 1
    assert 0 < acknowledged < 200
    assert "Traceback" not in ran.err
    (small_disk / "more").touch()
    with Memory.open(copied(home, small_disk.parent / "copy"), embedder=NoEmbedder()) as memory:
        kept = [memory.segments(row)[0].segment.text.split()[0] for row in memory.turns() if row.status == "done"]
        assert kept[:acknowledged] == [str(number) for number in range(acknowledged)]


def with_picture(number):
    picture = {"media_type": "image/png", "data_base64": base64.b64encode(os.urandom(10_000)).decode()}
    segments = [{"role": "user", "text": f"Picture {number}.", "attachments": [picture]}]
    return {"id": f"d{number}", "channel": "cli", "chat": "main", "person": "owner", "segments": segments}


def copied(home, target):
    subprocess.run(["cp", "-r", str(home), str(target)], check=True)
    return target


def test_an_import_into_a_full_disk_keeps_whole_turns_and_can_be_repeated_elsewhere(small_disk, homeagent, lines):
    home = small_disk / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[memory]\nembedder = "none"\n')
    path = lines(*(with_picture(n) for n in range(400)))
    ran = homeagent("memory", "import", path, "--home", home, "--json")
    assert ran.code == 1
    assert ran.json["error"]["next_step"]
    kept = int(re.search(r"file: (\d+) of its turns or more are kept", ran.json["error"]["problem"])[1])
    other = copied(home, small_disk.parent / "copy")
    ran = homeagent("memory", "import", path, "--home", other, "--json")
    assert ran.code == 0
    assert ran.json["known"] >= kept
    assert ran.json["kept"] + ran.json["known"] == 400


def test_an_export_to_a_full_disk_leaves_the_old_file(small_disk, homeagent, lines):
    homeagent("memory", "import", lines(*(with_picture(n) for n in range(300))))
    target = small_disk / "out.jsonl"
    target.write_text("old")
    ran = homeagent("memory", "export", target, "--json")
    assert ran.code == 1
    assert str(target) in ran.json["error"]["where"]
    assert target.read_text() == "old"
    assert [path.name for path in small_disk.iterdir()] == ["out.jsonl"]


def test_a_file_in_the_place_of_the_home_is_an_error(homeagent, tmp_path):
    (tmp_path / "file").touch()
    ran = homeagent("ask", "hello there", "--home", tmp_path / "file", "--json")
    assert ran.code == 1
    assert str(tmp_path / "file") in ran.json["error"]["where"]


def test_a_reader_that_leaves_early_is_no_error_to_talk_about(home, homeagent, lines):
    homeagent("memory", "import", lines(*((f"d{n}", "candle " * 3000) for n in range(40))))
    words = f"{sys.executable} -m homeagent memory export - | head -c 10"
    done = subprocess.run(["bash", "-c", words], capture_output=True, check=False)
    assert done.stdout == b'{"id": "d0'
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_no_room_on_standard_output_is_said(home):
    words = f"{sys.executable} -m homeagent memory stats > /dev/full"
    done = subprocess.run(["bash", "-c", words], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"No space" in done.stderr
    assert b"Traceback" not in done.stderr


def test_what_a_tool_writes_to_descriptor_1_is_no_part_of_the_json(home, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import functools, os, sys\n"
        "import homeagent.app.configured as configured\n"
        "from homeagent.cli import main\n"
        "from homeagent_sdk import Plugin, tool\n"
        "@tool\n"
        "def noisy() -> str:\n"
        "    'Make noise.'\n"
        "    os.write(1, b'noise on descriptor 1\\n')\n"
        "    os.system('echo noise of a child')\n"
        "    return 'quiet'\n"
        "noise = Plugin('noise', '1.0', tools=[noisy])\n"
        "configured.AppParts = functools.partial(configured.AppParts, plugins=(noise,))\n"
        "sys.argv[1:] = ['--json', 'ask', '/tool noisy']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["reply"] == "quiet"
    assert "noise on descriptor 1" in done.stderr
    assert "noise of a child" in done.stderr
