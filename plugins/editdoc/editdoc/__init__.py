"""The plugin ``editdoc``: changes Word documents and Excel workbooks of one folder, and keeps what they were before."""

from editdoc.documents import EditSettings
from editdoc.tools import edit_document
from homeagent_sdk import Plugin

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin("editdoc", "1.0.0", tools=[edit_document], settings=EditSettings)
