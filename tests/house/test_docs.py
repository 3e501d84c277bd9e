"""What the documents say is so: links lead somewhere, commands and options exist, both READMEs say the same."""

from __future__ import annotations

import functools
import itertools
import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dev.ratchet import ROOT
from dev.tracked import tracked_files

if TYPE_CHECKING:
    from pathlib import Path

PAGES = tracked_files(".md")
IDS = [page.relative_to(ROOT).as_posix() for page in PAGES]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"`((?:\.venv/bin/)?homeagent [^`]+)`")
PROGRAMS = {"homeagent", ".venv/bin/homeagent"}
SCRIPT = re.compile(r"(?:^|bash |; )(\./[\w/.-]+|\.ci/\w+)", re.MULTILINE)
OPTION = re.compile(r"--[a-z][a-z-]*")


def broken_links(page: Path, text: str) -> list[str]:
    """Return the relative links of a page that lead nowhere, and those to a heading that is not there."""
    broken: list[str] = []
    for link in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, heading = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (heading and heading not in headings(target.read_text("utf-8"))):
            broken.append(link)
    return broken


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))


def headings(text: str) -> set[str]:
    """Return the names under which the headings of a page are linked to."""
    titles = re.findall(r"^#+ +(.+?) *$", BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def commands(text: str) -> list[list[str]]:
    """Return the commands that a page shows: in ``sh`` blocks, and in the text between backticks."""
    lines = [line for kind, block in BLOCK.findall(text) if kind == "sh" for line in joined(block).splitlines()]
    lines += COMMAND.findall(BLOCK.sub("", text))
    found: list[list[str]] = []
    for line in lines:
        words = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars=True)
        words.whitespace_split = True
        for between, part in itertools.groupby(words, key=lambda word: word in {"&&", "||", ";", "|", ">"}):
            command = list(part)
            if not between and command[0] in PROGRAMS:
                found.append(command[1:])
    return found


def joined(block: str) -> str:
    return block.replace("\\\n", " ")


@functools.cache
def help_of(*path: str) -> str:
    """Return the help of a subcommand; empty when there is no such subcommand."""
    done = subprocess.run(
        [sys.executable, "-m", "homeagent", *path, "--lang", "en", "--help"],
        env=os.environ | {"COLUMNS": "300", "TERM": "dumb", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else ""


def subcommands(words: list[str]) -> tuple[str, ...]:
    """Return the part of a command that names a subcommand: ``memory search``."""
    path: list[str] = []
    skip = False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in {"--home", "--lang", "--as", "--chat"}
        elif word.isascii() and word.islower() and word.isalpha() and (not path or is_group(*path)):
            path.append(word)
        else:
            break
    return tuple(path)


def is_group(*path: str) -> bool:
    return bool(listed_commands(help_of(*path)))


def wrong(words: list[str]) -> str:
    """Return what is wrong with a command, or nothing; what stands behind ``--`` is another program's."""
    words = words[: words.index("--")] if "--" in words else words
    path = subcommands(words)
    if not help_of(*path):
        return f"there is no 'homeagent {' '.join(path)}'"
    known = set(OPTION.findall(help_of(*path))) | set(OPTION.findall(help_of()))
    missing = [option for word in words if (option := word.partition("=")[0]).startswith("--") and option not in known]
    return f"'homeagent {' '.join(path)}' has no {', '.join(missing)}" if missing else ""


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken_links(page, page.read_text("utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_command_exists_with_its_options(page: Path) -> None:
    assert [problem for words in commands(page.read_text("utf-8")) if (problem := wrong(words))] == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_script_and_module_that_is_shown_is_there(page: Path) -> None:
    blocks = [block for kind, block in BLOCK.findall(page.read_text("utf-8")) if kind == "sh"]
    scripts = {
        name for block in blocks for name in re.findall(r"(?:^|bash |; )(\./[\w/.-]+|\.ci/\w+)", block, re.MULTILINE)
    }
    modules = {name for block in blocks for name in re.findall(r"python -m (dev\.\w+|bench)\b", block)}
    assert [name for name in scripts if not os.access(ROOT / name, os.X_OK)] == []
    assert [name for name in modules if not list(ROOT.glob(name.replace(".", "/") + "*"))] == []


def test_both_readmes_give_the_same_commands() -> None:
    english, chinese = ((ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh.md"))
    shown = [[block for kind, block in BLOCK.findall(text) if kind == "sh"] for text in (english, chinese)]
    assert len(shown[0]) >= 2
    assert [code_of(block) for block in shown[0]] == [code_of(block) for block in shown[1]]


def code_of(block: str) -> list[str]:
    """Return the lines of a block without their comments and without what is said in quotes."""
    return [re.sub(r'"[^"]*"', '""', line.partition("  #")[0].strip()) for line in block.splitlines()]


def test_every_subcommand_is_described() -> None:
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    shown = {subcommands(words) for words in commands(text)}
    listed = [(name,) for name in listed_commands(help_of())]
    listed += [
        (group, name) for (group,) in list(listed) if is_group(group) for name in listed_commands(help_of(group))
    ]
    assert listed
    assert [" ".join(path) for path in listed if not any(each[: len(path)] == path for each in shown)] == []


def listed_commands(text: str) -> list[str]:
    """Return the subcommands that a help page lists."""
    _, _, listed = text.partition("\ncommands:\n")
    return re.findall(r"^    ([a-z][a-z-]*)(?: {2,}|$)", listed, re.MULTILINE)


# -- the checks themselves -----------------------------------------------------------------------------------------


def test_a_broken_link_and_a_missing_heading_are_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("# One thing\n", "utf-8")
    text = "[x](gone.md) [y](a.md#one-thing) [z](a.md#other) [w](https://example.org) `[v](code.md)`"
    assert broken_links(page, text) == ["gone.md", "a.md#other"]


def test_commands_are_read_from_blocks_and_from_the_text() -> None:
    block = "```sh\n$ homeagent memory search a \\\n  --json  # b\nls && homeagent doctor\n```\n"
    text = 'Use `homeagent ask "x y"`.\n' + block
    assert commands(text) == [["memory", "search", "a", "--json"], ["doctor"], ["ask", "x y"]]


def test_a_command_that_does_not_exist_is_found() -> None:
    assert wrong(["memory", "dance"])
    assert wrong(["ask", "--dance", "hello"])
    assert wrong(["ask", "hello"]) == ""
