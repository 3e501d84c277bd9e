"""A long-term memory that keeps every word as it was said and can always be derived again; usable alone.

with Memory.open("~/memory") as memory:
    memory.keep(Turn(Place("cli", "main"), "owner", (Segment("user", "My cat is called Bean."),)))
    memory.recall("what is the cat called").hits[0].text
"""

from homeagent.memory.knowledge.graph import Graph
from homeagent.memory.knowledge.results import Document, Entity, Fact, Saying
from homeagent.memory.memory import Memory
from homeagent.memory.results import (
    Explanation,
    Hit,
    Neighbour,
    PolicyChange,
    PolicyExample,
    PolicyInForce,
    Recall,
    SegmentExplanation,
)
from homeagent.memory.turn import INJECTED, OWNER, Attachment, Place, Segment, Turn, TurnId, Viewer, is_owner

__all__ = [
    "INJECTED",
    "OWNER",
    "Attachment",
    "Document",
    "Entity",
    "Explanation",
    "Fact",
    "Graph",
    "Hit",
    "Memory",
    "Neighbour",
    "Place",
    "PolicyChange",
    "PolicyExample",
    "PolicyInForce",
    "Recall",
    "Saying",
    "Segment",
    "SegmentExplanation",
    "Turn",
    "TurnId",
    "Viewer",
    "is_owner",
]
