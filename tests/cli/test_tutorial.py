"""The tutorial does what it says: its commands are run one after the other, and print what stands below them."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from dev.ratchet import ROOT

PAGE = ROOT / "docs" / "plugin-tutorial.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"Put this into\s+`([\w/.]+)`:\s*\Z")
PORT = "8123"

pytestmark = pytest.mark.slow


def steps(page):
    """Yield (kind, name of the file, text) of each block; a text block is what the commands before it print."""
    for found in BLOCK.finditer(page):
        named = FILE.search(page[: found.start()])
        yield found[1], named[1] if named else "", found[2]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


def test_every_command_of_the_tutorial_does_what_it_says(home, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider")
    folder = tmp_path / "here"
    folder.mkdir()
    page = PAGE.read_text("utf-8").replace(PORT, free_port())
    shell = subprocess.Popen(
        ["bash", "--norc"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    printed = ""
    ran = 0
    try:
        ask(shell, f'homeagent() {{ "{sys.executable}" -m homeagent "$@"; }}; python() {{ "{sys.executable}" "$@"; }}')
        for kind, file, text in steps(page):
            if file:
                (folder / file).write_text(text)
            elif kind == "sh":
                printed = ""
                for command in text.splitlines():
                    code, said = ask(shell, command)
                    assert code == 0, f"{command}\n{said}"
                    printed += said
                    ran += 1
            elif kind == "text":
                for line in text.splitlines():
                    assert line in printed, f"{line!r} is not in\n{printed}"
        _, found = ask(shell, "homeagent --json memory search q7x9-44af-0b1c")
        assert "q7x9" not in found.partition('"hits"')[2]
    finally:
        os.killpg(shell.pid, signal.SIGKILL)  # the web server too
        shell.communicate()
    assert ran > 20


def ask(shell, command):
    """Run one command in a shell that stays; its exit code, and what it printed."""
    shell.stdin.write(f'{command}\necho "__end__ $?"\n')
    shell.stdin.flush()
    said = ""
    while (line := shell.stdout.readline()) and not (found := re.search(r"__end__ (\d+)$", line)):
        said += line
    assert line, said
    return int(found[1]), said + line.partition("__end__")[0]


def test_the_page_is_not_read_as_having_nothing_to_run():
    kinds = [kind for kind, _, _ in steps(PAGE.read_text("utf-8"))]
    assert kinds.count("sh") > 8
    assert {file for _, file, _ in steps(PAGE.read_text("utf-8")) if file} == {
        "trains/trains.py",
        "trains/test_trains.py",
    }
