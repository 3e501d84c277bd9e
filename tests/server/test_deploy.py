"""The files for running it as a service name what there is: programs, options, files, ports."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import tomllib

import pytest

from dev.ratchet import ROOT
from homeagent.cli.parser import build
from homeagent.cli.parser_server import PORT

UNIT = ROOT / "deploy" / "homeagent.service"
CONTAINER = ROOT / "deploy" / "Containerfile"
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the container file, their lines joined."""
    text = re.sub(r"\\\n\s*", " ", CONTAINER.read_text("utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def parsed(words: list[str]) -> int:
    assert words[0] == "homed"
    return int(build("en").parse_args(["serve", *words[1:]]).port)


def test_the_unit_starts_a_program_that_there_is_with_options_that_it_has() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(UNIT)
    command = shlex.split(unit["Service"]["ExecStart"])
    program = command[0].rpartition("/")[2]
    assert program in SCRIPTS
    assert parsed([program, *command[1:]]) == PORT
    assert unit["Service"]["KillSignal"] == "SIGTERM"
    assert int(unit["Service"]["TimeoutStopSec"]) > 20
    assert unit["Install"]["WantedBy"] == "default.target"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_takes_the_unit() -> None:
    done = subprocess.run(["systemd-analyze", "verify", "--user", UNIT], capture_output=True, text=True, check=False)
    assert "homeagent.service" not in done.stderr or "is not executable" in done.stderr, done.stderr


def test_the_container_file_copies_what_there_is_and_starts_the_server_at_its_port() -> None:
    found = instructions()
    known = {
        "FROM",
        "WORKDIR",
        "COPY",
        "RUN",
        "ENV",
        "USER",
        "VOLUME",
        "EXPOSE",
        "STOPSIGNAL",
        "HEALTHCHECK",
        "ENTRYPOINT",
    }
    assert {name for name, _ in found} <= known
    for name, words in found:
        if name == "COPY" and not words.startswith("--from"):
            *sources, _ = words.split()
            assert [each for each in sources if not (ROOT / each).exists()] == []
    entry = next(words for name, words in found if name == "ENTRYPOINT")
    assert parsed(re.findall(r'"([^"]+)"', entry)) == PORT
    assert next(words for name, words in found if name == "EXPOSE") == str(PORT)
    users = [words for name, words in found if name == "USER"]
    assert users == ["agent"]
    check = next(words for name, words in found if name == "HEALTHCHECK")
    assert f"127.0.0.1:{PORT}/ready" in check
