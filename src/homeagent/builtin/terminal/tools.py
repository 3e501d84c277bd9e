"""The tools that open, use and close terminals."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

from homeagent.builtin.commands import check_characters, running_folder
from homeagent.builtin.consent import Question, ask_first, visible
from homeagent.builtin.processes import safe_environment
from homeagent.builtin.terminal.keys import keystrokes
from homeagent.builtin.terminal.session import Launch, Session, Size
from homeagent.builtin.terminal.sessions import Chat, Sessions
from homeagent.builtin.terminal.settings import TerminalSettings
from homeagent_sdk import ToolContext, ToolError, tool

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "terminal_close",
    "terminal_create",
    "terminal_list",
    "terminal_read",
    "terminal_resize",
    "terminal_write",
]

_LONGEST_WAIT = 30.0
_LONGEST_INPUT = 65_536
_LARGEST_SIDE = 1_000
_OPEN = Question("Open a terminal with this program?", "要打开终端并运行这个程序吗？")
_OPEN_FREELY = Question(
    "Open a terminal with this program and let anything be typed into it until it is closed?",
    "要打开终端运行这个程序，并允许在关闭之前向它输入任何内容吗？",
)
_TYPE = Question("Type this into terminal {}?", "要在终端 {} 里输入以下内容吗？")


@tool(no_memory=True)
async def terminal_create(
    context: ToolContext, command: str = "", folder: str = "", columns: int = 120, rows: int = 30, wait: float = 1.0
) -> str:
    """Open a terminal with a program that keeps running, e.g. a shell, an editor, ssh; returns its id and output.

    Use it for what needs input or has to stay; for a command that ends by itself use cmd_run. The person may be asked
    first. Close it with terminal_close when you are done.

    Args:
        command: The program with its arguments; a shell if left out.
        folder: Where to start it; the usual folder if left out.
        columns: The width in characters.
        rows: The height in lines.
        wait: How many seconds to wait for its first output, at most 30.
    """
    settings = context.settings(TerminalSettings)
    sessions = context.state(Sessions)
    size, seconds = _size(columns, rows), _seconds(wait)
    launch = _launch(command, running_folder(folder, settings.folder), settings)
    sessions.check_room()
    if settings.ask != "never":
        question = _OPEN_FREELY if settings.ask == "opening" else _OPEN
        await ask_first(context, question, f"{launch.command}  [{launch.folder}]", "command")
    try:
        name, session = sessions.create(_chat(context), launch, size)
    except OSError as error:
        raise ToolError("command", f"it can't be started: {error.strerror or error}", "Try it later") from None
    return f"[terminal {name}]\n{await _output(context, session, seconds)}"


@tool(no_memory=True)
async def terminal_write(
    context: ToolContext, terminal: str, text: str, wait: float = 1.0, escapes: bool = True
) -> str:
    r"""Type into a terminal, then return the new output. The person may be asked first.

    Args:
        terminal: Its id.
        text: What to type. End a line with \n, the Enter key. Ctrl+C is \x03, Ctrl+D \x04, Escape \e, Tab \t, the
            arrow keys \e[A to \e[D, a backslash \\.
        wait: How many seconds to wait for output at most, 0 to 30; it ends as soon as the output pauses.
        escapes: false types backslashes as they are.
    """
    session = context.state(Sessions).get(_chat(context), terminal)
    seconds = _seconds(wait)
    typed = keystrokes(text, escapes=escapes)
    _check_input(typed)
    if context.settings(TerminalSettings).ask == "input":
        question = Question(*(words.format(terminal) for words in _TYPE))
        await ask_first(context, question, typed.replace("\r", "\\n\n"), "text")
        session = context.state(Sessions).get(_chat(context), terminal)  # it may be gone by now
    wanted = len(typed.encode("utf-8", "surrogateescape"))
    written = await session.write(typed)
    if written < wanted:
        state = await session.state()
        hint = "Read what it shows; it may wait for Enter or have ended" if session.running else "Read its last output"
        raise ToolError("text", f"only {written:,} of {wanted:,} bytes were taken; the program {state}", hint)
    return await _output(context, session, seconds)


@tool(no_memory=True)
async def terminal_read(context: ToolContext, terminal: str, wait: float = 0.0) -> str:
    """Return what a terminal has shown since the last call, with its control characters.

    Args:
        terminal: Its id.
        wait: How many seconds to wait for output at most, 0 to 30; it ends as soon as the output pauses.
    """
    session = context.state(Sessions).get(_chat(context), terminal)
    return await _output(context, session, _seconds(wait))


@tool(no_memory=True)
async def terminal_resize(context: ToolContext, terminal: str, columns: int, rows: int) -> str:
    """Give a terminal another size.

    Args:
        terminal: Its id.
        columns: The width in characters.
        rows: The height in lines.
    """
    session = context.state(Sessions).get(_chat(context), terminal)
    try:
        session.resize(_size(columns, rows))
    except OSError:
        raise ToolError("terminal", f"its program {await session.state()}", "Read its last output") from None
    return f"{terminal} has {columns} columns and {rows} rows now."


@tool(no_memory=True)
async def terminal_close(context: ToolContext, terminal: str) -> str:
    """Close a terminal: its program and all that it started are ended. Returns output that was not read yet.

    Args:
        terminal: Its id.
    """
    sessions = context.state(Sessions)
    session = sessions.get(_chat(context), terminal)
    await sessions.close(terminal)
    rest = session.read(context.settings(TerminalSettings).buffer_bytes)
    return f"{rest}{_line_break(rest)}[{terminal} is closed]"


@tool(no_memory=True)
async def terminal_list(context: ToolContext) -> str:
    """List the terminals of this chat: id, program, folder, size, whether it runs, unread output."""
    now = time.monotonic()
    lines = [
        f"{name}: {visible(session.launch.command)} in {session.launch.folder}, "
        f"{session.size.columns}x{session.size.rows}, {await session.state()}, "
        f"used {now - session.used_at:.0f} seconds ago, {session.unread:,} bytes unread"
        for name, session in context.state(Sessions).of(_chat(context)).items()
    ]
    return "\n".join(lines) or "There are no terminals in this chat."


async def _output(context: ToolContext, session: Session, seconds: float) -> str:
    await session.settle(seconds)
    text = session.read(context.settings(TerminalSettings).read_bytes)
    if not session.running:
        return f"{text}{_line_break(text)}[the program {await session.state()}]"
    return text or "[no new output]"


def _line_break(text: str) -> str:
    return "\n" if text and not text.endswith("\n") else ""


def _chat(context: ToolContext) -> Chat:
    return Chat(context.channel, context.chat)


def _size(columns: int, rows: int) -> Size:
    for name, value in (("columns", columns), ("rows", rows)):
        if not 1 <= value <= _LARGEST_SIDE:
            raise ToolError(name, f"is {value}", f"Give 1 to {_LARGEST_SIDE}")
    return Size(columns, rows)


def _seconds(wait: float) -> float:
    if not 0 <= wait <= _LONGEST_WAIT:
        raise ToolError("wait", f"is {wait:g}", f"Give 0 to {_LONGEST_WAIT:g} seconds")
    return wait


def _check_input(typed: str) -> None:
    if not typed:
        raise ToolError("text", "is empty", r"Give what to type, e.g. ls\n")
    if len(typed) > _LONGEST_INPUT:
        raise ToolError("text", f"has {len(typed):,} characters", f"Type at most {_LONGEST_INPUT:,} at once")
    try:
        typed.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ToolError("text", "holds half a character", "Write it again") from None


def _launch(command: str, folder: Path, settings: TerminalSettings) -> Launch:
    shell = settings.shell or os.environ.get("SHELL") or shutil.which("bash") or "/bin/sh"
    check_characters(command, "command")
    shown = safe_environment(os.environ, settings.keep_variables, settings.hide_variables)
    environment = shown | {"TERM": "xterm-256color"}
    if not command.strip():
        return Launch(shell, [shell, "-i"], folder, environment)
    return Launch(command, ["/bin/sh", "-c", command], folder, environment)
