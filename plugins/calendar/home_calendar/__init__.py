"""The plugin ``calendar``: events, once or again, by the Chinese calendar too; reminders survive a restart."""

from home_calendar.agenda import CalendarSettings, start, stop
from home_calendar.tools import (
    calendar_add,
    calendar_change,
    calendar_list,
    calendar_lunar,
    calendar_remove,
    calendar_skip,
)
from homeagent_sdk import Plugin

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin(
    "calendar",
    "1.0.0",
    tools=[calendar_add, calendar_list, calendar_change, calendar_skip, calendar_remove, calendar_lunar],
    settings=CalendarSettings,
    on_start=start,
    on_stop=stop,
)
