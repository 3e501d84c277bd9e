"""Whether a source would answer, found out without a paid call: ``GET /v1/models``."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.models.client import as_model_errors
from homeagent.models.errors import ModelError, RequestRefusedError, ServerDownError
from homeagent.models.sources import read_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent.models.client import ClientPool
    from homeagent.models.sources import Source

__all__ = ["SourceCheck", "check_source"]

_NO_LIST: Final = "it lists no models, so its address and the model's name are not checked (most addresses end in /v1)"


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """What a look at a source found. ``problem`` None: it would answer, as far as can be told for free.

    ``models`` are the names the server lists, empty when it lists none; ``window_tokens`` is what it says of this
    source's model, None when it says nothing; ``seconds`` is how long it took.
    """

    source: str
    problem: ModelError | None
    models: tuple[str, ...] = ()
    window_tokens: int | None = None
    seconds: float = 0.0
    note: str = ""


async def check_source(source: Source, clients: ClientPool) -> SourceCheck:
    """Ask the server for its list of models; a server without such a list is taken to be good."""
    await clients.load()
    now = asyncio.get_running_loop().time
    start = now()
    try:
        listed = await _listed(source, clients)
    except ModelError as error:
        return SourceCheck(source.name, error, seconds=now() - start)
    names = tuple(sorted(listed))
    own = next((entry for name, entry in listed.items() if _is_same(name, source.model)), None)
    problem = _missing(source, names) if names and own is None else None
    return SourceCheck(source.name, problem, names, _window(own or {}), now() - start, "" if names else _NO_LIST)


async def _listed(source: Source, clients: ClientPool) -> dict[str, Mapping[str, object]]:
    key = read_key(source)
    seconds = source.timeouts.connect
    try:
        with as_model_errors(source, key):
            async with asyncio.timeout(2 * seconds):
                raw = await clients.get(key).models.with_raw_response.list()
                answer: object = json.loads(raw.content)
    except RequestRefusedError as error:
        if error.status in {404, 405, 501}:
            return {}
        raise
    except TimeoutError:
        raise ServerDownError(source.where, f"no answer within {2 * seconds:g} s", "Check that it runs") from None
    except ValueError:
        step = "Check base_url (most end in /v1)"
        raise RequestRefusedError(source.where, "what it answers is no JSON", step) from None
    found = answer.get("data") if isinstance(answer, dict) else answer
    entries = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    return {str(entry.get("id")): entry for entry in entries if entry.get("id")}


def _is_same(listed: str, wanted: str) -> bool:
    """Whether a listed name means the model: servers leave out ``:latest`` or put ``models/`` before it."""
    return wanted in {listed, listed.removesuffix(":latest"), listed.removeprefix("models/")}


def _missing(source: Source, names: tuple[str, ...]) -> ModelError:
    some = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    problem = f"the server has no model {source.model}"
    return RequestRefusedError(source.where, problem, f"Set model to one it has: {some}", status=404)


def _window(entry: Mapping[str, object]) -> int | None:
    """Return the window that servers state in one of several places."""
    meta = entry.get("meta")
    inner: Mapping[str, object] = meta if isinstance(meta, dict) else {}
    stated = (entry.get("max_model_len"), entry.get("context_length"), entry.get("context_window"), inner.get("n_ctx"))
    return next((value for value in stated if type(value) is int and value > 0), None)
