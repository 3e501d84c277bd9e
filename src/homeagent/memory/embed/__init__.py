"""Sentence vectors: one protocol (`Embedder`), an offline model, any OpenAI-compatible server, or none.

Importing this package loads no model and no numerical library; that happens on an embedder's first use.
"""

from homeagent.memory.embed.e5 import OfflineEmbedder
from homeagent.memory.embed.none import NoEmbedder
from homeagent.memory.embed.openai_compatible import EmbeddingServer, ServerEmbedder
from homeagent.memory.embed.protocol import Embedder

__all__ = ["Embedder", "EmbeddingServer", "NoEmbedder", "OfflineEmbedder", "ServerEmbedder"]
