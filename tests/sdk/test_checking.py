"""``check``: what is wrong with a plugin is named, with its key and what to do; a new plugin is in order."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from homeagent_sdk.__main__ import main
from homeagent_sdk.checking import check_plugin
from homeagent_sdk.template import write_new

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
# /// script
# [tool.homeagent]
# name = "probe"
# version = "1.0"
# sdk = ">=0.1"
# settings = { city = "where" }
# ///
import os, time
from dataclasses import dataclass
from homeagent_sdk import Plugin, tool


@dataclass(frozen=True)
class Settings:
    city: str = ""


"""
TAIL = '\n\nplugin = Plugin("probe", "1.0", tools=[probe_look], settings=Settings)\n'
TOOL = '@tool(cleaner={cleaner})\ndef probe_look() -> str:\n    """Look."""\n    return ""\n'


def probe(folder: Path, code: str, *samples: str, head: str = HEAD, tail: str = TAIL) -> Path:
    path = folder / "probe.py"
    path.write_text(head + code + tail)
    for number, text in enumerate(samples):
        (folder / "samples").mkdir(exist_ok=True)
        (folder / "samples" / f"probe_look-{number}.txt").write_text(text)
    return path


def reasons(path: Path) -> list[str]:
    return [f"{field}: {reason}" for field, reason, _ in check_plugin(path).problems]


def test_a_new_plugin_is_in_order(tmp_path: Path) -> None:
    write_new("night-sky", tmp_path / "night-sky")
    report = check_plugin(tmp_path / "night-sky")
    assert (report.ok, report.problems, report.hints) == (True, (), ())
    assert report.tools == (("night_sky_hello", "lines(2,9)"), ("night_sky_letters", "no_memory"))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("def clean(text: str) -> str:\n    return 7\n", "it returns int, not str"),
        ("def clean(text: str) -> str:\n    raise ValueError('no')\n", "it raises ValueError: no"),
        ("def clean(text: str) -> str:\n    return text * 5 + 'x' * 5000\n", "it returns more than 4 times its input"),
        ("def clean(text: str) -> str:\n    return text\n", "it never matches"),
        ("def clean(text: str) -> str:\n    return ' '\n", "it lets nothing of any recorded output through"),
        (
            "def clean(text: str) -> str:\n    return text[:-1] + str(os.urandom(9))\n",
            "it gives another result the second",
        ),
        ("def clean(text: str) -> str:\n    os._exit(3)\n", "it does not come to an end"),
    ],
)
def test_what_is_wrong_with_a_cleaner_is_told_by_a_recorded_output(tmp_path: Path, function: str, told: str) -> None:
    path = probe(tmp_path, f"{function}\n\n{TOOL.format(cleaner='clean')}", "one\ntwo")
    (found,) = reasons(path)
    assert found.startswith("cleaner of probe_look")
    assert told in found


@pytest.mark.slow
@pytest.mark.parametrize("cleaner", ["clean", '\'regex("(a+)+$", "")\''])
def test_a_cleaner_that_does_not_come_to_an_end_is_stopped(tmp_path: Path, cleaner: str) -> None:
    code = f"def clean(text: str) -> str:\n    time.sleep(60)\n\n\n{TOOL.format(cleaner=cleaner)}"
    (found,) = reasons(probe(tmp_path, code, "a" * 40 + "b"))
    assert "it does not come to an end within 2 seconds" in found


def test_json_that_is_not_there_is_told(tmp_path: Path) -> None:
    code = TOOL.format(cleaner='"json(answer)"')
    (found,) = reasons(probe(tmp_path, code, '{"reply": "x"}'))
    assert "it raises CleanerError" in found
    assert reasons(probe(tmp_path, code, '{"answer": "x"}')) == []


def test_a_cleaner_without_a_recorded_output_is_told(tmp_path: Path) -> None:
    report = check_plugin(probe(tmp_path, TOOL.format(cleaner='"head(3)"')))
    (problem,) = report.problems
    assert "no recorded output" in problem.reason
    assert "samples/probe_look.txt" in problem.hint


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("@tool\ndef probe_look() -> str: ...", "it has no docstring"),
        ("@tool\ndef probe_look(a) -> str:\n  'Look.'", "parameter 'a' has no type"),
        ("@tool\ndef probe_look(a: int = 'x') -> str:\n  'Look.'", "the default of 'a' does not fit its type"),
        ("raise ValueError('no luck')", "it can't be loaded (ValueError: no luck)"),
        ("import os\nos._exit(4)", "its process ended while it was loaded (exit code 4)"),
        ("probe_look = 1", "1 is no Tool"),
        ("@tool\ndef probe_look() -> str:\n  'Look.'\nSettings = None", "the manifest names 'city'"),
    ],
)
def test_what_is_wrong_with_the_code_is_told(tmp_path: Path, code: str, told: str) -> None:
    assert any(told in each for each in reasons(probe(tmp_path, code)))


def test_where_manifest_and_code_differ_is_told(tmp_path: Path) -> None:
    head = HEAD.replace('version = "1.0"', 'version = "2.0"').replace("city = ", "town = ")
    found = reasons(probe(tmp_path, TOOL.format(cleaner="None"), head=head))
    assert found == [
        "version: the manifest says '2.0', Plugin(...) says '1.0'",
        "settings: the manifest does not name 'city', so nobody can set it",
        "settings: the manifest names 'town', the settings class of Plugin(...) does not have it",
    ]


def test_parameters_that_nobody_describes_are_a_hint_and_no_problem(tmp_path: Path) -> None:
    code = '@tool\ndef probe_look(a: int, b: int) -> str:\n    """Look.\n\n    Args:\n        a: one\n    """\n    return ""\n'
    report = check_plugin(probe(tmp_path, code))
    assert report.ok
    assert [each.reason for each in report.hints] == ["its docstring says nothing of b"]


def test_several_are_checked_and_the_exit_code_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_new("one", tmp_path / "one")
    (tmp_path / "two").mkdir()
    probe(tmp_path / "two", "x = ")
    assert main(["check", str(tmp_path / "one")]) == 0
    assert "one 0.1.0 is in order; tools: 2" in capsys.readouterr().out
    assert main(["check", "--json", str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path / "three")]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [each["ok"] for each in found["plugins"]] == [True, False, False]
    assert "SyntaxError" in found["plugins"][1]["trace"]
    assert "there is no such file" in found["plugins"][2]["problems"][0]["reason"]


def test_what_a_plugin_prints_while_it_is_loaded_is_no_answer(tmp_path: Path) -> None:
    code = "print('{}')\nos.write(1, b'noise')\n" + TOOL.format(cleaner="None")
    assert reasons(probe(tmp_path, code)) == []


def test_new_and_check_work_as_a_module(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "homeagent_sdk", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("new", "weather2").returncode == 0
    again = run("new", "weather2")
    assert (again.returncode, "it is there already" in again.stderr) == (1, True)
    assert run("check", "weather2").returncode == 0
    assert run("check").returncode == 2
