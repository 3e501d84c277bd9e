"""Running the scenes on a new home, and the page that comes of it: what differs from run to run is replaced."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dev.model_server import ModelServer
from dev.pseudo_terminal import PseudoTerminal, rendered
from dev.ratchet import ROOT
from dev.transcripts.scenes import CHINESE, CONSENT, ENGLISH, Chat, Scenes, Shell, Text
from homeagent.cli.messages import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PAGES", "same_words", "without_what_differs", "written"]

PAGES: Final[Mapping[Path, Scenes]] = {
    ROOT / "docs" / "first-five-minutes.md": ENGLISH,
    ROOT / "docs" / "first-five-minutes.zh.md": CHINESE,
}
"""Which scenes make which page."""

_PROGRAM: Final = (sys.executable, "-m", "homeagent")
_ONCE: Final = tuple(words for key in ("step_model", "step_model_ready") for words in MESSAGES[key])
_PROMPTS: Final = re.compile(r"\n(?:\w+)?> $")
_REPLACED: Final = (
    (re.compile(r"\bt[0-9a-f]{20,22}\b"), "t1a2b3c4d5e6f7a8b9c0d"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d"), "2026-05-01 10:00"),
    (
        re.compile(r"\(\w+day 星期.\), \d\d:\d\d:\d\d, \S+ \(UTC[^)]*\)"),
        "(Friday 星期五), 10:00:00, Europe/Berlin (UTC+02:00)",
    ),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:11434"),
    (re.compile(r"\d+\.\d s\b"), "0.0 s"),
    (re.compile(r"\d+\.\d 秒"), "0.0 秒"),
    (re.compile(r"\d+ MB"), "50000 MB"),
    (re.compile(r"Python \d+\.\d+\.\d+"), "Python 3.13.0"),
    (re.compile(r"SQLite \d+\.\d+\.\d+"), "SQLite 3.45.0"),
    (re.compile(rf"^.*(?:{'|'.join(_ONCE)}).*\n", re.MULTILINE), ""),
)
_FIGURES: Final = re.compile(r"[+-]\d+\.\d+|\d+%")


def written(scenes: Scenes) -> str:
    """Run the scenes on a new home and return the page."""
    parts = []
    with tempfile.TemporaryDirectory() as folder, ModelServer(scenes.answers, model="qwen3:8b") as server:
        environment = _environment(Path(folder) / "home", scenes.locale)
        for part in scenes.parts:
            match part:
                case Text(text=text):
                    parts.append(text)
                case Shell(command=command):
                    typed = command.format(url=server.url)
                    parts.append(_block(typed, _output(typed, environment)))
                case Chat():
                    parts.append(_block(part.command, _conversation(part, environment)))
        text = "\n\n".join(parts).replace(str(Path(folder) / "home"), "~/.local/share/homeagent")
    return f"{without_what_differs(text)}\n"


def without_what_differs(text: str) -> str:
    """Return what was printed with all that is another thing in every run replaced, or left out."""
    for pattern, instead in _REPLACED:
        text = pattern.sub(instead, text)
    return text


def same_words(page: str) -> str:
    """Return a page without the figures that move when recall is weighted anew: what is compared."""
    return _FIGURES.sub("#", page)


def _environment(home: Path, locale: str) -> dict[str, str]:
    paths = f"{ROOT / 'src'}{os.pathsep}{ROOT / 'sdk' / 'src'}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "HOMEAGENT_HOME"))}
    return kept | {
        "HOMEAGENT_HOME": str(home),
        "PYTHONPATH": paths,
        "LANG": locale,
        "LC_CTYPE": "C.UTF-8",
        "TERM": "dumb",  # no colours, no escapes but our own
        "INPUTRC": os.devnull,
    }


def _output(command: str, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        ["/bin/sh", "-c", _run_by_us(command)],
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout


def _conversation(chat: Chat, environment: Mapping[str, str]) -> str:
    with PseudoTerminal(["/bin/sh", "-c", f"exec {_run_by_us(chat.command)}"], environment) as terminal:
        for line in chat.typed:
            terminal.wait_until(lambda shown: bool(_PROMPTS.search(shown)) or shown.endswith(CONSENT))
            terminal.type(f"{line}\n")
        terminal.ended()
        return rendered(terminal.output)


def _run_by_us(command: str) -> str:
    """Return the command with this program, whatever ``homeagent`` is installed."""
    return command.replace("homeagent", " ".join(_PROGRAM), 1)


def _block(command: str, output: str) -> str:
    return f"```text\n$ {command}\n{output.strip()}\n```"
