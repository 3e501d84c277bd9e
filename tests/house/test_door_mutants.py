"""The door by trying: each way round it that one could write by mistake is caught.

A mutant is a copy of the program with one line changed. Some a type check refuses; the others run through a small
scenario, and the text that they let by is found in the computed half.
"""

from __future__ import annotations

import json
import os
import re
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

pytestmark = pytest.mark.slow

MEMORY = Path("src/homeagent/memory")
SCENARIO = Path(__file__).with_name("door_scenario.py")


@dataclass(frozen=True)
class Mutant:
    """One mistake: in ``file`` what the pattern ``old`` finds, which stands there once, becomes ``new``.

    Patterns are as short as they can be, so that a mutant outlives changes around its place.
    """

    name: str
    file: str
    old: str
    new: str

    def __str__(self) -> str:
        return self.name

    def written(self, root: Path) -> tuple[Path, int]:
        """Change the copy of the program at ``root``; return the changed file and the line."""
        target = root / MEMORY / self.file
        source = target.read_text("utf-8")
        places = list(re.finditer(self.old, source))
        if len(places) != 1:
            raise LookupError(f"{self.file} holds this {len(places)} times, write the mutant anew: {self.old}")
        target.write_text(re.sub(self.old, self.new, source), "utf-8")
        return target, source.count("\n", 0, places[0].start()) + 1


RUNNING = [
    Mutant(
        "a hidden output is admitted",
        "door/door.py",
        r'(_computed\("hidden", reason, )NOTHING',
        r"\1admit(self.row.segment.text)",
    ),
    Mutant(
        "the arguments of a hidden tool are computed",
        "door/door.py",
        r'(_computed\("hidden", reason, )NOTHING',
        r"\1self._with_arguments(NOTHING)",
    ),
    Mutant(
        "the reason says what was hidden",
        "door/door.py",
        r'(_computed\("hidden", reason)',
        r'\1 + ": " + self.row.segment.text',
    ),
    Mutant("a message marked no_memory is computed", "door/door.py", r"if segment\.no_memory\b", "if False"),
    Mutant(
        "a cleaner's result is thrown away",
        "door/door.py",
        r"= cleaned\.text\[:LONGEST_COMPUTED\]",
        "= self.row.segment.text",
    ),
    Mutant(
        "a failed cleaner lets everything by",
        "door/door.py",
        r'return self\._computed\("failed", .*',
        'return self.whole("")',
    ),
    Mutant("a reply's quotations are not looked for", "door/door.py", r"self\._quotes\.find\(.*\)", "()"),
    Mutant("what returns memory is memorised", "policy/book.py", r"if .*RETURNS_MEMORY.*:", "if False:"),
    Mutant("no_memory is read as plain", "policy/book.py", r"if row\.no_memory\b", "if False"),
    Mutant(
        "raw is written as computed",
        "derive.py",
        r"\.put_computed\(computed\)",
        ".put_computed(replace(computed, text=label(self._log.segment(computed.segment).segment.text)))",
    ),
    Mutant(
        "passages are cut from raw",
        "derive.py",
        r"( +)computed = self\._derived\.computed_of\(seq\)\n",
        r"\1raw = {each.seq: each.segment.text for each in self._log.segments(seq)}\n"
        r"\1computed = self._derived.computed_of(seq)\n"
        r"\1computed = [replace(each, text=label(raw[each.segment])) for each in computed]\n",
    ),
    Mutant(
        "raw enters with the speaker's name",
        "derive.py",
        r"label\(row\.sender\)",
        'label(" ".join([row.sender, *(each.segment.text for each in self._log.segments(seq))]))',
    ),
    Mutant(
        "terms are made of raw",
        "derive.py",
        r"( +)self\._derived\.put_turn\(",
        r"\1words = [word for each in self._log.segments(turn.seq) for word in each.segment.text.split()]\n"
        r'\1items = [replace(item, terms={**item.terms, "words": words}) for item in items]\n'
        r"\1self._derived.put_turn(",
    ),
    Mutant(
        "vectors are made of raw",
        "derive.py",
        r"\.passages\(\[missing\[key\] for key in keys\]\)",
        ".passages([missing[key] for key in keys] + [label(row.segment.text) "
        "for item in batch for row in self._log.segments(item.seq)])[:len(keys)]",
    ),
    Mutant("a policy flip is not derived again", "derive.py", r"self\._touched\.take\(entry\.seq\)", "pass"),
    Mutant("a forgotten turn stays computed", "derive.py", r"if turn\.seq in state\.forgotten", "if False"),
    Mutant("an erased turn stays computed", "derive.py", r"self\._derived\.remove_turn\(.*\)", "pass"),
    Mutant(
        "the store takes a short cut to the log",
        "store/sqlite/derived.py",
        r"(def put_computed\(self, row: Computed\) -> None:\n)",
        r"\1        import sqlite3\n"
        r"        from dataclasses import replace\n"
        r"        log = sqlite3.connect(self.path.with_name('log.db'))\n"
        r"        found = log.execute('SELECT text FROM segment WHERE seq = ?', (row.segment,)).fetchone()\n"
        r"        log.close()\n"
        r"        row = replace(row, reason=found[0].decode())\n",
    ),
]

TYPED = [
    Mutant(
        "words are cut from a string",
        "indexing.py",
        r"passage_terms\(passage\.text\b",
        "passage_terms(passage.text.text",
    ),
    Mutant(
        "days are read from a string", "indexing.py", r"spoken_days\(passage\.text\b", "spoken_days(passage.text.text"
    ),
    Mutant("pieces are cut from a string", "passages.py", r"pieces\(row\.text\)", "pieces(row.text.text)"),
    Mutant("a speaker enters as a string", "derive.py", r"label\(row\.sender\)", "row.sender"),
    Mutant("vectors are made of strings", "derive.py", r"\[missing\[key\] for", "[missing[key].text for"),
    Mutant("raw stands in for nothing", "derive.py", r"text=NOTHING\b", "text=row.segment.text"),
    Mutant(
        "the store hands out strings",
        "store/sqlite/derived_rows.py",
        r"\btext=\w*_text\(text, spans\)",
        "text=str(text)",
    ),
    Mutant(
        "the door lets a string by",
        "door/door.py",
        r"decision, reason, self\._with_arguments\(text\)",
        'decision, reason, self._with_arguments("".join(parts))',
    ),
]


def copied(root: Path) -> Path:
    """Copy the program to ``root``, with what is compiled of it: that holds for every file that is not changed then."""
    for folder in ("src", "sdk/src"):
        shutil.copytree(ROOT / folder, root / folder)
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
        try:
            if mutant is not None:
                mutant.written(root)
        except LookupError as gone:
            return [], [], str(gone)
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
    assert error == "", "the mutant can't be made or does not run, so it shows nothing"
    assert leaked


def test_a_way_round_the_door_with_a_string_is_refused_by_type(tmp_path: Path) -> None:
    root = copied(tmp_path)
    places: dict[str, str] = {}
    for mutant in TYPED:
        file, line = mutant.written(root)
        places[f"{file.relative_to(root)}:{line}"] = mutant.name
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
    unseen = [name for place, name in places.items() if place not in refused]
    assert unseen == [], done.stdout + done.stderr
