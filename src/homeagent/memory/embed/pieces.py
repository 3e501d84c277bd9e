"""Text to token ids as multilingual-e5-small expects them (SentencePiece unigram, Kudo 2018), in two vocabularies.

The whole vocabulary of 250,002 pieces takes 0.6 s and 280 MB to load; the part with the characters of Chinese,
Japanese kana, Western Latin, symbols and emoji 0.2 s and 100 MB. So the common part serves until a text holds a
character outside it that the whole vocabulary knows; then the whole one is loaded, once. No script becomes unknown, and
a text gets the same tokens either way: a piece outside the common part holds at least one such character.
"""

from __future__ import annotations

import json
import mmap
import re
import threading
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from homeagent.memory.embed.weights import Weights

__all__ = ["PIECE_FILES", "TOKEN_LIMIT", "Pieces", "write_pieces"]

TOKEN_LIMIT: Final = 512
"""Tokens a text may have, with the prefix, the begin and the end; what is beyond is not read."""

PIECE_FILES: Final = ("common.json", "common.npy", "whole.json", "pieces.json")
"""The files that a converted tokenizer is made of."""

_LONGEST_PIECE: Final = 16
_COMMON: Final = re.compile(
    "[\u2581 -~\u00a0-\u00ff\u2000-\u2bff\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\ufe00-\ufe0f\uff00-\uffef\U0001f000-\U0001faff\U00020000-\U0002ffff]*"
)


def write_pieces(weights: Weights, folder: Path) -> None:
    """Write the vocabularies, the normalisation table and the special ids as `PIECE_FILES` into ``folder``."""
    # A control piece never comes from a text: an HTML "<s>" is three pieces. NUL is normalised away, so no text has it.
    pieces = [("\0" + text if score == 0.0 else text, score) for text, score in weights.pieces]
    common = [number for number, (text, score) in enumerate(pieces) if score == 0.0 or _COMMON.fullmatch(text)]
    _write_vocabulary(folder / "common.json", [pieces[number] for number in common], common.index(weights.unknown))
    _write_vocabulary(folder / "whole.json", pieces, weights.unknown)
    np.save(folder / "common.npy", np.array(common, np.int32))
    others = {letter for text, score in pieces if score < 0.0 for letter in text if not _COMMON.fullmatch(letter)}
    table = {
        "others": "".join(sorted(others)),
        "replacements": {str(point): text for point, text in weights.replacements.items()},
        "begin": weights.begin,
        "end": weights.end,
        "padding": weights.padding,
    }
    (folder / "pieces.json").write_text(json.dumps(table), encoding="ascii")


def _write_vocabulary(path: Path, pieces: list[tuple[str, float]], unknown: int) -> None:
    # The library writes the frame, with one piece: to build the whole only to save it takes 0.6 s and 280 MB.
    tokenizer = Tokenizer(models.Unigram(pieces[:1], 0, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    frame: dict[str, Any] = json.loads(tokenizer.to_str())
    frame["model"] |= {"vocab": pieces, "unk_id": unknown}
    path.write_text(json.dumps(frame, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


class Pieces:
    """The tokenizer. Thread-safe; uses no threads of its own (``encode``, not ``encode_batch``), so it survives a fork.

    A NUL disappears like every control character, a lone surrogate becomes a space, as U+FFFD does.
    """

    def __init__(self, folder: Path) -> None:
        table: dict[str, Any] = json.loads((folder / "pieces.json").read_text(encoding="ascii"))
        self.padding: int = table["padding"]
        self._begin: int = table["begin"]
        self._end: int = table["end"]
        self._others = frozenset(table["others"])
        self._replacements: dict[int, str] = {int(point): text for point, text in table["replacements"].items()}
        self._replacements |= {0: ""} | dict.fromkeys(range(0xD800, 0xE000), " ")
        self._common = Tokenizer.from_buffer((folder / "common.json").read_bytes())
        self._numbers: NDArray[np.int32] = np.load(folder / "common.npy")
        with (folder / "whole.json").open("rb") as file:  # mapped: it is still there when the folder is cleaned away
            self._whole_file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._whole: Tokenizer | None = None
        self._lock = threading.Lock()

    def ids(self, text: str) -> list[int]:
        """Return the token ids of ``text``, begin and end included: at least 2, at most `TOKEN_LIMIT`."""
        text = re.sub(" {2,}", " ", text.translate(self._replacements))
        # What can't reach the limit is not looked at: 60,000 characters would take 30 ms, 8,192 take 7.
        text = text[: TOKEN_LIMIT * _LONGEST_PIECE]
        if self._others.isdisjoint(text):
            found = self._common.encode(text, add_special_tokens=False).ids[: TOKEN_LIMIT - 2]
            inner = self._numbers[found].tolist()
        else:
            inner = self._loaded_whole().encode(text, add_special_tokens=False).ids[: TOKEN_LIMIT - 2]
        return [self._begin, *inner, self._end]

    def _loaded_whole(self) -> Tokenizer:
        with self._lock:
            if self._whole is None:
                self._whole = Tokenizer.from_buffer(self._whole_file[:])
            return self._whole
