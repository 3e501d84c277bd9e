"""A small life of a memory, told to whatever ``homeagent`` is on the path; prints which marks ended up computed.

``python door_scenario.py HOME`` prints one JSON object: ``leaked`` are marks of hidden text found in what is computed,
by stage; ``missing`` are marks of open text not found there, or of any text not found in raw.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory import Memory, Place, Segment, Turn
from homeagent_sdk import MemoryPolicy, parse_cleaner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText, QueryText

SECRET = "uid=0 zq7kmarker quetzalcoatl 龘靐齾 and the rest of this hidden line"
OPEN = ("keepmark6u", "plainmark4p", "replymark2y", "cleanmark1c")
HIDDEN = {
    "zq7kmarker": "output of a no_memory tool",
    "quetzalcoatl": "a word of it",
    "龘靐": "Chinese characters of it",
    "argsmark9x": "arguments of a no_memory tool",
    "injmark3v": "a message marked no_memory",
    "echomark8r": "output of a tool that returns memory",
    "etagmark5w": "what a cleaner took out",
    "failmark2t": "output whose cleaner failed",
}
FLIPPED = {"flipmark1s": "output of a tool that was hidden afterwards"}
FORGOTTEN = {"forgetmark0q": "a turn that was forgotten"}
ERASED = {"erasemark7e": "a turn that was erased"}


class Listening:
    """An embedder that makes small vectors and keeps every text it was given."""

    model_id = "listening"
    dimensions = 8

    def __init__(self) -> None:
        self.heard: list[str] = []

    def passages(self, texts: Sequence[ComputeText]) -> NDArray[np.float32]:
        self.heard += [text.text for text in texts]
        return np.full((len(texts), self.dimensions), self.dimensions**-0.5, np.float32)

    def query(self, text: QueryText) -> NDArray[np.float32]:
        return np.full(self.dimensions, self.dimensions**-0.5, np.float32)


def said(name: str, *segments: Segment) -> Turn:
    return Turn(Place("cli", "main"), "owner", segments, external_id=name, source="scenario")


def tool(name: str, text: str, arguments: str = "{}") -> Segment:
    return Segment("tool", text, tool=name, call_id="1", arguments=arguments)


TURNS = (
    said(
        "hidden",
        Segment("user", "please look who I am, keepmark6u"),
        tool("cmd_run", SECRET, '{"command": "echo argsmark9x"}'),
        tool("memory_recall", "earlier you said echomark8r in the kitchen"),
        Segment("assistant", f"It prints:\n> {SECRET}\nSo you are the superuser, replymark2y."),
    ),
    said("injected", Segment("user", "injmark3v is a message of a machine", no_memory=True)),
    said(
        "cleaned",
        tool("files_read", '{"etag": "etagmark5w", "content": "deploy notes cleanmark1c"}'),
        tool("files_read", "failmark2t is no JSON at all"),
        tool("weather", "sunny plainmark4p"),
    ),
    said("flipped", tool("later", "flipmark1s stood in this output")),
    said("forgotten", Segment("user", "forgetmark0q was said by mistake")),
    said("erased", Segment("user", "erasemark7e has to be gone")),
)


def told(memory: Memory) -> Iterator[tuple[str, dict[str, str]]]:
    """Live the scenario; yield each stage, and the marks that must not be in what is computed at its end."""
    memory.declare_policies(
        {
            "cmd_run": MemoryPolicy(no_memory=True),
            "files_read": MemoryPolicy(cleaner=parse_cleaner("json(content)")),
            "weather": MemoryPolicy(),
        }
    )
    for turn in TURNS:
        memory.keep(turn)
    memory.settle()
    yield "kept", HIDDEN
    memory.set_policies({"later": MemoryPolicy(no_memory=True)})
    memory.forget("forgotten")
    memory.erase("erased")
    memory.archive()
    memory.settle()
    hidden = HIDDEN | FLIPPED | FORGOTTEN | ERASED
    yield "flipped, forgotten and erased", hidden
    memory.rebuild()
    yield "rebuilt", hidden


def computed(home: Path) -> str:
    """Return everything that the computed half holds: every value of every table, and every term of its indexes.

    (An index's own tables hold its terms with what they share with the one before cut off, so it is asked for them.)
    """
    with closing(sqlite3.connect(f"file:{home / 'derived.db'}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        values: list[object] = []
        for name, sql in tables:
            if "fts5" in sql:
                connection.execute(f"CREATE VIRTUAL TABLE temp.[v_{name}] USING fts5vocab(main, [{name}], row)")
                values += [row[0] for row in connection.execute(f"SELECT term FROM temp.[v_{name}]")]  # noqa: S608
            values += [value for row in connection.execute(f"SELECT * FROM [{name}]") for value in row]  # noqa: S608
    return "\n".join(as_text(value) for value in values).casefold()


def as_text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def main(home: Path) -> None:
    """Live the scenario and print what was found."""
    embedder = Listening()
    leaked: dict[str, list[str]] = {}
    missing: list[str] = []
    with Memory.open(home, embedder=embedder) as memory:
        for stage, hidden in told(memory):
            text = "\n".join([computed(home), *embedder.heard]).casefold()
            leaked[stage] = [f"{mark}: {what}" for mark, what in hidden.items() if mark in text]
            missing += [f"{mark} is not computed when {stage}" for mark in OPEN if mark not in text]
            embedder.heard.clear()
            text = ""
        raw = "\n".join(
            row.segment.text + (row.segment.arguments or "") for turn in memory.turns() for row in memory.segments(turn)
        )
    missing += [f"{mark} is not in raw" for mark in (HIDDEN | FLIPPED | FORGOTTEN) if mark not in raw]
    missing += [f"{mark} is still in raw" for mark in ERASED if mark in raw]
    print(json.dumps({"leaked": leaked, "missing": missing}, ensure_ascii=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
