"""``/v1/embeddings``: the vectors of the home's own model."""

import asyncio
import base64
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from homeagent.errors import InputError
from homeagent.memory.compute import QueryText
from homeagent.memory.embed.protocol import Embedder, makes_vectors
from homeagent.server.access import AskerHere
from homeagent.server.here import DaemonHere

__all__ = ["router"]

router = APIRouter(prefix="/v1/embeddings", tags=["openai"])
"""The routes of this matter."""

Text = Annotated[str, Field(min_length=1, max_length=32_000)]


class EmbeddingRequest(BaseModel):
    """Texts to embed. ``model`` is taken as it comes: there is one here."""

    input: Text | Annotated[list[Text], Field(min_length=1, max_length=128)]
    model: str = Field(default="", max_length=400)
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str = Field(default="", max_length=400)


class Embedding(BaseModel):
    """A vector, as numbers or as base64 of little-endian float32."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(BaseModel):
    """Tokens, as they are estimated."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingList(BaseModel):
    """The vectors in the order of the texts."""

    object: Literal["list"] = "list"
    data: list[Embedding]
    model: str
    usage: EmbeddingUsage


@router.post("", summary="Embed texts")
async def embeddings(wanted: EmbeddingRequest, asker: AskerHere, daemon: DaemonHere) -> EmbeddingList:
    """Return a vector for each text, as this home embeds questions."""
    del asker
    embedder = daemon.app.memory.embedder
    if not makes_vectors(embedder):
        raise InputError("the embeddings", "this home makes no vectors", "homeagent config set memory.embedder offline")
    if wanted.dimensions is not None and wanted.dimensions != embedder.dimensions:
        step = f"Ask for {embedder.dimensions}, or leave dimensions out"
        raise InputError("dimensions", f"the vectors here have {embedder.dimensions}", step)
    texts = [wanted.input] if isinstance(wanted.input, str) else wanted.input
    data = await asyncio.to_thread(_embedded, embedder, texts, wanted.encoding_format)
    tokens = sum(len(text) // 4 + 1 for text in texts)
    usage = EmbeddingUsage(prompt_tokens=tokens, total_tokens=tokens)
    return EmbeddingList(data=data, model=embedder.model_id, usage=usage)


def _embedded(embedder: Embedder, texts: list[str], form: str) -> list[Embedding]:
    found: list[Embedding] = []
    for index, text in enumerate(texts):
        vector = embedder.query(QueryText(text))
        packed = base64.b64encode(vector.astype("<f4").tobytes()).decode() if form == "base64" else vector.tolist()
        found.append(Embedding(index=index, embedding=packed))
    return found
