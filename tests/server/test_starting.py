"""`homeagent serve`: starts with nothing, says where it is and how to speak to it, and ends in good order."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.server.serving import Served, Started, environment, homeagent, until

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
    with Served(home) as first:
        lasting = first.token
    with Served(home) as second:
        passing = second.token
        assert passing != lasting
        with second.client(lasting) as client:
            assert client.get("/v1/models").status_code == 200
        with second.client(passing) as client:
            assert client.get("/v1/models").status_code == 200
    with Served(home, ("--no-token",)) as third:
        assert not any("token: " in line for line in third.stdout)
        with third.client(passing) as client:
            assert client.get("/v1/models").status_code == 401
        with third.client(lasting) as client:
            assert client.get("/v1/models").status_code == 200


def test_a_token_made_at_the_command_line_holds_at_once_and_no_longer_once_revoked(home: Path) -> None:
    with Served(home) as served:
        made = json.loads(homeagent(home, "token", "new", "--person", "anna", "--json"))
        with served.client(made["token"]) as client:
            assert client.get("/api/session").json()["person"] == "anna"
            homeagent(home, "token", "revoke", made["id"])
            assert client.get("/api/session").status_code == 401
        listed = json.loads(homeagent(home, "token", "list", "--json"))["tokens"]
        assert [each["person"] for each in listed] == ["owner"]


def test_a_second_server_of_the_same_home_is_refused_and_told_where_the_first_is(home: Path) -> None:
    with Served(home) as served:
        command = [sys.executable, "-m", "homeagent", "serve", "--port", "0", "--home", str(home)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
        assert done.returncode == 1
        assert served.url in done.stderr
        with served.client() as client:
            assert client.get("/health").status_code == 200


def test_a_port_that_is_taken_is_an_error_that_says_so(home: Path, tmp_path: Path) -> None:
    with Served(home) as served:
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
    with Served(home) as served, served.client() as client:

        def limit() -> object:
            return client.get("/api/settings").json()["values"]["memory"]["recall_limit"]

        homeagent(home, "config", "set", "memory.recall_limit", "3")
        until(lambda: limit() == 3)
        (home / "config.toml").write_text("[memory]\nrecall_limit = 'many'\n")
        until(lambda: client.get("/ready").json()["problems"] == ["settings"])
        assert limit() == 3


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[memory\n", "config.toml"),
        ("[memory]\nrecall_limit = 'many'\n", "[memory] recall_limit"),
        ("[nosuch]\n", "nosuch"),
        ("[models.small]\nbase_url = 'ftp://x'\nmodel = 'm'\n", "[models.small] base_url"),
        ("[channels.webhook]\nowners = 3\n", "[channels.webhook] owners"),
        ("[plugins.files]\nroots = 'x'\n", "[plugins.files]"),
    ],
)
def test_wrong_settings_are_said_with_where_and_what_next_at_the_start_and_later_too(
    home: Path, text: str, where: str
) -> None:
    good = (home / "config.toml").read_text()
    with Served(home) as served, served.client() as client:
        (home / "config.toml").write_text(text)
        until(lambda: client.get("/ready").json()["problems"] == ["settings"])
        until(lambda: where in str(served.logged()))
        said = next(str(each["message"]) for each in served.logged() if where in str(each["message"]))
        assert said.count(". ") >= 1, said  # what is wrong, and what to do
        assert client.post("/api/chats/a/turns", json={"text": "hello"}).json()["status"] == "done"
        (home / "config.toml").write_text(good)
        until(lambda: client.get("/ready").json()["problems"] == [])
    (home / "config.toml").write_text(text)
    command = [sys.executable, "-m", "homeagent", "serve", "--port", "0", "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert where in done.stderr
    assert "What to do: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_webhook_whose_key_can_not_be_read_is_said_in_the_log_and_not_to_strangers(home: Path) -> None:
    (home / "config.toml").write_text("[memory]\nembedder = 'none'\n[channels.webhook]\nkey_file = '/no/such/key'\n")
    with Served(home) as served, served.client("") as stranger:
        until(lambda: any("/no/such/key" in str(each["message"]) for each in served.logged()))
        answer = stranger.post("/webhook", content=b"{}")
        assert answer.status_code == 503
        assert "/no/such" not in answer.text


def test_tokens_that_can_not_be_read_let_nobody_in_and_tell_no_stranger_where_they_are(home: Path) -> None:
    with Served(home) as served, served.client() as owner, served.client("") as stranger:
        whole = (home / "tokens.json").read_text()
        (home / "tokens.json").write_text("{")
        for answer in (
            owner.get("/api/chats"),
            owner.get("/api/chats", headers={"cookie": "homeagent_session=a.b.c.d"}),
            stranger.post("/api/session", json={"token": served.token}),
        ):
            assert answer.status_code == 507
            assert str(home) not in answer.text
            assert "log" in answer.json()["error"]["next_step"]
        assert stranger.get("/health").status_code == 200
        signing = stranger.post("/page/sign-in", data={"token": served.token})
        assert signing.headers["location"].startswith("/page/sign-in?problem=broken")
        assert "log of the server" in stranger.get(signing.headers["location"]).text
        until(lambda: any(str(home / "tokens.json") in str(each["message"]) for each in served.logged()))
        (home / "tokens.json").write_text(whole)
        until(lambda: owner.get("/api/chats").status_code == 200)


def test_a_file_that_can_not_be_written_is_an_error_like_any_other(home: Path) -> None:
    with Served(home) as served, served.client() as owner:
        (home / "backups.part").mkdir()  # where it would be written
        answer = owner.put("/api/memory/backups", json={"hours": 1, "keep": 1})
        assert answer.status_code == 507
        assert "backups" in answer.json()["error"]["where"]
        assert owner.get("/api/memory/backups").json()["rule"] is None


def test_help_says_how_to_serve_in_both_languages(tmp_path: Path) -> None:
    assert re.search("--port", homeagent(tmp_path, "serve", "--help"))
    assert "令牌" in homeagent(tmp_path, "token", "--help", "--lang", "zh")
