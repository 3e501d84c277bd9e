"""``[mcp.NAME]`` in the settings: read, refused with what to write, shown without keys, changed on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from homeagent import config
from homeagent.app import key_variables
from homeagent.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
[mcp.time]
command = "uvx"
args = ["mcp-server-time", "--local-timezone=UTC"]
env = { LOG = "hush-hush" }
pass_env = ["TIME_KEY"]
timeout = 5
[mcp.time.policies]
get_current_time = { cleaner = "json(datetime)" }
"*" = { no_memory = true }

[mcp.notes]
url = "https://notes.example/mcp?token=sesame"
key_env = "NOTES_KEY"
headers = { X-Room = "cellar" }
headers_env = { X-Key = "OTHER_KEY" }
confirm = "always"
enabled = false

[policies.tools]
"mcp.*" = { no_memory = true }
"""


def test_servers_are_read_and_their_policies_are_the_owners() -> None:
    found = config.parse(WHOLE, "config.toml")
    time, notes = found.mcp["time"], found.mcp["notes"]
    assert (time.command, time.args, time.timeout) == ("uvx", ("mcp-server-time", "--local-timezone=UTC"), 5)
    assert (notes.url, notes.confirm, notes.enabled) == ("https://notes.example/mcp?token=sesame", "always", False)
    assert set(found.tools) == {"mcp.*", "mcp.time.get_current_time", "mcp.time.*"}
    assert found.tools["mcp.time.*"].no_memory
    assert key_variables(found) == {"TIME_KEY", "NOTES_KEY", "OTHER_KEY"}


def test_what_may_be_a_key_is_not_shown() -> None:
    shown = str(config.shown(config.parse(WHOLE, "config.toml")))
    assert "NOTES_KEY" in shown
    assert not [secret for secret in ("sesame", "cellar", "hush-hush") if secret in shown]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[mcp.Big]\ncommand = 'x'", "a server is named with"),
        ("[mcp.a__b]\ncommand = 'x'", "a server is named with"),
        ("[mcp.'a.b']\ncommand = 'x'", "a server is named with"),
        ("[mcp.a]", "it has neither a command nor a url"),
        ("[mcp.a]\ncommand = 'x'\nurl = 'http://h/'", "it has both a command and a url"),
        ("[mcp.a]\nurl = 'http://h/'\nargs = ['x']", "it is of no use beside a url"),
        ("[mcp.a]\ncommand = 'x'\nkey_env = 'K'", "it is of no use beside a command"),
        ("[mcp.a]\nurl = 'http://me:sesame@h/'", "without a user name or password"),
        ("[mcp.a]\nurl = 'file:///sesame'", "http:// or https://"),
        ("[mcp.a]\nurl = 'http://h/'\nkey = 'sesame'", "there is no such setting"),
        ("[mcp.a]\nurl = 'http://h/'\nheaders = { authorization = 'sesame' }", "a key does not stand here"),
        ("[mcp.a]\nurl = 'http://h/'\nheaders_env = { X = 'sesame-1' }", "not the keys themselves"),
        ("[mcp.a]\ncommand = 'x'\npass_env = ['sesame!']", "names of environment variables"),
        ("[mcp.a]\ncommand = 'x'\nenabled = 'perhaps'", "true or false"),
        ("[mcp.a]\ncommand = 'x'\nconfirm = 'maybe'", '"destructive" or "always" or "never"'),
        ("[mcp.a]\ncommand = 'x'\n[mcp.a.policies]\nt = { cleaner = 'a:b' }", "[mcp.a.policies] t"),
        ("[mcp.a]\ncommand = 'x'\n[mcp.a.policies]\nt = {no_memory=true}\n[policies.tools]\n'mcp.a.t' = {}", "too"),
        ("[mcp.a]\ncommand = 'x'\ncomand = 'y'", "there is no such setting"),
        ("mcp = 3", "expected a table"),
    ],
)
def test_what_is_wrong_is_named_and_no_key_is_repeated(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as error:
        config.parse(text, "config.toml")
    assert told in str(error.value)
    assert "sesame" not in str(error.value)


def test_servers_are_changed_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    config.change(path, "mcp.time", "command = 'uvx', args = ['mcp-server-time']")
    config.change(path, "mcp.time.timeout", "9")
    config.change(path, "mcp.time.policies.get_current_time", "no_memory")
    found = config.change(path, "mcp.time.args", "['a', 'b']")
    assert (found.mcp["time"].args, found.mcp["time"].timeout) == (("a", "b"), 9)
    assert found.tools["mcp.time.get_current_time"].no_memory
    with pytest.raises(ConfigError, match="there is no such setting"):
        config.change(path, "mcp.time.speed", "9")
    assert config.change(path, "mcp.time", None).mcp == {}


def test_a_policy_that_stands_at_a_server_is_changed_there(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    config.change(path, "mcp.time", "command = 'x', policies = { now = { no_memory = true } }")
    found = config.change(path, "policies.tools.mcp.time.now", "cleaner = 'ansi()'")
    assert found.tools["mcp.time.now"].cleaner is not None
    assert "policies.tools" not in path.read_text()
    found = config.change(path, "policies.tools.mcp.time.other", "no_memory")
    assert set(found.tools) == {"mcp.time.now", "mcp.time.other"}
    found = config.change(path, "policies.tools.mcp.time.now", None)
    assert set(found.tools) == {"mcp.time.other"}
