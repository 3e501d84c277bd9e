"""The plugin ``memory``: what the agent can ask its own memory, and write into it when the person agrees."""

from homeagent.builtin.memory.documents import doc_commit, doc_query
from homeagent.builtin.memory.recalling import memory_explain, memory_note, memory_read, memory_recall
from homeagent.builtin.memory.taking_back import memory_forget, memory_purge
from homeagent.builtin.memory.writing import memory_commit, memory_edit, memory_merge
from homeagent_sdk import Plugin

__all__ = ["PLUGIN"]

# The whole plugin.
PLUGIN = Plugin(
    "memory",
    "1.1.0",
    tools=[
        memory_recall,
        memory_note,
        memory_explain,
        memory_read,
        memory_forget,
        doc_query,
        doc_commit,
        memory_commit,
        memory_edit,
        memory_merge,
        memory_purge,
    ],
)
