"""The command line ``homeagent``. Importing it loads nothing heavy; each command loads what it needs."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from homeagent.cli.language import chosen_language, named_language
from homeagent.cli.messages import usage_problem
from homeagent.cli.parser import UsageError, build
from homeagent.cli.terminal import Terminal
from homeagent.errors import HomeAgentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from homeagent.cli.session import Session

__all__ = ["homed", "main", "run"]

_FAILED = 1
_USAGE = 2
_INTERRUPTED = 130
_PIPE_CLOSED = 141


def homed() -> NoReturn:
    """Run ``homeagent serve`` with the arguments of this process and leave with its exit code."""
    sys.argv[1:1] = ["serve"]
    main()


def main() -> NoReturn:
    """Run the command line of this process and leave with its exit code."""
    if "--json" in sys.argv[1:]:
        _keep_stdout()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Half a surrogate pair, which UTF-8 has no bytes for, is written as \\udXXX: in JSON its very escape.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):  # as arguments are read: bytes that are no UTF-8 are not lost
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    code = run(sys.argv[1:])
    sys.exit(code)


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code: 0, 1 for an error, 2 for a wrong command line, 130 for Ctrl+C."""
    terminal = Terminal(chosen_language(argv), json="--json" in argv, chosen=bool(named_language(argv)))
    try:
        code = _run(argv, terminal)
        sys.stdout.flush()
    except UsageError as error:
        return _wrong_usage(error, terminal)
    except HomeAgentError as error:
        terminal.failed(error.where, error.problem, error.next_step)
        return _FAILED
    except KeyboardInterrupt:
        terminal.failed("Ctrl+C", terminal.message("interrupted"), "") if terminal.json else terminal.say("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return _PIPE_CLOSED
    except OSError as error:
        where, step = str(error.filename or "system"), terminal.message("os_error_next")
        with contextlib.suppress(OSError):  # it may be standard output itself that is full
            terminal.failed(where, error.strerror or str(error), step)
            sys.stdout.flush()
        _forget_stdout()
        return _FAILED
    return code


def _run(argv: Sequence[str], terminal: Terminal) -> int:
    try:
        arguments = build(terminal.language).parse_args(argv)
    except SystemExit as leaving:  # --help and --version have said what they had to say
        return leaving.code if isinstance(leaving.code, int) else 0
    import logging

    from homeagent.cli.session import Session
    from homeagent.masking import MaskingFilter

    if logging.lastResort is not None:  # what writes when nobody set logging up otherwise
        logging.lastResort.addFilter(MaskingFilter())
    module, function = arguments.run.split(":")
    command: Callable[[Session], int] = getattr(importlib.import_module(f"homeagent.cli.{module}"), function)
    return command(Session(arguments, terminal))


def _wrong_usage(error: UsageError, terminal: Terminal) -> int:
    where = terminal.message("usage_where")
    step = terminal.message("usage_next", command=error.command)
    terminal.failed(where, usage_problem(terminal.language, error.problem), step)
    return _USAGE


def _keep_stdout() -> None:
    """Keep standard output for the one JSON object: what else writes to its descriptor goes to standard error."""
    with contextlib.suppress(OSError, ValueError):  # one of the two is closed
        ours = os.dup(sys.stdout.fileno())
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        sys.stdout = open(ours, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - a descriptor, open to the end


def _forget_stdout() -> None:
    """Let Python's own flush at the end go nowhere: whoever read our output has left, or there is no room for it."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
