"""Import and export of turns: lines of JSON, and what other assistants export."""

from __future__ import annotations

from homeagent.memory.transfer.parsing import DEFAULT_SOURCE, parse_turn
from homeagent.memory.transfer.transfer import ImportReport, export_file, export_to, import_file

__all__ = ["DEFAULT_SOURCE", "ImportReport", "export_file", "export_to", "import_file", "parse_turn"]
