from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from homeagent import config
from homeagent.app import key_variables
from homeagent.config import ChannelOptions
from homeagent.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
[channels.qq]
owners = [12345, "67890"]  # ids may be written as numbers
members = ["23456"]
groups = [98765]
strangers = "polite"
answer = "always"
prefixes = ["小家"]
merge_seconds = 0
status_seconds = 5
guest_tools = []
language = "zh"

[channels.webhook]
key_env = "HOOK_KEY"
callback = "http://127.0.0.1:9000/"
on = false
"""


def test_everything_can_be_said_of_a_channel() -> None:
    found = config.parse(WHOLE, "config.toml")
    assert found.channel_options["qq"] == ChannelOptions(
        owners=("12345", "67890"),
        members=("23456",),
        groups=("98765",),
        strangers="polite",
        answer="always",
        prefixes=("小家",),
        merge_seconds=0,
        status_seconds=5,
        guest_tools=(),
        language="zh",
    )
    assert found.channel_options["webhook"] == ChannelOptions(
        on=False, key_env="HOOK_KEY", callback="http://127.0.0.1:9000/"
    )
    assert key_variables(found) == {"HOOK_KEY"}, "no program that a tool starts sees the key"
    assert config.shown(found)["channels"]["qq"]["owners"] == ["12345", "67890"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('owner = ["1"]', "owner: there is no such setting"),
        ('owners = "1"', "owners: expected a list of ids"),
        ("owners = [true]", "owners: expected a list of ids"),
        ('strangers = "rude"', 'strangers: expected "silent" or "polite"'),
        ("on = 1", "on: expected true or false"),
        ("status_seconds = 0", "status_seconds: expected a number above 0"),
        ('key = "topsecret"', "key: there is no such setting"),
        ('key_env = "A"\nkey_file = "b"', "names both key_env and key_file"),
    ],
)
def test_what_is_wrong_is_named_with_what_to_write(line: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config.parse(f"[channels.qq]\n{line}", "config.toml")
    assert problem in str(caught.value)
    assert "topsecret" not in str(caught.value)


def test_one_setting_of_a_channel_is_changed_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("# mine\n")
    config.change(path, "channels.qq.owners", "[12345]")
    config.change(path, "channels.qq.prefixes", '["/ai"]')
    found = config.load(path).channel_options["qq"]
    assert (found.owners, found.prefixes) == (("12345",), ("/ai",))
    assert path.read_text().startswith("# mine\n")
    with pytest.raises(ConfigError, match="Use one of on, owners"):
        config.change(path, "channels.qq.nothing", "1")
