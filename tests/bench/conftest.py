"""What the tests of the bench share: the small sets of our own, and one recall over them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.cli import main

SMOKE = Path(__file__).resolve().parents[2] / "bench" / "smoke"


@dataclass(frozen=True)
class Answer:
    """What a command did: its exit code, the JSON on stdout, the words on stderr."""

    code: int
    out: str
    err: str

    @property
    def report(self):
        return json.loads(self.out)


@pytest.fixture
def bench(capsys):
    """Runs a command of the bench in this process."""

    def run(*arguments):
        code = main([str(each) for each in arguments])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run


@pytest.fixture
def smoke():
    """The folder with the small sets."""
    return SMOKE
