"""``homeagent plugin``: what a person reads of plugins, and a new plugin that works at once."""

from __future__ import annotations

import subprocess
import sys


def test_a_new_plugin_works_at_once(homeagent, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = homeagent("plugin", "new", "night-sky")
    assert made.code == 0
    assert "night-sky/night_sky.py" in made.out
    checked = homeagent("--json", "plugin", "check", "night-sky").json
    assert checked["ok"]
    assert [tool["name"] for tool in checked["tools"]] == ["night_sky_hello"]
    code = "\n".join((tmp_path / "night-sky" / "night_sky.py").read_text().split("# ///")[-1].split("\n"))
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path / "night-sky",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    again = homeagent("plugin", "new", "night-sky")
    assert again.code == 1
    assert "is there already" in again.err


def test_a_name_that_can_not_be_is_refused_before_anything_is_written(homeagent, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = homeagent("plugin", "new", "Night Sky")
    assert refused.code == 1
    assert "Use small letters" in refused.err
    assert not (tmp_path / "Night Sky").exists()


def test_what_is_wrong_is_told_key_by_key_in_both_languages(homeagent, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("# /// script\n# [tool.homeagent]\n# name = 'bad'\n# sdk = '>=9'\n# ///\n")
    told = homeagent("plugin", "check", path)
    assert told.code == 1
    assert "version: is missing" in told.out
    assert "sdk: it wants homeagent-sdk >=9" in told.out
    assert "解决办法" in homeagent("--lang", "zh", "plugin", "check", path).out
    plain = homeagent("--json", "plugin", "check", path)
    assert plain.code == 1
    assert [each["field"] for each in plain.json["problems"]] == ["version", "sdk"]


def test_the_built_ins_are_listed_and_told_about(homeagent):
    listed = homeagent("--json", "plugin", "list")
    assert {"clock", "files", "memory"} <= {each["name"] for each in listed.json["plugins"]}
    assert "clock_now" in homeagent("plugin", "info", "clock").out
    assert "内置" in homeagent("--lang", "zh", "plugin", "list").out
    missing = homeagent("plugin", "info", "weather")
    assert missing.code == 1
    assert "homeagent plugin install" in missing.err
