"""The plugin ``terminal``: programs that stay, in a real terminal, to type into and read from."""

from homeagent.builtin.terminal.sessions import start, stop
from homeagent.builtin.terminal.settings import TerminalSettings
from homeagent.builtin.terminal.tools import (
    terminal_close,
    terminal_create,
    terminal_list,
    terminal_read,
    terminal_resize,
    terminal_write,
)
from homeagent_sdk import Plugin

__all__ = ["PLUGIN"]

# The whole plugin.
PLUGIN = Plugin(
    "terminal",
    "1.0.0",
    tools=[terminal_create, terminal_write, terminal_read, terminal_resize, terminal_close, terminal_list],
    settings=TerminalSettings,
    on_start=start,
    on_stop=stop,
)
