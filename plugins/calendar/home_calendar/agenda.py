"""The settings of the calendar, and what runs as long as the plugin does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time
from typing import Annotated

from home_calendar.book import Book
from home_calendar.moments import zone_of
from home_calendar.reminders import Reminders
from homeagent_sdk import PluginContext, ToolError

__all__ = ["Agenda", "CalendarSettings", "start", "stop"]


@dataclass(frozen=True)
class CalendarSettings:
    """Which time it is, and when one is reminded."""

    zone: Annotated[str, "the time zone of the home, e.g. Asia/Shanghai; that of the machine if empty"] = ""
    all_day_time: Annotated[str, "when one is reminded of what has no time of day"] = "09:00"
    remind_minutes: Annotated[tuple[int, ...], "how many minutes before, where nobody says"] = (0,)

    def __post_init__(self) -> None:
        """Refuse a zone or a time that there is not."""
        zone_of(self.zone)
        self.all_day()

    def all_day(self) -> time:
        """Return ``all_day_time``. Raises ``ToolError`` when it is none."""
        try:
            return time.fromisoformat(self.all_day_time)
        except ValueError:
            raise ToolError("all_day_time", f"{self.all_day_time!r} is no time of day", "Write e.g. 09:00") from None


@dataclass(frozen=True)
class Agenda:
    """The book and its reminders."""

    book: Book
    reminders: Reminders


async def start(context: PluginContext) -> Agenda:
    """Open the book and begin to keep step with it."""
    book = Book.open(context.data_folder / "events.sqlite")
    agenda = Agenda(book, Reminders(book))
    agenda.reminders.start(context)
    return agenda


async def stop(context: PluginContext) -> None:
    """End what runs, then let go of the book."""
    agenda = context.state(Agenda)
    await agenda.reminders.stop()
    agenda.book.close()
