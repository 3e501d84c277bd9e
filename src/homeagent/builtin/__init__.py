"""The plugins that ship with HomeAgent. They import the SDK and nothing else of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent_sdk import Plugin

__all__ = ["built_ins"]


def built_ins() -> tuple[Plugin, ...]:
    """Return every built-in plugin, in the order in which the model sees their tools."""
    # Late: a program that only shows its help needs none of them.
    from homeagent.builtin import clock, files, memory, people, shell, terminal

    return (memory.PLUGIN, files.PLUGIN, shell.PLUGIN, terminal.PLUGIN, clock.PLUGIN, people.PLUGIN)
