"""The driver's side of the protocol: a JSON object a line in, one a line out; what the peer raises ends the process.

Requests: ``{"do": "open", "folder", "vectors"}``, ``{"do": "add", "chat", "units": [{"id", "date", "messages"}]}``,
``{"do": "ask", "chat", "text", "limit"}``, ``{"do": "close"}``. Answers: version and whether our vectors are used;
seconds; ids and texts, best first, with seconds.
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Found", "Message", "Peer", "Unit", "embedder", "serve"]


@dataclass(frozen=True)
class Message:
    """One thing said in a unit; ``role`` is user, assistant or tool."""

    role: str
    content: str


@dataclass(frozen=True)
class Unit:
    """What is kept and found as one."""

    id: str
    date: str
    messages: tuple[Message, ...]

    @property
    def text(self) -> str:
        """Everything said, for a peer that keeps texts."""
        return "\n".join(message.content for message in self.messages)


@dataclass(frozen=True)
class Found:
    """A hit: the unit's id and the text that the peer hands out."""

    id: str
    text: str


class Peer(Protocol):
    """What a driver makes of a peer."""

    version: str
    uses_vectors: bool

    def add(self, chat: str, units: Sequence[Unit]) -> None:
        """Keep units that were said in a chat."""

    def ask(self, chat: str, text: str, limit: int) -> list[Found]:
        """Return what is found in that chat, best first."""

    def close(self) -> None:
        """Write everything to the disk."""


def serve(make: Callable[[Path, str], Peer]) -> None:
    """Answer requests until ``close``. ``make`` gets the peer's folder and the address of our embedder."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a peer prints must not get between the answers
    peer: Peer | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, object] = {}
        started = time.perf_counter()
        if request["do"] == "open":
            peer = make(Path(request["folder"]), request["vectors"])
            answer = {"version": peer.version, "uses_vectors": peer.uses_vectors}
        elif peer is None:
            raise RuntimeError("the first request must be 'open'")
        elif request["do"] == "add":
            peer.add(request["chat"], [_unit(each) for each in request["units"]])
        elif request["do"] == "ask":
            found = peer.ask(request["chat"], request["text"], request["limit"])
            answer = {"ids": [hit.id for hit in found], "texts": [hit.text for hit in found]}
        else:
            peer.close()
        answer["seconds"] = time.perf_counter() - started
        answers.write(json.dumps(answer, ensure_ascii=False) + "\n")
        answers.flush()
        if request["do"] == "close":
            return


def embedder(vectors: str) -> Callable[[Sequence[str]], list[list[float]]]:
    """Return a function from texts to vectors that asks the OpenAI-compatible address ``vectors``."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        body = json.dumps({"model": "offline", "input": list(texts)}).encode()
        request = urllib.request.Request(  # noqa: S310 - an address on this machine, given by the bench
            f"{vectors}/embeddings", data=body, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            rows: list[list[float]] = [each["embedding"] for each in json.load(answer)["data"]]
        return rows

    return embed


def _unit(given: dict[str, object]) -> Unit:
    messages = given["messages"]
    if not isinstance(messages, list):
        raise TypeError("the messages of a unit must be a list")
    said = tuple(Message(str(each["role"]), str(each["content"])) for each in messages)
    return Unit(str(given["id"]), str(given["date"]), said)
