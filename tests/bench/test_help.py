"""The help of the bench: it can be printed, and the README names every command."""

from __future__ import annotations

import re

import pytest

from bench.cli import main
from dev.ratchet import ROOT


def commands_of(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    return re.findall(r"^    (\w+) ", capsys.readouterr().out, re.MULTILINE)


def test_help_lists_the_commands_and_each_has_its_own(capsys):
    commands = commands_of(capsys)
    assert {"recall", "cost", "peers", "reread", "report"} <= set(commands)
    for command in commands:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
        assert "--json" in capsys.readouterr().out


def test_the_readme_of_the_bench_names_every_command(capsys):
    text = (ROOT / "bench" / "README.md").read_text("utf-8")
    assert [command for command in commands_of(capsys) if f"| `{command}" not in text] == []
