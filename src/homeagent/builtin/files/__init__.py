"""The plugin ``files``: reading and changing the files of some folders."""

from homeagent.builtin.files.folders import FileSettings, start
from homeagent.builtin.files.reading import files_ls, files_read
from homeagent.builtin.files.writing import files_edit, files_write
from homeagent_sdk import Plugin

__all__ = ["PLUGIN"]

# The whole plugin.
PLUGIN = Plugin(
    "files",
    "1.0.0",
    tools=[files_read, files_ls, files_write, files_edit],
    settings=FileSettings,
    on_start=start,
)
