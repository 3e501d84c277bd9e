"""``homeagent doctor``: each line ok, warn or fail, and what to do."""

from __future__ import annotations

import sqlite3


def checks(ran):
    assert all(set(check) == {"name", "level", "found", "next_step"} for check in ran.json["checks"])
    return {check["name"]: check for check in ran.json["checks"]}


def test_a_sound_home_is_ok_line_by_line(homeagent):
    homeagent("ask", "hello there")
    ran = homeagent("doctor", "--json")
    found = checks(ran)
    assert (ran.code, ran.json["ok"]) == (0, True)
    assert set(found) >= {"python", "sqlite", "home", "disk", "config", "databases", "model", "policies", "pending"}
    assert {check["level"] for check in found.values()} <= {"ok", "warn"}
    assert all(check["next_step"] for check in found.values() if check["level"] != "ok")
    assert homeagent("doctor").out.startswith("ok ")
    assert homeagent("doctor", "--lang", "zh").out.startswith("正常")


def test_a_home_that_is_not_there_is_not_made(homeagent, tmp_path):
    ran = homeagent("doctor", "--home", tmp_path / "none", "--json")
    assert ran.code == 0
    assert checks(ran)["home"]["level"] == "warn"
    assert not (tmp_path / "none").exists()


def test_a_home_that_others_can_read_is_a_warning(homeagent, home):
    home.chmod(0o755)
    assert "chmod 700" in checks(homeagent("doctor", "--json"))["home"]["next_step"]


def test_a_policy_that_matches_no_tool_is_named(homeagent):
    homeagent("config", "set", "policies.tools.cmd_rnu", "no_memory")
    found = checks(homeagent("doctor", "--json"))["policies"]
    assert found["level"] == "warn"
    assert "cmd_rnu" in found["found"]


def test_broken_settings_and_databases_fail_with_what_to_do(homeagent, home):
    (home / "config.toml").write_text("[memory]\nembeder = 'none'\n")
    ran = homeagent("doctor", "--json")
    assert (ran.code, ran.json["ok"]) == (1, False)
    assert checks(ran)["config"]["level"] == "fail"
    (home / "config.toml").write_text("[memory]\nembedder = 'none'\n")
    (home / "log.db").write_bytes(b"this is no database, is it" * 100)
    ran = homeagent("doctor", "--json")
    assert ran.code == 1
    assert checks(ran)["databases"]["level"] == "fail"


def test_a_database_of_a_newer_version_is_named(homeagent, home):
    homeagent("ask", "hello there")
    connection = sqlite3.connect(home / "log.db")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    for words in (["doctor"], ["memory", "stats"], ["ask", "more"]):
        ran = homeagent(*words, "--json")
        assert ran.code == 1
        assert "newer" in ran.out
