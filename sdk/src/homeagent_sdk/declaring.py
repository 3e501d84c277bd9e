"""``python -m homeagent_sdk.declaring MODULE:NAME FOLDER``: import a plugin and say what it declares, as JSON.

It is run as a process of its own, since to import a plugin runs its code: the plugin is not started, and what it prints
goes to standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import TYPE_CHECKING, Final

from homeagent_sdk.convert import convert_value
from homeagent_sdk.errors import DeclarationError, Problem, SdkError
from homeagent_sdk.plugin import Plugin
from homeagent_sdk.plugin_worker import declaration_of
from homeagent_sdk.settings import settings_schema
from homeagent_sdk.traces import trace_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from homeagent_sdk.tools import AnyTool

__all__ = ["main", "problems_of", "told_of"]

_USAGE: Final = "usage: python -m homeagent_sdk.declaring MODULE:NAME FOLDER"
_MANY: Final = 2
_LONGEST_SUMMARY: Final = 200


def told_of(entry: str) -> dict[str, object]:
    """Return what the plugin ``module:name`` declares as plain values, or why it can't be loaded."""
    module, _, name = entry.partition(":")
    try:
        found: object = getattr(importlib.import_module(module), name, None)
        if not isinstance(found, Plugin):
            step = f"Write {name} = Plugin(...) at its top level"
            raise DeclarationError(module, f"it has no Plugin called {name!r}", step)
    except SdkError as error:
        return {"problem": [error.where, error.problem, error.next_step], "trace": ""}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the plugin boundary: foreign code is imported
        told = f"it can't be loaded ({type(error).__name__}: {error})"
        return {"problem": [module, told, "Mend it; the traceback says where"], "trace": trace_of(error)}
    settings = settings_schema(found.settings)["properties"] if found.settings else {}
    return {
        "plugin": declaration_of(found),
        "settings": list(settings) if isinstance(settings, dict) else [],
        "problems": [list(each) for tool in found.tools for each in problems_of(tool)],
        "hints": [list(each) for tool in found.tools for each in _hints_of(tool)],
    }


def problems_of(tool: AnyTool) -> Iterator[Problem]:
    """Yield what of a tool's signature does not fit together."""
    properties = tool.parameters["properties"]
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        if isinstance(schema, dict) and schema.get("default") is not None:
            try:
                convert_value(schema["default"], tool.parameter_types[name], name)
            except SdkError as error:
                problem = f"the default of {name!r} does not fit its type ({error.problem})"
                yield Problem(f"tool {tool.name}", problem, "Give it another default or another type")


def _hints_of(tool: AnyTool) -> Iterator[Problem]:
    where = f"tool {tool.name}"
    if len(tool.description.partition("\n")[0]) > _LONGEST_SUMMARY:
        problem = f"the first line of its docstring has more than {_LONGEST_SUMMARY} characters"
        yield Problem(where, problem, "Say in one short line what it does; the rest may follow below")
    properties = tool.parameters["properties"]
    named = properties if isinstance(properties, dict) else {}
    silent = [name for name, schema in named.items() if isinstance(schema, dict) and "description" not in schema]
    if silent and len(named) >= _MANY:
        problem = f"its docstring says nothing of {', '.join(silent)}"
        yield Problem(where, problem, "Write a line for each below 'Args:'")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code."""
    match sys.argv[1:] if arguments is None else arguments:
        case [entry, folder] if ":" in entry:
            pass
        case _:
            print(_USAGE, file=sys.stderr)  # noqa: T201
            return 2
    answer = os.dup(1)
    os.dup2(2, 1)  # what the plugin prints while it is imported
    sys.path.append(folder)  # at the end: a plugin must not shadow the standard library
    told = told_of(entry)
    with open(answer, "w", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123 - a descriptor
        json.dump(told, file)
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # threads of the plugin that still run keep no process alive
