"""The door by trying: each way round it that one could write by mistake is caught.

A mutant is a copy of the program with one line changed. Some a type check refuses; the others run through a small
scenario, and the text that they let by is found in the computed half.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dev.ratchet import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMORY = Path("src/homeagent/memory")
SCENARIO = Path(__file__).with_name("door_scenario.py")


@dataclass(frozen=True)
class Mutant:
    """One mistake: in ``file`` the text ``old``, which stands there once, becomes ``new``."""

    name: str
    file: str
    old: str
    new: str

    def __str__(self) -> str:
        return self.name

    def written(self, root: Path) -> Path:
        """Change the copy of the program at ``root``; return the changed file."""
        target = root / MEMORY / self.file
        source = target.read_text("utf-8")
        assert source.count(self.old) == 1, f"{self.file} does not hold this once: write the mutant anew: {self.old}"
        target.write_text(source.replace(self.old, self.new), "utf-8")
        return target


RUNNING = [
    Mutant(
        "a hidden output is admitted",
        "door/door.py",
        'return self._computed("hidden", reason, NOTHING)',
        'return self._computed("hidden", reason, admit(self.row.segment.text))',
    ),
    Mutant(
        "the arguments of a hidden tool are computed",
        "door/door.py",
        'return self._computed("hidden", reason, NOTHING)',
        'return self._computed("hidden", reason, self._with_arguments(NOTHING))',
    ),
    Mutant(
        "the reason says what was hidden",
        "door/door.py",
        'return self._computed("hidden", reason, NOTHING)',
        'return self._computed("hidden", reason + ": " + self.row.segment.text, NOTHING)',
    ),
    Mutant("a message marked no_memory is computed", "door/door.py", "if segment.no_memory:", "if False:"),
    Mutant(
        "a cleaner's result is thrown away",
        "door/door.py",
        "text, seq = cleaned.text[:LONGEST_COMPUTED], self.row.seq",
        "text, seq = self.row.segment.text, self.row.seq",
    ),
    Mutant(
        "a failed cleaner lets everything by",
        "door/door.py",
        'return self._computed("failed", f"left out, {reason}", self._with_arguments(NOTHING))',
        "return self.whole(reason)",
    ),
    Mutant(
        "a reply's quotations are not looked for",
        "door/door.py",
        "cuts = self._quotes.find(segment.text, chat_key(turn.place), row.seq)",
        "cuts = ()",
    ),
    Mutant(
        "what returns memory is memorised",
        "policy.py",
        "if any(each in self._returns for each in names):",
        "if False:",
    ),
    Mutant(
        "no_memory is read as plain",
        "policy.py",
        "if row.no_memory:",
        "if False:",
    ),
    Mutant(
        "raw is written as computed",
        "derive.py",
        "self._derived.put_computed(computed)",
        "self._derived.put_computed(replace(computed, text=label(row.segment.text)))",
    ),
    Mutant(
        "passages are cut from raw",
        "derive.py",
        "computed = self._derived.computed_of(seq)\n",
        "computed = self._derived.computed_of(seq)\n"
        "        raw = {row.seq: row.segment.text for row in self._log.segments(seq)}\n"
        "        computed = [replace(row, text=label(raw[row.segment])) for row in computed]\n",
    ),
    Mutant(
        "raw enters with the speaker's name",
        "derive.py",
        "label(row.sender)",
        'label(" ".join([row.sender, *(each.segment.text for each in self._log.segments(seq))]))',
    ),
    Mutant(
        "terms are made of raw",
        "derive.py",
        "self._derived.put_turn(turn, scope, items, fingerprint)",
        "words = [word for row in self._log.segments(turn.seq) for word in row.segment.text.split()]\n"
        '        items = [replace(item, terms={**item.terms, "words": words}) for item in items]\n'
        "        self._derived.put_turn(turn, scope, items, fingerprint)",
    ),
    Mutant(
        "vectors are made of raw",
        "derive.py",
        "self._embedder.passages([missing[key] for key in keys])",
        "self._embedder.passages([missing[key] for key in keys] + [label(row.segment.text) "
        "for item in batch for row in self._log.segments(item.seq)])[:len(keys)]",
    ),
    Mutant(
        "a policy flip is not derived again",
        "derive.py",
        "self._queue_changed(entry.seq, state)",
        "pass",
    ),
    Mutant(
        "a forgotten turn stays computed",
        "derive.py",
        "if turn.seq in state.forgotten:",
        "if False:",
    ),
    Mutant(
        "an erased turn stays computed",
        "derive.py",
        "self._derived.remove_turn(turn.seq)",
        "pass",
    ),
    Mutant(
        "the store takes a short cut to the log",
        "store/sqlite/derived.py",
        "def put_computed(self, row: Computed) -> None:\n",
        "def put_computed(self, row: Computed) -> None:\n"
        "        import sqlite3\n"
        "        from dataclasses import replace\n"
        "        log = sqlite3.connect(self.path.with_name('log.db'))\n"
        "        found = log.execute('SELECT text FROM segment WHERE seq = ?', (row.segment,)).fetchone()\n"
        "        log.close()\n"
        "        row = replace(row, reason=found[0].decode())\n",
    ),
]

TYPED = [
    Mutant(
        "words are cut from a string",
        "indexing.py",
        "terms = passage_terms(passage.text)",
        "terms = passage_terms(passage.text.text)",
    ),
    Mutant("days are read from a string", "indexing.py", "spoken_days(passage.text,", "spoken_days(passage.text.text,"),
    Mutant(
        "chunks are cut from a string",
        "passages.py",
        "for chunk in chunks(row.text)",
        "for chunk in chunks(row.text.text)",
    ),
    Mutant("a speaker enters as a string", "derive.py", "label(row.sender)", "row.sender"),
    Mutant(
        "vectors are made of strings",
        "derive.py",
        "[missing[key] for key in keys]",
        "[missing[key].text for key in keys]",
    ),
    Mutant("raw stands in for nothing", "derive.py", "text=NOTHING", "text=row.segment.text"),
    Mutant(
        "the store hands out strings",
        "store/sqlite/derived_rows.py",
        "        text=_text(text, spans),",
        "        text=decode(text),",
    ),
    Mutant(
        "the door lets a string by",
        "door/door.py",
        "return self._computed(decision, reason, self._with_arguments(text), merged",
        'return self._computed(decision, reason, self._with_arguments("".join(parts)), merged',
    ),
]


def copied(root: Path) -> Path:
    """Copy the program to ``root``."""
    for folder in ("src", "sdk/src"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def paths(root: Path) -> str:
    return os.pathsep.join(str(root / folder) for folder in ("src", "sdk/src"))


def lived(root: Path) -> tuple[list[str], list[str], str]:
    """Live the scenario with the program at ``root``; return what leaked, what is missing, and what went wrong."""
    done = subprocess.run(
        [sys.executable, str(SCENARIO), str(root / "home")],
        env=os.environ | {"PYTHONPATH": paths(root), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return [], [], done.stderr
    found = json.loads(done.stdout)
    return [each for stage in found["leaked"].values() for each in stage], found["missing"], ""


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[list[str], list[str], str]]]:
    """Every mutant's life by name, and that of the program as it is under ''; two at a time."""
    folder = tmp_path_factory.mktemp("mutants")

    def life(number: int, mutant: Mutant | None) -> tuple[list[str], list[str], str]:
        root = copied(folder / str(number))
        if mutant is not None:
            mutant.written(root)
        return lived(root)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = {mutant: pool.submit(life, number, mutant) for number, mutant in enumerate([None, *RUNNING])}
        yield {str(mutant or ""): future.result() for mutant, future in waiting.items()}


def test_the_program_as_it_is_lets_nothing_by(lives: dict[str, tuple[list[str], list[str], str]]) -> None:
    assert lives[""] == ([], [], "")


@pytest.mark.parametrize("mutant", RUNNING, ids=str)
def test_a_way_round_the_door_is_seen_in_what_is_computed(
    mutant: Mutant, lives: dict[str, tuple[list[str], list[str], str]]
) -> None:
    leaked, _, error = lives[str(mutant)]
    assert error == "", "the mutant does not run, so it shows nothing"
    assert leaked


def test_a_way_round_the_door_with_a_string_is_refused_by_type(tmp_path: Path) -> None:
    root = copied(tmp_path)
    changed = {str(mutant): mutant.written(root) for mutant in TYPED}
    if (ROOT / ".mypy_cache").is_dir():  # what mypy knows of numpy and the standard library stays true
        shutil.copytree(ROOT / ".mypy_cache", root / ".mypy_cache")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--no-pretty", str(MEMORY)],
        cwd=root,
        env=os.environ | {"MYPYPATH": paths(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    refused = {line.partition(": error: ")[0] for line in done.stdout.splitlines() if ": error: " in line}
    for mutant in TYPED:
        file = changed[str(mutant)]
        lines = file.read_text("utf-8").splitlines()
        places = {
            f"{file.relative_to(root)}:{at}" for at, line in enumerate(lines, start=1) if mutant.new.strip() in line
        }
        assert places & refused, f"{mutant}\n{done.stdout}{done.stderr}"
