"""The plugin ``folder``: reading and writing the text files of one folder, and nothing outside of it."""

from folder.places import FolderSettings, start
from folder.reading import folder_ls, folder_read
from folder.writing import folder_edit, folder_write
from homeagent_sdk import Plugin

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin(
    "folder",
    "1.0.0",
    tools=[folder_read, folder_ls, folder_write, folder_edit],
    settings=FolderSettings,
    on_start=start,
)
