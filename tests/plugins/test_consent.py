"""What was agreed to is kept whole or not at all, and a plugin that wants more is asked about again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import (
    Consent,
    Consents,
    InProcess,
    PluginError,
    describe,
    find_source,
    outline,
    put_in,
    take_out,
    tools_of,
    wanted_of,
)
from homeagent_sdk import Channel, Connection, MemoryPolicy, Outgoing, Plugin, parse_cleaner, regex, tool
from homeagent_sdk.manifest_source import PluginSource
from tests.plugins.worlds import World

if TYPE_CHECKING:
    from pathlib import Path

AGREED = Consent("1.0", True, {"look": "head(40)", "shout": "no_memory"}, ("exec",), ("httpx",))


@pytest.mark.parametrize(
    ("change", "grown"),
    [
        ({}, ()),
        ({"version": "9"}, ()),
        ({"tools": {"look": "no_memory"}}, ()),  # one is gone, one says less
        ({"permissions": ()}, ()),
        ({"tools": {**AGREED.tools, "fly": "no_memory"}}, ("tools", "fly")),
        ({"tools": {"look": "plain"}}, ("policies", "look")),
        ({"tools": {"look": "head(80)"}}, ("policies", "look")),
        ({"permissions": ("exec", "net:*")}, ("permissions", "net:*")),
        ({"dependencies": ("httpx", "numpy")}, ("dependencies", "numpy")),
    ],
)
def test_only_what_is_more_than_before_is_new(change: dict[str, object], grown: tuple[str, ...]) -> None:
    growth = AGREED.growth(replace(AGREED, **change))  # type: ignore[arg-type]
    assert bool(growth) is bool(grown)
    if grown:
        assert getattr(growth, grown[0]) == (grown[1],)


def test_what_is_written_and_what_is_declared_of_a_tool_are_the_same(tmp_path: Path) -> None:
    @tool(cleaner="json(a) | head(40)")
    def look() -> str:
        """Look."""
        return ""

    runner = InProcess(Plugin("looker", "1", tools=[look]), World(tmp_path).host)
    assert tools_of(runner.manifest.tools) == {"look": "json(a)|head(40)"}
    assert MemoryPolicy(cleaner=parse_cleaner("json(a) | head(40)")) == runner.manifest.tools[0].policy


def test_consents_come_back_as_they_were_given_from_a_private_file(tmp_path: Path) -> None:
    consents = Consents(tmp_path / "home")
    assert consents.all() == {}
    consents.give("looker", AGREED)
    consents.give("other", replace(AGREED, permissions=("net:例.example",)))
    consents.switch("looker", on=False)
    consents.switch("nobody", on=True)
    consents.take_back("nobody")
    assert Consents(tmp_path / "home").all()["looker"] == replace(AGREED, on=False)
    consents.take_back("looker")
    assert set(consents.all()) == {"other"}
    (file,) = (tmp_path / "home").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "[]", '{"a": {"version": "1"}}', '{"a": 3}'])
def test_a_damaged_file_of_consents_is_no_consent(tmp_path: Path, text: str) -> None:
    (tmp_path / "consents.json").write_text(text)
    with pytest.raises(PluginError, match=r"consents\.json: can't be read"):
        Consents(tmp_path).give("looker", AGREED)
    assert (tmp_path / "consents.json").read_text() == text


def script(folder: Path, text: str) -> Path:
    path = folder / "any name.py"
    path.write_text(f"# /// script\n# [tool.homeagent]\n# name='a'\n# version='1'\n# sdk='>=0.1'\n# ///\n{text}\n")
    return path


def test_files_are_put_in_in_place_of_the_old_ones_and_taken_out(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for text in ("one = 1", "two = 2"):
        source = find_source(script(tmp_path, text))
        code = put_in(home, source, describe(source))
        assert [path.name for path in code.iterdir()] == ["a.py"]
        assert text in (code / "a.py").read_text()
        assert [path.name for path in code.parent.iterdir()] == ["code"]
    for name in ("..", "../..", ".", "b", ""):
        assert not take_out(home, name)
    assert take_out(home, "a")
    assert home.is_dir()
    assert not code.exists()


def test_files_that_can_not_be_copied_leave_the_old_ones(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "a"
    folder.mkdir()
    script(folder, "").rename(folder / "a.py")
    source = find_source(folder)
    code = put_in(home, source, describe(source))
    (folder / "gone.txt").symlink_to(tmp_path / "nowhere")
    with pytest.raises(PluginError, match="can't be copied"):
        put_in(home, source, describe(source))
    assert [path.name for path in code.iterdir()] == ["a.py"]
    assert [path.name for path in code.parent.iterdir()] == ["code"]


CHANNELS = """
from homeagent_sdk import *
plugin = Plugin("talker", "1", channels=[
    Channel("one", Line, input=MemoryPolicy(cleaner=regex("^@\\\\w+ ", "")), output=MemoryPolicy(no_memory=True)),
    Channel(name="two", connect=Line, input=MemoryPolicy(cleaner=function_cleaner(bare))),
    Channel("three", Line, input=MemoryPolicy(no_memory=True)),
    Channel("four", Line),
])
"""


def test_what_is_written_and_what_is_declared_of_a_channel_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "talker.py").write_text(CHANNELS)
    source = PluginSource("file", tmp_path / "talker.py", tmp_path / "talker.py", {})
    written = tools_of(outline(source))
    plain = {"channel:two": "bare", "channel:three": "no_memory", "channel:four": "plain"}
    assert written == {"channel:one": 'regex("^@\\w+","")', **plain}

    class Line(Connection):
        async def send(self, message: Outgoing) -> str:
            return ""

    one = Channel("one", Line, input=MemoryPolicy(cleaner=regex(r"^@\w+ ", "")))
    runner = InProcess(Plugin("talker", "1", channels=[one]), World(tmp_path).host)
    assert wanted_of(runner.manifest) == {"channel:one": written["channel:one"]}
