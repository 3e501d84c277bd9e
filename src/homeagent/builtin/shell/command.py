"""The tool `cmd_run` and its settings."""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from homeagent.builtin.commands import check_characters, running_folder
from homeagent.builtin.consent import Question, ask_first, visible
from homeagent.builtin.processes import safe_environment
from homeagent.builtin.shell.rules import EVERYTHING, check_rules, denied_by, simple_words, starts_with_any
from homeagent.builtin.shell.running import Ended, Limits, Program, run
from homeagent_sdk import Plugin, ToolContext, ToolError, ToolResult, tool
from homeagent_sdk.calling import call_function

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PLUGIN", "ShellSettings", "cmd_run"]

LONGEST_SECONDS = 600
_SMALLEST_OUTPUT = 1000
_RUN = Question("Run this command?", "要运行这条命令吗？")


@dataclass(frozen=True)
class ShellSettings:
    """What commands may do."""

    allow: Annotated[
        tuple[str, ...],
        "first words of commands that need no asking, e.g. 'git status'; only plain commands in the usual folder, "
        "without ; | && $( ) or wildcards; whatever arguments follow are allowed too; '*' allows everything",
    ] = ()
    deny: Annotated[
        tuple[str, ...], "words that a command may not have in a row, e.g. 'sudo'; it is then refused without asking"
    ] = ()
    folder: Annotated[str, "where commands run; your home folder if empty"] = ""
    shell: Annotated[str, "the shell that reads commands; bash if empty, else sh"] = ""
    keep_variables: Annotated[
        tuple[str, ...], "environment variables that commands may see although they look like secrets"
    ] = ()
    hide_variables: Annotated[
        tuple[str, ...],
        "further environment variables that commands may not see; those with the keys of models they never do",
    ] = ()
    seconds: Annotated[float, "how long a command may take if the call says nothing else"] = 60.0
    output_bytes: Annotated[int, "of a longer output the beginning and the end are kept"] = 8 * 1024 * 1024

    def __post_init__(self) -> None:
        """Refuse what can't work."""
        check_rules("allow", self.allow)
        check_rules("deny", self.deny)
        if not 0 < self.seconds <= LONGEST_SECONDS:
            raise ValueError(f"seconds: {self.seconds:g} is not between 0 and {LONGEST_SECONDS}")
        if self.output_bytes < _SMALLEST_OUTPUT:
            raise ValueError(f"output_bytes: {self.output_bytes} is less than {_SMALLEST_OUTPUT}")


@tool(no_memory=True, timeout=LONGEST_SECONDS + 30)
async def cmd_run(context: ToolContext, command: str, folder: str = "", seconds: float | None = None) -> ToolResult:
    """Run a shell command on this machine; returns stdout and stderr together, and the exit code if it isn't 0.

    There is no input, so use options such as -y. The person may be asked first. Everything the command started is
    ended with it: for what has to keep running, or to type into, use terminal_create.

    Args:
        command: What to type into the shell, e.g. "df -h" or "cd /srv/app && ls".
        folder: Where to run it; the usual folder if left out.
        seconds: How long it may take, at most 600; 60 if left out.
    """
    settings = context.settings(ShellSettings)
    limits = Limits(_checked_seconds(seconds, settings), settings.output_bytes)
    place = running_folder(folder, settings.folder)
    environment = safe_environment(os.environ, settings.keep_variables, settings.hide_variables) | {"TERM": "dumb"}
    argv = await _agreed(context, command, place, environment)
    try:
        ended = await run(Program(argv, place, environment), limits, lambda line: context.progress(visible(line)))
    except OSError as error:
        raise ToolError("command", f"it can't be started: {error.strerror or error}", "Check its name") from None
    # Making text of some megabytes takes a while.
    text = await call_function(ended.output.text, is_async=False)
    return ToolResult(
        _with_remarks(text, ended),
        data={"exit_code": ended.code, "seconds": round(ended.seconds, 3), "stopped": ended.stopped},
        error=bool(ended.code or ended.stopped),
    )


async def _agreed(context: ToolContext, command: str, folder: Path, environment: dict[str, str]) -> list[str]:
    """Return what to run once the rules or the person allow it. Raises ``ToolError`` when they don't."""
    settings = context.settings(ShellSettings)
    if not command.strip():
        raise ToolError("command", "is empty", 'Give e.g. "ls -l"')
    check_characters(command, "command")
    rule = denied_by(command, settings.deny)
    if rule is not None:
        raise ToolError("command", f"the settings of this home forbid {rule!r}", "Do it without, or ask the person")
    words = simple_words(command)
    # In another folder the same words may run what lies there, a Makefile or what a .git names: that is asked about.
    usual = folder == running_folder("", settings.folder)
    if words is not None and usual and starts_with_any(words, settings.allow):
        program = shutil.which(words[0], path=environment.get("PATH"))
        if program is not None:
            return [program, *words[1:]]  # no shell: what was checked is what runs
    if EVERYTHING not in settings.allow:
        where = "" if usual else f"  [{folder}]"
        await ask_first(context, _RUN, command + where, "command")
    return [_shell(settings), "-c", command]


def _checked_seconds(asked: float | None, settings: ShellSettings) -> float:
    seconds = settings.seconds if asked is None else asked
    if not 0 < seconds <= LONGEST_SECONDS:
        fix = f"Give at most {LONGEST_SECONDS}; for longer work use terminal_create"
        raise ToolError("seconds", f"is {seconds:g}", fix)
    return seconds


def _shell(settings: ShellSettings) -> str:
    return settings.shell or shutil.which("bash") or "/bin/sh"


def _with_remarks(text: str, ended: Ended) -> str:
    if ended.interrupted:  # whoever interrupted it says so
        return text
    remarks = []
    if ended.stopped:
        remarks.append(f"[stopped: {ended.stopped}; everything it started was ended]")
    elif ended.code < 0:
        remarks.append(f"[ended by signal {_signal_name(-ended.code)}]")
    elif ended.code or not text:
        remarks.append(f"[exit code {ended.code}{'' if text else ', no output'}]")
    if ended.left_behind and not ended.stopped:
        remarks.append("[what it left running in the background was ended; terminal_create keeps things running]")
    if not remarks:
        return text
    between = "" if not text or text.endswith("\n") else "\n"
    return text + between + "\n".join(remarks)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


# The whole plugin.
PLUGIN = Plugin("shell", "1.0.0", tools=[cmd_run], settings=ShellSettings)
