from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, NamedTuple

import pytest

from homeagent.builtin.files import PLUGIN
from homeagent.builtin.files.folders import Folders, entered, opened
from homeagent_sdk import SettingsError, ToolError
from homeagent_sdk.testing import FakeHost

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class World(NamedTuple):
    """An allowed folder with ways out of it, and what must not be touched."""

    root: Path
    outside: Path


@pytest.fixture
def world(tmp_path: Path) -> World:
    root, outside = tmp_path / "root", tmp_path / "root-outside"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "own.txt").write_text("own", "utf-8")
    outside.mkdir()
    (outside / "secret.txt").write_text("zq-secret", "utf-8")
    (root / "link").symlink_to(outside)
    (root / "file-link").symlink_to(outside / "secret.txt")
    (root / "up").symlink_to("..")
    (root / "new-link").symlink_to(outside / "new.txt")
    (root / "chain").symlink_to("link")
    (root / "loop").symlink_to("loop")
    (root / "inner-link").symlink_to("sub/own.txt")
    return World(root, outside)


def call(root: Path, tool: str, **arguments: object) -> str:
    async def called() -> str:
        async with FakeHost(PLUGIN, settings={"roots": [str(root)], "ask_before": "nothing"}) as host:
            return (await host.call(tool, **arguments)).text

    return asyncio.run(called())


ESCAPES = [
    "../root-outside/secret.txt",
    "sub/../../root-outside/secret.txt",
    "link/secret.txt",
    "file-link",
    "up/root-outside/secret.txt",
    "chain/secret.txt",
    "link/../root-outside/secret.txt",
    "new-link",
    "loop",
    "/etc/passwd",
    "~/.bashrc",
    "~nobody-here/x",
    "/proc/self/root/etc/passwd",
    "sub/\0x",
    "\ud800",
    "x" * 5000,
    "sub/own.txt/x",
]
CALLS: dict[str, dict[str, object]] = {
    "files_read": {},
    "files_ls": {},
    "files_write": {"content": "zq-written"},
    "files_edit": {"old": "zq-secret", "new": "zq-written"},
}


@pytest.mark.parametrize("path", ESCAPES)
@pytest.mark.parametrize("tool", CALLS)
def test_no_path_leads_out(tool: str, path: str, world: World) -> None:
    text = call(world.root, tool, path=path, **CALLS[tool])
    assert '"error"' in text
    assert "zq-secret" not in text.replace("zq-secret' ", "")
    assert [each.name for each in world.outside.iterdir()] == ["secret.txt"]
    assert (world.outside / "secret.txt").read_text("utf-8") == "zq-secret"


def test_absolute_paths_and_symlinks_that_stay_inside_are_fine(world: World) -> None:
    assert '"own"' in call(world.root, "files_read", path=str(world.root / "sub/own.txt"))
    assert '"own"' in call(world.root, "files_read", path="inner-link")
    assert '"own"' in call(world.root, "files_read", path="sub/../sub/own.txt")
    call(world.root, "files_edit", path="inner-link", old="own", new="mine")
    assert (world.root / "sub/own.txt").read_text("utf-8") == "mine"
    assert (world.root / "inner-link").is_symlink()


def swap_folder(world: World) -> None:
    (world.root / "sub").rename(world.root / "moved")
    (world.root / "sub").symlink_to(world.outside)


def swap_file(world: World) -> None:
    (world.root / "sub" / "own.txt").unlink()
    (world.root / "sub" / "own.txt").symlink_to(world.outside / "secret.txt")


@pytest.mark.parametrize("swap", [swap_folder, swap_file])
def test_a_symlink_put_in_after_the_check_is_not_followed(swap: Callable[[World], None], world: World) -> None:
    (world.outside / "own.txt").write_text("zq-secret", "utf-8")
    place = Folders([world.root]).find("sub/own.txt")
    swap(world)
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"), opened(place):
        pass


def test_a_folder_swapped_before_writing_is_not_entered(world: World) -> None:
    place = Folders([world.root]).find("sub/deep/new.txt")
    swap_folder(world)
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"), entered(place, create=True):
        pass
    assert [each.name for each in world.outside.iterdir()] == ["secret.txt"]


def test_a_root_that_is_a_symlink_itself_works(world: World, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(world.root)
    assert '"own"' in call(tmp_path / "alias", "files_read", path="sub/own.txt")


def test_a_relative_path_is_looked_for_in_every_root(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    (second / "a.txt").touch()
    folders = Folders([first, second])
    assert folders.find("a.txt").root == second
    assert folders.find("new.txt").root == first
    assert folders.find(str(second)).root == second


def test_a_root_around_the_home_does_not_open_the_home(tmp_path: Path) -> None:
    home = tmp_path / "share" / "homeagent"
    data = home / "plugins" / "files"
    data.mkdir(parents=True)
    (home / "log.db").touch()
    (home / "config.toml").write_text("key", "utf-8")

    async def called(roots: list[str]) -> list[str]:
        async with FakeHost(PLUGIN, settings={"roots": roots, "ask_before": "nothing"}, data_folder=data) as host:
            calls = [
                await host.call("files_read", path=str(home / "config.toml")),
                await host.call("files_write", path=str(home / "config.toml"), content="allow = ['*']"),
                await host.call("files_ls", path=str(home)),
            ]
            return [each.text for each in calls]

    for root in (tmp_path, home, home.parent):
        assert all("outside" in text for text in asyncio.run(called([str(root)])))
    assert (home / "config.toml").read_text("utf-8") == "key"


def test_a_folder_in_the_home_that_is_named_on_purpose_is_open(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    folders = Folders([tmp_path / "files"], tmp_path)
    assert folders.find("a.txt").path == tmp_path / "files" / "a.txt"
    with pytest.raises(ToolError, match="outside"):
        folders.find("../log.db")


@pytest.mark.parametrize("root", ["docs", "", "~nobody-here/x"])
def test_a_root_that_is_no_whole_path_is_refused_when_the_settings_are_read(root: str) -> None:
    with pytest.raises(SettingsError, match="roots: "):
        FakeHost(PLUGIN, settings={"roots": [root]})


def test_reading_leaves_no_descriptor_open(world: World) -> None:
    async def called() -> tuple[int, int]:
        async with FakeHost(PLUGIN, settings={"roots": [str(world.root)], "ask_before": "nothing"}) as host:
            before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - it has to be this process's own
            for number in range(10):
                for path in ("sub/own.txt", "link/x", "missing/x", "sub"):
                    await host.call("files_read", path=path)
                await host.call("files_write", path=f"x/{number}", content="x")
                await host.call("files_write", path="sub/own.txt/x", content="x")
            return before, len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    before, after = asyncio.run(called())
    assert after == before
