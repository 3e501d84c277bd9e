"""`homeagent serve`: starts with nothing, says where it is and how to speak to it, and ends in good order."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.server.serving import Started, environment, homeagent, until

if TYPE_CHECKING:
    from pathlib import Path


def test_it_starts_with_no_key_and_no_settings_and_answers(tmp_path: Path) -> None:
    with Started(tmp_path / "fresh") as served, served.client() as client:
        assert served.stdout[0].strip().endswith(served.url)
        assert served.stdout[1] == f"token: {served.token}\n"
        assert client.get("/health").json()["status"] == "ok"
        assert client.get("/ready").json()["ready"] is True
        said = {"messages": [{"role": "user", "content": "My bicycle is parked at gate 7."}]}
        assert client.post("/v1/chat/completions", json=said).status_code == 200


def test_the_token_is_hashed_at_rest_and_its_file_is_private(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Started(home) as served:
        value = served.token
    kept = home / "tokens.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    for path in home.rglob("*"):
        if path.is_file():
            assert value.encode() not in path.read_bytes(), path
    assert value not in "".join(served.stderr)


def test_tokens_that_were_made_hold_after_a_restart_and_the_one_of_a_run_does_not(home: Path) -> None:
    with Started(home) as first:
        lasting = first.token
    with Started(home) as second:
        passing = second.token
        assert passing != lasting
        with second.client(lasting) as client:
            assert client.get("/v1/models").status_code == 200
        with second.client(passing) as client:
            assert client.get("/v1/models").status_code == 200
    with Started(home, ("--no-token",)) as third:
        assert not any("token: " in line for line in third.stdout)
        with third.client(passing) as client:
            assert client.get("/v1/models").status_code == 401
        with third.client(lasting) as client:
            assert client.get("/v1/models").status_code == 200


def test_a_token_made_at_the_command_line_holds_at_once_and_no_longer_once_revoked(home: Path) -> None:
    with Started(home) as served:
        made = json.loads(homeagent(home, "token", "new", "--person", "anna", "--json"))
        with served.client(made["token"]) as client:
            assert client.get("/api/session").json()["person"] == "anna"
            homeagent(home, "token", "revoke", made["id"])
            assert client.get("/api/session").status_code == 401
        listed = json.loads(homeagent(home, "token", "list", "--json"))["tokens"]
        assert [each["person"] for each in listed] == ["owner"]


def test_a_second_server_of_the_same_home_is_refused_and_told_where_the_first_is(home: Path) -> None:
    with Started(home) as served:
        command = [sys.executable, "-m", "homeagent", "serve", "--port", "0", "--home", str(home)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
        assert done.returncode == 1
        assert served.url in done.stderr
        with served.client() as client:
            assert client.get("/health").status_code == 200


def test_a_port_that_is_taken_is_an_error_that_says_so(home: Path, tmp_path: Path) -> None:
    with Started(home) as served:
        port = served.url.rpartition(":")[2]
        command = [sys.executable, "-m", "homeagent", "serve", "--port", port, "--home", str(tmp_path / "other")]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
        assert done.returncode == 1
        assert "--port" in done.stderr


def test_it_ends_with_0_when_it_is_told_to_and_leaves_nothing_open(home: Path) -> None:
    with Started(home) as served:
        with served.client() as client:
            client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": "hello"}]})
        assert served.stop() == 0
    assert any(line.get("message") == "stopped" for line in served.logged())
    turns = homeagent(home, "memory", "stats", "--json")
    assert json.loads(turns)["counts"]["closing"] == json.loads(turns)["counts"]["turn"]


def test_its_log_is_json_and_says_nothing_of_what_was_said(home: Path) -> None:
    with Started(home) as served, served.client() as client:
        said = "The password is hunter2-swordfish"
        client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": said}]})
        client.get("/api/memory/search", params={"q": "swordfish"})
        client.head("/page/enter/a-link-that-still-holds")
        client.get("/page/nowhere", params={"q": "swordfish"})
        served.stop()
        for line in served.stderr:
            assert json.loads(line)["level"]
        text = "".join(served.stderr)
        assert "swordfish" not in text
        assert served.token not in text
        assert "a-link-that-still-holds" not in text
        paths = {line.get("path") for line in served.logged()}
        assert {"/v1/chat/completions", "/api/memory/search"} <= paths


def test_changed_settings_hold_without_a_restart(home: Path) -> None:
    with Started(home) as served, served.client() as client:

        def limit() -> object:
            return client.get("/api/settings").json()["values"]["memory"]["recall_limit"]

        homeagent(home, "config", "set", "memory.recall_limit", "3")
        until(lambda: limit() == 3)
        (home / "config.toml").write_text("[memory]\nrecall_limit = 'many'\n")
        until(lambda: client.get("/ready").json()["problems"] == ["settings"])
        assert limit() == 3


def test_help_says_how_to_serve_in_both_languages(tmp_path: Path) -> None:
    assert re.search("--port", homeagent(tmp_path, "serve", "--help"))
    assert "令牌" in homeagent(tmp_path, "token", "--help", "--lang", "zh")
