"""The variables that the settings name as holding a key: no command and no terminal sees them, whatever their names."""

from __future__ import annotations

import io
import json

import pytest

from dev.model_server import Call, ModelServer, Say


def write_settings(home, server, name):
    (home / "config.toml").write_text(
        "[memory]\nembedder = 'none'\nkey_env = 'EMB'\n"
        f"[models.home]\nbase_url = '{server.url}'\nmodel = '{server.model}'\nkey_env = '{name}'\n"
        "[plugins.shell]\nallow = ['*']\nkeep_variables = ['KK', 'SHOWN_TOKEN']\nhide_variables = ['OWN']\n"
        "[plugins.terminal]\nask = 'never'\n"
    )


@pytest.fixture
def variables(monkeypatch):
    held = {"KK": "sesame-1", "EMB": "sesame-2", "OWN": "sesame-3", "LATER": "sesame-4", "SHOWN_TOKEN": "shown-5"}
    for name, value in held.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    "call", [Call("cmd_run", {"command": "env"}), Call("terminal_create", {"command": "env", "wait": 5})]
)
def test_a_key_reaches_neither_a_command_nor_a_terminal(homeagent, home, variables, call):
    with ModelServer([call, Say("seen")], key="sesame-1") as server:
        write_settings(home, server, "KK")
        assert homeagent("ask", "what is set?").out.endswith("seen\n")
        (answer,) = (each["content"] for each in server.requests[1]["messages"] if each["role"] == "tool")
    assert "LATER=sesame-4" in answer
    assert not any(secret in answer for secret in ("sesame-1", "sesame-2"))
    if call.tool == "cmd_run":
        assert "SHOWN_TOKEN=shown-5" in answer
        assert "sesame-3" not in answer


def test_a_key_named_while_the_chat_runs_is_hidden_from_then_on(homeagent, home, variables, monkeypatch):
    with ModelServer([Call("cmd_run", {"command": "env"}), Say("seen")]) as server:
        write_settings(home, server, "KK")

        class Typed(io.StringIO):
            def readline(self, *_):
                write_settings(home, server, "LATER")
                return super().readline()

        monkeypatch.setattr("sys.stdin", Typed("what is set?\n"))
        assert homeagent("chat").code == 0
        shown = json.dumps(server.requests[1]["messages"])
    assert "SHOWN_TOKEN=shown-5" in shown
    assert "KK=sesame-1" in shown, "it holds no key any more"
    assert not any(secret in shown for secret in ("sesame-2", "sesame-4"))


def test_a_plugin_whose_settings_change_while_the_chat_runs_still_hides_the_keys(
    homeagent, home, variables, monkeypatch
):
    with ModelServer([Call("cmd_run", {"command": "env"}), Say("seen")]) as server:
        write_settings(home, server, "KK")

        class Typed(io.StringIO):
            def readline(self, *_):
                settings = home / "config.toml"
                settings.write_text(settings.read_text().replace("hide_variables = ['OWN']", "seconds = 50.0"))
                return super().readline()

        monkeypatch.setattr("sys.stdin", Typed("what is set?\n"))
        assert homeagent("chat").code == 0
        shown = json.dumps(server.requests[1]["messages"])
    assert "OWN=sesame-3" in shown, "the new settings are in force"
    assert not any(secret in shown for secret in ("sesame-1", "sesame-2"))
