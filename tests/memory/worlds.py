"""Small real objects that the tests of the memory share: short ways to say a turn, an embedder, a look into a file."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from homeagent.memory.compute import ComputeText, DoorKey
from homeagent.memory.embed.none import NoEmbedder
from homeagent.memory.memory import Memory
from homeagent.memory.store.sqlite.log import SqliteLog
from homeagent.memory.text.fold import fold_text
from homeagent.memory.turn import Place, Segment, Turn
from homeagent.paths import Home
from homeagent_sdk import MemoryPolicy, parse_cleaner

HIDDEN = MemoryPolicy(no_memory=True)
PLAIN = MemoryPolicy()


def cleaned(spec):
    return MemoryPolicy(cleaner=parse_cleaner(spec))


def opened(home, embedder=None, clock=None):
    """A memory without vectors, unless an embedder is given.

    A new home gets a secret that is always the same: hashes of quotations have six bits for a neighbouring character,
    so one time in 63 a copy seems a character longer than it is.
    """
    place = Home(Path(home))
    if not place.log.exists():
        place.prepare()
        log = SqliteLog(place.log)
        log.add_outcome("home", "5ec2e7" * 5 + "00")
        log.close()
    return Memory.open(home, embedder=embedder or NoEmbedder(), clock=clock)


@contextmanager
def temporary_home():
    """A home for one example of a property: in RAM where there is some, because each commit waits for its disk."""
    ram = Path("/dev/shm")  # noqa: S108 - a folder of our own is made inside
    with tempfile.TemporaryDirectory(dir=ram if ram.is_dir() else None) as folder:
        yield Path(folder) / "home"


@contextmanager
def temporary_memory(embedder=None):
    with temporary_home() as home, opened(home, embedder) as memory:
        yield memory


def user(text, **more):
    return Segment("user", text, **more)


def reply(text, **more):
    return Segment("assistant", text, **more)


def tool(text, name="look", **more):
    return Segment("tool", text, tool=name, **more)


def turn(*segments, chat="home", channel="cli", sender="owner", **more):
    return Turn(Place(channel, chat), sender, tuple(segments), **more)


def computed_texts(memory, turn_id):
    return [row.text.text for row in memory.computed(turn_id)]


def decisions(memory, turn_id):
    return [(row.decision, row.reason) for row in memory.computed(turn_id)]


def raw_segments(memory, turn_id):
    return [row.segment for row in memory.raw(turn_id)]


def compute_text(text):
    """Text as if the door had let it through, for what comes behind the door."""
    return ComputeText(DoorKey(), text)


def found(memory, text, **more):
    """The external ids of the hits that recall gives."""
    return {hit.external_id for hit in memory.recall(text, **more).hits}


def shown(memory, text, **more):
    """The external ids of everything that recall lets somebody see: hits and their neighbours."""
    hits = memory.recall(text, **more).hits
    return {each.external_id for hit in hits for each in (hit, *hit.neighbours)}


class LetterEmbedder:
    """A deterministic embedder of eight dimensions; ``meanwhile`` or ``asked`` is called once, while it is at work."""

    dimensions = 8

    def __init__(self, model_id="letters-1"):
        self.model_id = model_id
        self.meanwhile = self.asked = None

    def passages(self, texts):
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return np.array([self._vector(text.text) for text in texts], np.float32).reshape(len(texts), self.dimensions)

    def query(self, text):
        asked, self.asked = self.asked, None
        if asked is not None:
            asked()
        return self._vector(text.text)

    def _vector(self, text):
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=self.dimensions).digest()
        vector = np.frombuffer(digest, np.uint8).astype(np.float32) + 1
        return vector / np.linalg.norm(vector)


class SharedLog(SqliteLog):
    """A log that somebody else writes to, through ``meanwhile``, just before its new lines are read."""

    meanwhile = None

    def entries(self, after, limit):
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().entries(after, limit)


def stored_values(path, tables=None):
    """Every value of every table of a SQLite file, shadow tables too, as (table, folded text)."""
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names if tables is None else tables:
            for row in connection.execute(f'SELECT * FROM "{name}"'):  # noqa: S608
                for value in row:
                    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
                    yield name, fold_text(data.decode("utf-8", "replace"))


def tables_holding(path, marker):
    """The tables of a SQLite file that hold a marker; its first letters may be shared with a neighbour in an index."""
    wanted = fold_text(marker)
    return sorted({table for table, text in stored_values(path) if wanted in text or wanted[2:] in text})


def index_terms(path):
    """Every term that the full text index still answers to."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, terms, row)")
        return {term for (term,) in connection.execute("SELECT term FROM vocabulary")}


def change(path, sql, *values):
    """Do to a database what the product never does."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql, values)


_PRELUDE = """
import os, sys, signal, time
from homeagent.memory.embed.none import NoEmbedder
from homeagent.memory.memory import Memory
from homeagent.memory.turn import Place, Segment, Turn
home, *arguments = sys.argv[1:]
def opened():
    return Memory.open(home, embedder=NoEmbedder())
def turn(*segments, **more):
    return Turn(Place("cli", "home"), "owner", segments, **more)
def user(text):
    return Segment("user", text)
def say(*words):
    print(*words, flush=True)
"""


@contextmanager
def another_process(home, code, *arguments):
    """A Python that runs ``code`` on the same home; its stdout is for reading, its stdin for holding it up."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", _PRELUDE + code, str(home), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    with process:
        try:
            yield process
        finally:
            process.kill()
