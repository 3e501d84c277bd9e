"""``homeagent doctor``: each line ok, warn or fail, and what to do."""

from __future__ import annotations

import sqlite3

from dev.model_server import ModelServer, Say


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


def test_each_source_of_a_model_is_looked_at_without_a_paid_call(homeagent, home, monkeypatch, tmp_path):
    key = tmp_path / "key"
    key.write_text("sesame\n")
    key.chmod(0o644)
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    monkeypatch.setenv("WRONG_KEY", "zqwrong")
    assert checks(homeagent("doctor", "--json"))["models"]["next_step"].startswith("To add one: homeagent config set")
    with ModelServer([Say("never")], key="sesame") as server:
        sources = {
            "good": f"key_file = '{key}'",
            "missing": "key_env = 'NO_SUCH_KEY'",
            "refused": "key_env = 'WRONG_KEY'",
            "unknown": f"key_file = '{key}'\nmodel = 'other'",
            "down": "base_url = 'http://127.0.0.1:9/v1'",
        }
        lines = ["[memory]\nembedder = 'none'"]
        for name, own in sources.items():
            lines.append(f"[models.{name}]\n{own}")
            lines += [f"base_url = '{server.url}'"] if "base_url" not in own else []
            lines += ["model = 'small'"] if "model =" not in own else []
        (home / "config.toml").write_text("\n".join(lines))
        open_to_all = checks(homeagent("doctor", "--json"))
        assert "chmod 600" in open_to_all["models.good"]["next_step"]
        key.chmod(0o600)
        ran = homeagent("doctor", "--json")
        assert server.requests == []
    assert "zqwrong" not in ran.out
    assert "sesame" not in ran.out
    found = {name.removeprefix("models."): check for name, check in checks(ran).items() if name.startswith("models.")}
    assert {name: check["level"] for name, check in found.items()} == dict.fromkeys(sources, "warn") | {"good": "ok"}
    assert ran.code == 0, "one that answers is enough"
    assert "small answers, key accepted" in found["good"]["found"]
    assert "its key is missing" in found["missing"]["found"]
    assert "key" in found["refused"]["found"]
    assert "has no model other" in found["unknown"]["found"]
    assert "can't be reached" in found["down"]["found"]
    assert all(check["next_step"] for name, check in found.items() if name != "good")
    gone = homeagent("doctor", "--json", "--lang", "zh")
    assert gone.code == 1
    assert checks(gone)["models.down"]["level"] == "fail"
    assert "连不上模型服务" in checks(gone)["models.down"]["found"]
