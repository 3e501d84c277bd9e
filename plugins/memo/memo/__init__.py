"""The plugin ``memo``: short notes of a chat, kept word for word, each with a reminder where one is wanted."""

from homeagent_sdk import Plugin
from memo.book import Book
from memo.tools import MemoSettings, memo_add, memo_edit, memo_list, memo_remove

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin(
    "memo",
    "1.0.0",
    tools=[memo_add, memo_list, memo_edit, memo_remove],
    settings=MemoSettings,
    on_start=lambda context: Book.open(context.data_folder / "memos.sqlite"),
    on_stop=lambda context: context.state(Book).close(),
)
