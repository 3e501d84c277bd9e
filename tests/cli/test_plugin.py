"""``homeagent plugin``: what a person reads of plugins, and a new plugin that works at once."""

from __future__ import annotations

import os
import subprocess
import sys

from dev.pseudo_terminal import PseudoTerminal
from homeagent.plugins import enforceable


def test_a_new_plugin_works_at_once(homeagent, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = homeagent("plugin", "new", "night-sky")
    assert made.code == 0
    assert "night-sky/night_sky.py" in made.out
    checked = homeagent("--json", "plugin", "check", "night-sky").json
    assert checked["ok"]
    (plugin,) = checked["plugins"]
    assert {tool["name"]: tool["treatment"] for tool in plugin["tools"]} == {
        "night_sky_hello": "lines(2,9)",
        "night_sky_letters": "no_memory",
    }
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
    assert [each["field"] for each in plain.json["plugins"][0]["problems"]] == ["version", "sdk"]


def test_several_plugins_are_checked_at_once_and_their_own_files_are_named(homeagent, tmp_path):
    good = greeter(tmp_path)
    bad = tmp_path / "bad" / "sulker.py"
    bad.parent.mkdir()
    text = good.read_text().replace("greeter", "sulker")
    bad.write_text(text.replace("@tool", '@tool(cleaner="json(a)")').replace("plugin =", "1 / 0\nplugin ="))
    done = homeagent("plugin", "check", good, bad)
    assert done.code == 1
    assert "greeter is in order; tools: 1" in done.out
    assert "ZeroDivisionError" in done.out
    assert f'File "{bad}"' in done.out
    assert "homeagent-check-" not in done.out
    bad.write_text(text.replace("@tool", '@tool(cleaner="json(a)")'))
    assert "没有可供试验的输出样本" in homeagent("--lang", "zh", "plugin", "check", bad).out


def test_what_a_pattern_names_besides_plugins_is_passed_over(homeagent, tmp_path):
    good = greeter(tmp_path)
    (tmp_path / "conftest.py").write_text("1 / 0\n")
    (tmp_path / "__pycache__").mkdir()
    done = homeagent("plugin", "check", good, tmp_path / "__pycache__", tmp_path / "conftest.py")
    assert (done.code, "conftest" in done.out) == (0, False)
    assert homeagent("plugin", "check", tmp_path / "conftest.py").code == 1


def test_the_built_ins_are_listed_and_told_about(homeagent):
    listed = homeagent("--json", "plugin", "list")
    assert {"clock", "files", "memory"} <= {each["name"] for each in listed.json["plugins"]}
    assert "clock_now" in homeagent("plugin", "info", "clock").out
    assert "内置" in homeagent("--lang", "zh", "plugin", "list").out
    missing = homeagent("plugin", "info", "weather")
    assert missing.code == 1
    assert "homeagent plugin install" in missing.err


def greeter(folder, *, permissions="[]", decorator="@tool"):
    path = folder / "greeter.py"
    path.write_text(
        "# /// script\n# [tool.homeagent]\n# name = 'greeter'\n# version = '1.0'\n# sdk = '>=0.1'\n"
        f"# permissions = {permissions}\n# ///\n"
        "from homeagent_sdk import Plugin, tool\n\n\n"
        f'{decorator}\ndef greet(who: str) -> str:\n    """Greet."""\n    return f"Hello, {{who}}!"\n\n\n'
        'plugin = Plugin("greeter", "1.0", tools=[greet])\n'
    )
    return path


def test_it_is_told_what_of_the_permissions_is_enforced_here(homeagent, tmp_path):
    told = homeagent("--json", "plugin", "info", greeter(tmp_path)).json["limits"]
    able = enforceable()
    assert told == {kind: "enforced" if kind in able else "declared" for kind in ("net", "files")}
    for permissions, net in (('["net:a.b"]', "hosts" if "net" in able else "declared_hosts"), ('["net:*"]', "open")):
        found = homeagent("--json", "plugin", "info", greeter(tmp_path, permissions=permissions)).json
        assert found["limits"]["net"] == net
    assert "内核" in homeagent("--lang", "zh", "plugin", "info", greeter(tmp_path)).out or not able


def state(homeagent):
    listed = homeagent("--json", "plugin", "list").json["plugins"]
    return next((each["state"] for each in listed if each["name"] == "greeter"), None)


def test_a_plugin_stays_out_until_it_is_agreed_to(homeagent, home, tmp_path):
    path = greeter(tmp_path, permissions='["exec"]')
    asked = homeagent("plugin", "install", path)
    assert asked.code == 1
    assert "tool greet: all of its output is remembered. Greet." in asked.err
    assert "permissions: exec" in asked.err
    assert "--yes" in asked.err
    assert state(homeagent) is None
    assert not (home / "installed").exists()
    assert homeagent("plugin", "install", path, "--yes").code == 0
    assert state(homeagent) == "on"


def test_it_is_asked_about_again_only_when_it_wants_more(homeagent, home, tmp_path):
    homeagent("plugin", "install", greeter(tmp_path), "--yes")
    assert homeagent("plugin", "install", greeter(tmp_path, decorator="@tool(no_memory=True)")).code == 0
    more = homeagent("--lang", "zh", "plugin", "install", greeter(tmp_path, permissions='["net:*"]'))
    assert more.code == 1
    assert "记忆范围变大的工具：greet" in more.err
    assert "新增的权限：net:*" in more.err
    assert state(homeagent) == "on"  # what was agreed to is still what is there
    code = home / "installed" / "greeter" / "code" / "greeter.py"
    code.write_text(greeter(tmp_path, permissions='["net:*"]').read_text())
    assert state(homeagent) == "asks"
    assert homeagent("plugin", "enable", "greeter").code == 1
    assert homeagent("plugin", "enable", "greeter", "--yes").code == 0
    assert state(homeagent) == "on"


def test_a_plugin_is_switched_off_and_on_and_taken_out(homeagent, home, tmp_path):
    homeagent("plugin", "install", greeter(tmp_path), "--yes")
    assert homeagent("plugin", "disable", "greeter").code == 0
    assert state(homeagent) == "off"
    assert homeagent("plugin", "enable", "greeter").code == 0  # agreed to already
    again = homeagent("plugin", "consent", "greeter")
    assert again.code == 1
    assert "tool greet:" in again.err
    assert homeagent("plugin", "consent", "greeter", "--yes").code == 0
    assert state(homeagent) == "on"
    data = home / "plugins" / "greeter"
    (data / "kept").mkdir(parents=True)
    removed = homeagent("plugin", "remove", "greeter")
    assert str(data) in removed.out
    assert state(homeagent) is None
    for word in ("disable", "enable", "remove"):
        assert homeagent("plugin", word, "greeter").code == 1
        assert "built in" in homeagent("plugin", word, "clock").err


def test_a_person_is_asked_and_may_say_no(home, tmp_path, homeagent):
    command = [sys.executable, "-m", "homeagent", "plugin", "install", str(greeter(tmp_path))]
    for answer, then in (("n", None), ("y", "on")):
        with PseudoTerminal(command, os.environ) as terminal:
            terminal.wait_for("Turn it on? [y/N]")
            terminal.type(f"{answer}\n")
            terminal.wait_for("is on" if then else "stays off")
            assert terminal.ended() == (0 if then else 1)
        assert state(homeagent) == then


def test_a_tool_with_the_name_of_another_s_is_refused_before_it_is_on(homeagent, home, tmp_path):
    path = greeter(tmp_path)
    path.write_text(path.read_text().replace("@tool\n", '@tool(name="files_read")\n'))
    told = homeagent("plugin", "check", path)
    assert told.code == 1
    assert "its tool 'files_read' is also a tool of plugin 'files'" in told.out
    refused = homeagent("plugin", "install", path, "--yes")
    assert refused.code == 1
    assert "is also a tool of plugin 'files'" in refused.err
    assert "工具" in homeagent("--lang", "zh", "plugin", "check", path).out
    assert state(homeagent) is None
    assert not (home / "installed" / "greeter").exists()
    other = greeter(tmp_path)
    assert homeagent("plugin", "install", other, "--yes").code == 0
    second = tmp_path / "second.py"
    second.write_text(other.read_text().replace("'greeter'", "'second'").replace('"greeter"', '"second"'))
    assert "of plugin 'greeter'" in homeagent("plugin", "install", second, "--yes").err
