"""The agent: a message comes in, and a turn of the log, an answer and whatever tools did come out."""

from homeagent.agent.agent import Agent, AgentParts
from homeagent.agent.events import Event, SilentUi
from homeagent.agent.inbox import Inbox
from homeagent.agent.incoming import Incoming, Words, speaker_of
from homeagent.agent.ports import KnowledgePort, MemoryPort, PastTurn, Ui
from homeagent.agent.reading import Outputs, reading_plugin
from homeagent.agent.recalling import Why
from homeagent.agent.settings import AgentSettings

__all__ = [
    "Agent",
    "AgentParts",
    "AgentSettings",
    "Event",
    "Inbox",
    "Incoming",
    "KnowledgePort",
    "MemoryPort",
    "Outputs",
    "PastTurn",
    "SilentUi",
    "Ui",
    "Why",
    "Words",
    "reading_plugin",
    "speaker_of",
]
