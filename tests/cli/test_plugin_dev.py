"""``homeagent plugin dev``: a plugin is called line by line, raw beside computed, and loaded anew when it changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from dev.pseudo_terminal import PseudoTerminal

CODE = '''\
# /// script
# [tool.homeagent]
# name = "probe"
# version = "1.0"
# sdk = ">=0.1"
# ///
import json
from homeagent_sdk import Plugin, tool


def words(text: str) -> str:
    return text.upper()


@tool(cleaner="json(answer)")
def probe_ask(city: str, days: int = 1) -> str:
    """Ask."""
    if city == "Nowhere":
        raise ValueError("no such city")
    return json.dumps({"ok": True, "answer": f"sunshine in {city}", "noise": "q7x9" * 5})


@tool(no_memory=True)
def probe_secret() -> str:
    """Tell."""
    return "nothing of this"


@tool
def probe_plain() -> str:
    """Tell."""
    print("looking around")
    return "all of this"


plugin = Plugin("probe", "1.0", tools=[probe_ask, probe_secret, probe_plain])
'''


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "probe"
    folder.mkdir()
    (folder / "probe.py").write_text(CODE)
    return folder


def dev(home, path, *lines, words=()):
    command = [sys.executable, "-m", "homeagent", *words, "plugin", "dev", str(path)]
    text = "".join(f"{line}\n" for line in lines)
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)


def test_calls_are_shown_raw_beside_computed_with_what_is_left_out_and_why(home, path):
    done = dev(home, path, "probe_ask city=Berlin", "probe_secret", "probe_plain", ":quit")
    assert done.returncode == 0, done.stderr
    assert "probe 1.0 is loaded" in done.stderr
    assert "tool probe_ask city [days]: of its output what json(answer) leaves is remembered" in done.stderr
    out = done.stdout
    assert 'raw, 77 characters:\n  | {"ok": true, "answer": "sunshine in Berlin"' in out
    assert "(cleaned: json(answer): declared by its plugin):" in out
    assert "  | probe_ask city=Berlin\n" in out
    assert "  | [24 characters left out] sunshine in Berlin [35 characters left out]\n" in out
    assert "computed, 0 characters (hidden: no_memory" in out
    assert "[15 characters left out]" in out
    assert "(whole: no cleaner" in out
    assert "printed: looking around" in done.stderr
    assert not list(home.glob("*.db"))  # nothing of it is in the person's own home


def test_what_goes_wrong_is_told_with_its_traceback(home, path):
    done = dev(home, path, "probe_ask city=Nowhere", "probe_ask", "nothing")
    assert done.returncode == 1
    assert "failed in" in done.stdout
    assert "ValueError: no such city" in done.stdout
    assert 'raise ValueError("no such city")' in done.stderr
    assert "city is missing" in done.stdout
    assert "There is no tool nothing" in done.stdout
    assert "Traceback" in done.stderr
    assert f'File "{path}/probe.py"' in done.stderr
    assert "homeagent_sdk/" not in done.stderr


def test_json_is_one_object(home, path):
    done = dev(home, path, "probe_ask city=Berlin days=2", words=("--json",))
    found = json.loads(done.stdout)
    assert found["loaded"] == [{"name": "probe", "version": "1.0"}]
    (call,) = found["calls"]
    assert call["tool"] == "probe_ask"
    assert call["computed"] == "probe_ask city=Berlin days=2\nsunshine in Berlin"
    assert call["left_out"] == call["raw_length"] - len("sunshine in Berlin")


def test_the_last_output_is_recorded_and_then_the_check_is_content(home, path, homeagent):
    assert homeagent("plugin", "check", path).code == 1
    done = dev(home, path, "probe_ask city=Berlin", ":sample", ":sample")
    assert done.returncode == 0
    assert {each.name for each in (path / "samples").iterdir()} == {"probe_ask.txt", "probe_ask-2.txt"}
    assert json.loads((path / "samples" / "probe_ask.txt").read_text())["answer"] == "sunshine in Berlin"
    checked = homeagent("plugin", "check", path)
    assert checked.code == 0, checked.out


def test_it_is_loaded_anew_when_its_files_change_and_a_broken_one_leaves_the_one_before(home, path):
    command = [sys.executable, "-m", "homeagent", "plugin", "dev", str(path)]
    code = path / "probe.py"
    with PseudoTerminal(command, os.environ) as terminal:
        terminal.wait_for("probe 1.0 is loaded")
        terminal.wait_for("> ")
        code.write_text(CODE.replace("all of this", "something new"))
        terminal.wait_for("probe 1.0 is loaded")
        terminal.type("probe_plain\n")
        terminal.wait_for("| something new")
        code.write_text(CODE.replace("import json", "import jsonn"))
        terminal.wait_for("No module named 'jsonn'")
        terminal.wait_for("The one before goes on.")
        terminal.type("probe_pl\t\n")
        terminal.wait_for("| something new")
        terminal.type(":quit\n")
        assert terminal.ended() == 0


def test_it_speaks_chinese(home, path):
    done = dev(home, path, "probe_ask city=北京", words=("--lang", "zh"))
    assert "已加载 probe 1.0" in done.stderr
    assert "参与计算" in done.stdout
    assert "略去" in done.stdout


def test_a_path_that_is_not_there_is_said(homeagent, tmp_path):
    done = homeagent("plugin", "dev", tmp_path / "nowhere")
    assert done.code == 1
    assert "there is no such file or folder" in done.err


def test_ctrl_c_leaves_nothing_behind(home, path, tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    command = [sys.executable, "-m", "homeagent", "plugin", "dev", str(path)]
    with PseudoTerminal(command, os.environ | {"TMPDIR": str(folder)}) as terminal:
        terminal.wait_for("probe 1.0 is loaded")
        terminal.wait_for("> ")
        (made,) = folder.glob("homeagent-dev-*")
        assert (made / "installed" / "probe").is_dir()
        terminal.type("\x03")
        assert terminal.ended() == 130
    assert not list(folder.glob("homeagent-dev-*"))
