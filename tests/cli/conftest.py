"""What the tests of the command line share: a home of their own, and a way to run a command in this process."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from homeagent.cli import run


class Ran(NamedTuple):
    """What a command left with and wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one JSON object on standard output."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        assert self.out.count("\n") == 1
        return found


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty home without vectors, and nothing of the user's own settings."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    (folder / "config.toml").write_text('[memory]\nembedder = "none"\n')
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    monkeypatch.setenv("HOMEAGENT_HOME", str(folder))
    monkeypatch.setenv("HOMEAGENT_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def homeagent(home, capsys):
    """Run a command line in this process, on the test's home."""

    def ran(*words):
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return ran


@pytest.fixture
def lines(tmp_path):
    """Write turns, given as (id, text) or whole objects, to a file of JSON lines."""

    def written(*turns, name="turns.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(whole(turn)) + "\n" for turn in turns))
        return path

    return written


def whole(turn):
    if isinstance(turn, dict):
        return turn
    name, text = turn
    at = "2026-05-05T10:00:00+02:00"
    segments = [{"role": "user", "text": text}]
    return {"id": name, "at": at, "channel": "cli", "chat": "main", "person": "owner", "segments": segments}
