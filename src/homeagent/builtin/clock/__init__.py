"""The plugin ``clock``: the time, timers and reminders. The core keeps those that wait, over restarts too."""

from homeagent.builtin.clock.tools import (
    ClockSettings,
    clock_cancel,
    clock_list,
    clock_now,
    clock_remind,
    clock_set_timer,
)
from homeagent_sdk import Plugin

__all__ = ["PLUGIN"]

# The whole plugin.
PLUGIN = Plugin(
    "clock",
    "1.0.0",
    tools=[clock_now, clock_set_timer, clock_remind, clock_list, clock_cancel],
    settings=ClockSettings,
)
