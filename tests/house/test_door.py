"""The door by type: nothing that computes takes a raw string, and nobody but the door can make what it takes."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dev.consumers import consumers, program
from dev.ratchet import ROOT, Module, modules
from homeagent.memory.compute import ComputeText

if TYPE_CHECKING:
    from pathlib import Path

KEY_HOLDERS = {"src/homeagent/memory/compute.py", "src/homeagent/memory/door/mint.py"}

LABELLED = {
    "src/homeagent/memory/derive.py": {"row.sender"},
    "src/homeagent/memory/distilling.py": {"turn.sender"},
    # what an erased text would be found by: looked for in the files, never stored
    "src/homeagent/memory/erasing/traces.py": {"text"},
    # a fact that its owner wrote down himself: explicit words, never a tool's output
    "src/homeagent/memory/knowledge/writing.py": {
        "about['name']",
        "f'{subject.name.text} {relation} {value.text}'",
        "said['value']",
        "sender",
        "subject",
    },
}
"""What may enter as a label, beside the words, and where: who spoke, and what was written down on purpose."""

COMPUTING = (
    "distil/",
    "documents/",
    "embed/",
    "graph/",
    "recall/",
    "text/",
    "indexing.py",
    "passages.py",
    "vectors.py",
)
RAW_RECORDS = {"Attachment", "LogStore", "Segment", "SegmentRow", "Turn", "TurnRow"}

KNOWN = {
    "embed.e5.OfflineEmbedder.passages(texts)",
    "embed.e5.OfflineEmbedder.query(text)",
    "embed.none.NoEmbedder.passages(texts)",
    "embed.openai_compatible.ServerEmbedder.passages(texts)",
    "embed.protocol.Embedder.passages(texts)",
    "indexing.indexed(speaker)",
    "passages.chunks(text)",
    "passages.pieces(text)",
    "store.protocols.IndexedPassage(embedded)",
    "store.records.Passage(text)",
    "text.dates.spoken_days(text)",
    "text.terms.passage_terms(text)",
    "text.terms.query_terms(text)",
}
"""Some that have to be among what is found, so that the search can't quietly come back empty."""


def checked_types(file: Path, root: Path = ROOT) -> dict[int, str]:
    """Let ``mypy --strict`` read one file; return its errors by line."""
    paths = os.pathsep.join(str(root / folder) for folder in ("src", "sdk/src"))
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary"]
    done = subprocess.run(
        [*command, "--no-pretty", str(file)],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    # By the file's name: mypy's cache gives errors of the same text back under the path it had the last time.
    errors = re.findall(rf"^(?:.*/)?{re.escape(file.name)}:(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return {int(line): message for line, message in errors}


def uses(module: Module, name: str) -> bool:
    """Whether a module says a name anywhere in its code (docstrings and comments do not count)."""
    for node in module.nodes(name):
        match node:
            case ast.Name(id=found) | ast.Attribute(attr=found) if found == name:
                return True
            case ast.ImportFrom(names=aliases) if any(name in {alias.name, alias.asname} for alias in aliases):
                return True
    return False


def labelled(module: Module) -> set[str]:
    """Return what a module hands to ``label``, the way in for names that stand beside the words."""
    return {
        ast.unparse(node.args[0])
        for node in module.nodes("label")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "label" and node.args
    }


def test_every_consumer_refuses_raw_text_by_type(tmp_path: Path) -> None:
    found = consumers(ROOT)
    assert {each.label for each in found} >= KNOWN
    file = tmp_path / "handed_raw.py"
    file.write_text(program(found), "utf-8")
    errors = checked_types(file)
    lines = list(enumerate(file.read_text("utf-8").splitlines(), start=1))
    accepted = [line for number, line in lines if "# raw" in line and not is_about_type(errors.get(number, ""))]
    refused = {line: errors[number] for number, line in lines if "# fine" in line and number in errors}
    assert accepted == []
    assert refused == {}


def is_about_type(message: str) -> bool:
    """Whether an error says that the type is wrong, and not, say, that an argument is missing."""
    return any(f"[{code}]" in message for code in ("arg-type", "call-arg", "list-item")) or "final class" in message


@pytest.mark.parametrize("given", [("raw",), (None, "raw"), ("raw", "raw"), (object(), "raw", ())])
def test_compute_text_without_its_key_is_refused_when_it_runs(given: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        ComputeText(*given)  # type: ignore[arg-type]  # that is what is tried


def test_only_the_mint_and_the_type_itself_hold_the_key() -> None:
    code = modules("src", "sdk/src", "bench", "dev")
    assert {module.name for module in code if uses(module, "DoorKey")} == KEY_HOLDERS


def test_only_names_enter_as_labels() -> None:
    others = {
        module.name: found
        for module in modules("src", "bench")
        if (found := labelled(module) - LABELLED.get(module.name, set()))
    }
    assert others == {}


def test_what_computes_names_no_raw_record() -> None:
    computing = [
        module
        for module in modules("src/homeagent/memory")
        if module.name.removeprefix("src/homeagent/memory/").startswith(COMPUTING)
    ]
    assert len(computing) > 10
    assert {(module.name, name) for module in computing for name in RAW_RECORDS if uses(module, name)} == set()


def test_a_name_is_found_where_it_is_used_and_not_where_it_is_described() -> None:
    assert uses(Module("a.py", "from x import DoorKey"), "DoorKey")
    assert uses(Module("a.py", "import x\nx.DoorKey()"), "DoorKey")
    assert not uses(Module("a.py", '"""About DoorKey."""'), "DoorKey")
    assert labelled(Module("a.py", "label(row.segment.text)")) == {"row.segment.text"}
