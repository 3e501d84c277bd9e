"""Exports of other assistants read as turns: ChatGPT's and Claude's, as a zip or as its ``conversations.json``."""

from __future__ import annotations

from homeagent.memory.transfer.chat_exports.export_file import ChatExport, is_chat_export

__all__ = ["ChatExport", "is_chat_export"]
