"""The tests of a plugin run in its own environment, and how each of them went is known outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dev.plugin_tests.running import InsideRun, RunError

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = """\
# /// script
# dependencies = []
# [tool.homeagent]
# name = "probe"
# version = "1.0"
# sdk = ">=0.1"
# ///
from homeagent_sdk import Plugin
plugin = Plugin("probe", "1.0")
"""
TESTS = """\
import importlib.util, sys
import pytest
from probe import plugin

def test_that_it_is_inside():
    assert "probe" in sys.prefix
    assert importlib.util.find_spec("homeagent") is None
    assert plugin.name == "probe"

def test_that_fails():
    print("printed words")
    assert 1 + 1 == 3

def test_that_skips():
    pytest.skip("no such device")

@pytest.mark.xfail(reason="not yet")
def test_that_is_expected_to_fail():
    raise ValueError

@pytest.fixture
def broken():
    raise OSError("no disk")

def test_whose_fixture_breaks(broken):
    pass

@pytest.mark.parametrize("word", ["一", "two words"])
def test_with_words(word):
    assert word
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOMEAGENT_PLUGIN_ENVIRONMENTS", str(tmp_path / "environments"))
    (tmp_path / "probe" / "tests").mkdir(parents=True)
    (tmp_path / "probe" / "probe.py").write_text(PLUGIN)
    (tmp_path / "probe" / "tests" / "test_it.py").write_text(TESTS)
    return tmp_path / "probe"


def test_how_every_test_went_is_known(plugin: Path) -> None:
    run = InsideRun(plugin)
    try:
        tests = run.collected(plugin / "tests" / "test_it.py")
        names = {test.partition("::")[2]: test for test in tests}
        assert len(names) == 7
        run.wanted = list(tests)
        outcomes = {name: run.outcome(names[name]) for name in names}
        assert {name: each.outcome for name, each in outcomes.items() if "words" not in name} == {
            "test_that_it_is_inside": "passed",
            "test_that_fails": "failed",
            "test_that_skips": "skipped",
            "test_that_is_expected_to_fail": "xfailed",
            "test_whose_fixture_breaks": "failed",
        }
        assert "1 + 1" in outcomes["test_that_fails"].text
        assert ("Captured stdout call", "printed words\n") in outcomes["test_that_fails"].sections
        assert "no disk" in outcomes["test_whose_fixture_breaks"].text
        assert outcomes["test_that_skips"].text == "no such device"
    finally:
        run.close()


def test_a_file_that_can_not_be_imported_and_a_process_that_dies_are_named(plugin: Path) -> None:
    (plugin / "tests" / "test_broken.py").write_text("import nowhere_at_all\n")
    (plugin / "tests" / "test_dying.py").write_text("import os\ndef test_of_dying():\n    os._exit(3)\n")
    run = InsideRun(plugin)
    try:
        with pytest.raises(RunError, match="nowhere_at_all"):
            run.collected(plugin / "tests" / "test_broken.py")
        (test,) = run.collected(plugin / "tests" / "test_dying.py")
        run.wanted = [test]
        with pytest.raises(RunError, match="ended before"):
            run.outcome(test)
    finally:
        run.close()
