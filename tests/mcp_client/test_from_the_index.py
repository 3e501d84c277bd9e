"""Servers that nobody wrote for us, from the package index, over stdio: they work, and their noise is not computed.

They are installed once into an environment of their own, which is kept. Without it and without a registry the tests
are skipped, and say so.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeagent.config import McpSettings
from homeagent.mcp_client import consents_of
from homeagent.memory import OWNER, Viewer
from homeagent.models import Say
from homeagent_sdk import MemoryPolicy, parse_cleaner
from tests.agent.worlds import HERE, call, in_loop
from tests.mcp_client.test_joined import computed, home_with, say

if TYPE_CHECKING:
    from homeagent.app import App

pytestmark = pytest.mark.slow

PACKAGES = ("mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19")
UNREACHED = re.compile(
    r"dns error|name resolution|failed to lookup|NewConnectionError|unreachable|refused|timed out|error sending request"
    r"|[Cc]ould not connect|Failed to fetch",
)


@pytest.fixture(scope="module")
def programs() -> Path:
    """Return the folder of the servers' programs; it is made when it is not there yet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "homeagent-tests"
    folder = cache / "-".join(["mcp", f"{sys.version_info.major}.{sys.version_info.minor}", *PACKAGES])
    done = folder / "done"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        uv = shutil.which("uv")
        venv.EnvBuilder(with_pip=uv is None).create(folder)
        python = str(folder / "bin" / "python")
        command = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
        installed = subprocess.run([*command, *PACKAGES], capture_output=True, text=True, check=False)
        if installed.returncode and UNREACHED.search(installed.stderr):
            pytest.skip(f"no package registry can be reached, so {' and '.join(PACKAGES)} can't be installed")
        assert installed.returncode == 0, installed.stderr
        done.touch()
    return folder / "bin"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with a change in it that is full of marks."""
    folder = tmp_path / "repository"
    folder.mkdir()
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    author = ["-c", "user.name=Ann", "-c", "user.email=ann@home.test"]

    def git(*words: str) -> None:
        subprocess.run(["git", *author, *words], cwd=folder, env=environment, check=True, capture_output=True)

    git("init", "-q")
    (folder / "taps.txt").write_text("kitchen\n")
    git("add", ".")
    git("commit", "-qm", "zqcommit7102 list the taps")
    (folder / "taps.txt").write_text("kitchen\n" + "zqdiff5523 bathroom\n" * 200)
    return folder


def files_of(app: App) -> bytes:
    """Return everything in the files of the computed half."""
    return b"".join(path.read_bytes() for path in app.memory.home.root.glob("derived.db*"))


@in_loop
async def test_a_noisy_server_works_and_nothing_it_said_is_computed(
    programs: Path, repository: Path, tmp_path: Path
) -> None:
    server = McpSettings(command=str(programs / "mcp-server-git"), args=("-r", str(repository)))
    where = str(repository)
    steps = [
        Say(calls=(call("git__git_diff_unstaged", repo_path=where), call("git__git_log", 2, repo_path=where))),
        "The list of taps has grown by the bathroom.",
        call("git__git_show", 3, repo_path=where, revision="no-such-revision"),
        "There is no such revision.",
    ]
    home = tmp_path / "home"
    async with home_with(home, steps, git=server) as app:
        app.memory.set_policies({"mcp.git.*": MemoryPolicy(no_memory=True)})
        await say(app, "Our plumber Rosalind comes on Thursday at nine. What has changed?")
        await say(app, "Show it to me.")
        raw = [row.segment for turn in app.memory.turns() for row in app.memory.segments(turn)]
        outputs = {each.call_id: each for each in raw if each.role == "tool"}
        assert outputs["c1"].text.count("zqdiff5523") == 200
        assert "zqcommit7102" in outputs["c2"].text
        assert outputs["c3"].error
        assert {each.tool for each in outputs.values()} == {
            "mcp.git.git_diff_unstaged",
            "mcp.git.git_log",
            "mcp.git.git_show",
        }
        text = computed(app)
        assert "bathroom" in text
        hits = app.memory.recall("When does the plumber come?", viewer=Viewer(OWNER, HERE)).hits
        assert "Rosalind comes on Thursday at nine" in hits[0].text
        for mark in ("zqdiff5523", "zqcommit7102", "no-such-revision"):
            assert mark not in text
            assert mark.encode() not in files_of(app)
            assert not [hit for hit in app.memory.recall(mark, viewer=Viewer(OWNER, HERE)).hits if mark in hit.text]


@in_loop
async def test_a_cleaner_lets_through_what_it_leaves_and_no_envelope(programs: Path, tmp_path: Path) -> None:
    server = McpSettings(command=str(programs / "mcp-server-time"), args=("--local-timezone", "UTC"))
    steps = [call("time__get_current_time", timezone="Asia/Shanghai"), "It is late there."]
    async with home_with(tmp_path, steps, time=server) as app:
        app.memory.set_policies({"mcp.time.get_current_time": MemoryPolicy(cleaner=parse_cleaner("json(datetime)"))})
        await say(app, "Grandmother lives in Shanghai. What time is it there?")
        (output,) = [
            row.segment
            for turn in app.memory.turns()
            for row in app.memory.segments(turn)
            if row.segment.role == "tool"
        ]
        assert "is_dst" in output.text
        assert "day_of_week" in output.text
        text = computed(app)
        assert re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+08:00", text)
        assert "is_dst" not in text
        assert "day_of_week" not in text
        assert b"day_of_week" not in files_of(app)
        hits = app.memory.recall("where does grandmother live", viewer=Viewer(OWNER, HERE)).hits
        assert "Shanghai" in hits[0].text


@in_loop
async def test_what_such_a_server_offers_is_read_as_it_says(programs: Path, tmp_path: Path) -> None:
    server = McpSettings(command=str(programs / "mcp-server-git"))
    async with home_with(tmp_path, git=server) as app:
        tools = {name: tool for name, tool in app.registry.tools.items() if tool.plugin == "mcp.git"}
        assert {"git__git_status", "git__git_diff", "git__git_commit"} <= tools.keys()
        assert all(tool.policy is None for tool in tools.values())
        consent = consents_of(tmp_path).all()["git"]
        assert set(consent.tools.values()) == {"default"}
