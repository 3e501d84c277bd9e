"""``/v1/models``: the agent, and what makes the vectors, as OpenAI's clients list them."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from homeagent.errors import NotFoundError
from homeagent.memory.embed.protocol import makes_vectors
from homeagent.server.access import AskerHere
from homeagent.server.daemon import Daemon
from homeagent.server.here import DaemonHere

__all__ = ["AGENT", "router"]

router = APIRouter(prefix="/v1/models", tags=["openai"])
"""The routes of this matter."""

AGENT = "homeagent"
"""The model that is the agent itself."""

_MADE = 1_767_225_600


class ModelForm(BaseModel):
    """One model."""

    id: str
    object: Literal["model"] = "model"
    created: int = _MADE
    owned_by: str = AGENT


class ModelList(BaseModel):
    """Every model, the agent first."""

    object: Literal["list"] = "list"
    data: list[ModelForm]


def _models(daemon: Daemon) -> list[ModelForm]:
    embedder = daemon.app.memory.embedder
    return [ModelForm(id=AGENT), *([ModelForm(id=embedder.model_id)] if makes_vectors(embedder) else ())]


@router.get("", summary="List models")
async def listed(asker: AskerHere, daemon: DaemonHere) -> ModelList:
    """Return the agent, and the model that makes the vectors."""
    del asker
    return ModelList(data=_models(daemon))


@router.get("/{model:path}", summary="One model")
async def one(model: str, asker: AskerHere, daemon: DaemonHere) -> ModelForm:
    """Return one of them."""
    del asker
    found = next((each for each in _models(daemon) if each.id == model), None)
    if found is None:
        raise NotFoundError(f"model {model!r}", "is not here", "List them with GET /v1/models")
    return found
