"""The baseline of the noise sets: policies, words apart from outputs, cleaned outputs in pieces of 300 characters.

The pieces come through the product's door (its policies and cleaners are part of the baseline); the ranking is the
bench's own z-sum of BM25 and e5. A turn ranks by its best piece.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.baseline import Baseline, Document, Documents, Recipe
from bench.baselines import embedded
from bench.homes import home_folder, opened
from bench.toolnoise import POLICIES
from homeagent.memory.compute import QueryText
from homeagent.memory.embed import NoEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.data import NoiseLine
    from bench.toolnoise import NoiseSet
    from bench.vectors import RememberingEmbedder
    from homeagent.memory.compute import ComputeText

__all__ = ["NoiseBaseline", "Piece", "cleaned_pieces", "lines_of"]

_LONGEST: Final = 300
_RANKED: Final = 10
_RECIPE: Final = Recipe()


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that can be found of a turn: what was said in it, or a piece of one output."""

    source: str
    name: str
    text: ComputeText
    date: str


def cleaned_pieces(noise: NoiseSet) -> list[Piece]:
    """Return the pieces of every turn, in the order of the turns: its words, then each output."""
    dates = {(line.conv, event.id): event.date for line in noise.lines for event in line.events}
    pieces: list[Piece] = []
    with (
        home_folder(None, noise.name) as folder,
        opened(folder, NoEmbedder(), noise.turns("spoken"), f"{noise.name}, pieces", policies=POLICIES) as memory,
    ):
        rows = {row.seq: row for row in memory.turns()}
        for computed in memory.all_computed():
            row = rows[computed.turn]
            date = dates.get((row.source, row.external_id), "")
            parts = lines_of(computed.text) if computed.role == "tool" else [computed.text]
            pieces.extend(Piece(row.source, row.external_id, part, date) for part in parts if part.text.strip())
    return pieces


class NoiseBaseline:
    """Ranks the turns that the questions about a line may see."""

    def __init__(self, noise: NoiseSet, pieces: Sequence[Piece], embedder: RememberingEmbedder) -> None:
        self._noise = noise
        self._pieces = pieces
        self._embedder = embedder
        self._vectors = embedded([piece.text for piece in pieces], embedder, f"{noise.name}, baseline vectors")
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, piece in enumerate(pieces):
            self._places[piece.source].append(place)
        self._shared: dict[str, Documents] = {}

    def ranked(self, line: NoiseLine) -> list[list[str]]:
        """Return for each question of a line the first ten turns."""
        documents: Documents | None = None
        for source in reversed(self._noise.visible(line)):
            documents = self._documents(source, line.conv, documents)
        if documents is None:
            return []
        baseline = Baseline(documents, _RECIPE)
        vectors = [self._embedder.query(QueryText(question.text)) for question in line.queries]
        return [
            baseline.ranked(question.text, vector, _RANKED)
            for question, vector in zip(line.queries, vectors, strict=True)
        ]

    def computed(self, line: NoiseLine) -> dict[str, str]:
        """Return what is computed of each turn that the questions about a line may see."""
        texts: defaultdict[str, list[str]] = defaultdict(list)
        for source in self._noise.visible(line):
            for place in self._places[source]:
                texts[_name(self._pieces[place], line.conv)].append(self._pieces[place].text.text)
        return {name: "\n".join(parts) for name, parts in texts.items()}

    def _documents(self, source: str, own: str, behind: Documents | None) -> Documents:
        """Return the documents of one source; those of a shared one are made once."""
        if source in self._shared:
            return self._shared[source]
        places = self._places[source]
        pieces = [self._pieces[place] for place in places]
        documents = Documents(
            [Document(_name(piece, own), piece.text.text, piece.date) for piece in pieces],
            self._vectors[places],
            _RECIPE,
            behind,
        )
        if source != own:
            self._shared[source] = documents
        return documents


def lines_of(text: ComputeText) -> list[ComputeText]:
    """Return the text in pieces of at most 300 characters, cut at line ends where there are any."""
    pieces: list[ComputeText] = []
    start = end = 0
    for line in text.text.splitlines(keepends=True):
        if end > start and end + len(line) - start > _LONGEST:
            pieces.append(text.slice(start, end))
            start = end
        end += len(line)
        while end - start > _LONGEST:
            pieces.append(text.slice(start, start + _LONGEST))
            start += _LONGEST
    pieces.append(text.slice(start, end))
    return [piece for piece in pieces if piece.text.strip()]


def _name(piece: Piece, own: str) -> str:
    """Return the name of a piece's turn in a ranking: with its source in front when that is not the asker's own."""
    return piece.name if piece.source == own else f"{piece.source}/{piece.name}"
