"""From the JSON of real runs to the tables and plots of docs/recall.md: no figure there is written by hand.

``recall*.json``, ``ablate*.json``, ``noise*.json``, ``abstain*.json``, ``cost*.json`` and ``peers*.json`` in one folder
are read, several of a kind joined set by set. Each fills the block between ``<!-- NAME: generated -->`` and
``<!-- NAME: end -->``; one without a file says which command makes it. The block ``required`` is filled from all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from bench.errors import BenchError
from bench.plots import Bar, bars, reliability_diagram
from bench.required import required_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["filled", "write_report"]

_BLOCK: Final = re.compile(r"(<!-- (\w+): generated -->\n).*?(<!-- \2: end -->)", re.DOTALL)
_REQUIRED: Final = "required"
_COMMANDS: Final = {
    _REQUIRED: "the commands below",
    "recall": "python -m bench recall --data DIR --json > OUT/recall.json",
    "ablate": "python -m bench ablate --data DIR --json > OUT/ablate.json",
    "noise": "python -m bench noise --data DIR --json > OUT/noise.json",
    "abstain": "python -m bench abstain --data DIR --json > OUT/abstain.json",
    "cost": "python -m bench cost --segments 100000 --json > OUT/cost.json",
    "peers": "python -m bench peers --data DIR --json > OUT/peers.json",
}


class _Recall(msgspec.Struct):
    n: int
    turn: dict[str, float]
    session: dict[str, float]
    by_category: dict[str, dict[str, float]]
    query_ms: dict[str, float]
    baseline: dict[str, float] = {}
    gain: dict[str, tuple[float, float, float]] = {}


class _Macro(msgspec.Struct):
    sets: list[str]
    r5: dict[str, object] = msgspec.field(name="R@5")
    r10: dict[str, object] = msgspec.field(name="R@10")


class _RecallFile(msgspec.Struct):
    sets: dict[str, _Recall]
    macro: _Macro | None = None


class _Variant(msgspec.Struct):
    change: tuple[float, float, float]
    r5: float = msgspec.field(name="R@5")
    r10: float = msgspec.field(name="R@10")


class _Ablated(msgspec.Struct):
    n: int
    without: dict[str, _Variant]


class _AblateFile(msgspec.Struct):
    sets: dict[str, _Ablated]
    macro: dict[str, _Variant] = {}


class _NoiseFile(msgspec.Struct):
    sets: dict[str, dict[str, dict[str, float | None]]]
    pooled: dict[str, dict[str, float] | list[float]] = {}


class _Bin(msgspec.Struct):
    value: float
    true: float
    n: int


class _Abstain(msgspec.Struct):
    n: int
    auroc: float | None
    coverage_at_p95: float | None
    auroc_adversarial: float | None
    auroc_bm25: float | None
    auroc_e5: float | None
    reliability: list[_Bin]


class _Cost(msgspec.Struct):
    segments: int
    recall_ms: dict[str, float]
    keep_ms: dict[str, float]
    embedded_per_second: float
    memory_mb: float
    disk_mb: float
    growth: dict[str, float] = {}


class _PeersFile(msgspec.Struct):
    sets: dict[str, dict[str, dict[str, object]]]


_Kind = TypeVar("_Kind")

Plots = dict[str, str]
"""SVG by file name."""


def write_report(source: Path, page: Path) -> list[str]:
    """Fill the blocks of ``page`` from the files in ``source`` and write its plots beside it; return what was read.

    Raises `BenchError` when there is no such folder or page, or a file is none of ours.
    """
    if not source.is_dir() or not page.is_file():
        raise BenchError(
            f"There is no {page if source.is_dir() else source}: name the folder of JSON files with --from"
        )
    text, plots, read = filled(page.read_text("utf-8"), source)
    page.write_text(text, "utf-8")
    for name, svg in plots.items():
        target = page.parent / "plots" / name
        target.parent.mkdir(exist_ok=True)
        target.write_text(svg, "utf-8")
    return read


def filled(text: str, source: Path) -> tuple[str, Plots, list[str]]:
    """Return a page with its blocks filled, the plots of it, and the names of the files that were read."""
    plots: Plots = {}
    read: list[str] = []

    def block(match: re.Match[str]) -> str:
        name = match[2]
        if name not in _COMMANDS:
            raise BenchError(f"The page has a block {name!r}, which is none of {', '.join(_COMMANDS)}")
        kinds = [each for each in _COMMANDS if name in (each, _REQUIRED)]
        files = sorted(file for kind in kinds for file in source.glob(f"{kind}*.json"))
        read.extend(file.name for file in files if name != _REQUIRED)
        body = _MAKERS[name](files, plots) if files else f"Not measured yet: `{_COMMANDS[name]}`\n"
        return f"{match[1]}\n{body}\n{match[3]}"

    return _BLOCK.sub(block, text), plots, read


def _recall(files: Sequence[Path], plots: Plots) -> str:
    reports = [_decoded(file, _RecallFile) for file in files]
    sets = {name: found for report in reports for name, found in report.sets.items()}
    head = ("set", "n", "R@1", "R@5", "R@10", "MRR", "nDCG@10", "session R@10", "baseline R@5 / R@10", "gain of R@5")
    rows = [
        [
            name, str(each.n), *(f"{each.turn[key]:.1f}" for key in ("R@1", "R@5", "R@10", "MRR", "nDCG@10")),
            f"{each.session['R@10']:.1f}",
            " / ".join(f"{each.baseline[key]:.1f}" for key in ("R@5", "R@10") if key in each.baseline) or "-",
            _interval(each.gain.get("R@5")),
        ]
        for name, each in sets.items()
    ]  # fmt: skip
    compared = [
        Bar(name, each.turn["R@5"], each.baseline["R@5"], each.gain["R@5"][0], each.gain["R@5"][2])
        for name, each in sets.items()
        if each.gain
    ]
    shown = ""
    if compared:
        plots["recall.svg"] = bars("Turn R@5 by set, per cent", compared)
        shown = "\n![Turn R@5 by set against the baseline](plots/recall.svg)\n"
    for report in reports:
        if report.macro is not None and len(report.macro.sets) > 1:
            shown += f"\nMean over {', '.join(report.macro.sets)}: R@5 {_macro(report.macro.r5)}; "
            shown += f"R@10 {_macro(report.macro.r10)}.\n"
    return _table(head, rows) + shown + "\n" + _categories(sets)


def _categories(sets: dict[str, _Recall]) -> str:
    rows = [
        [name, category, f"{found['n']:.0f}", *(f"{found[key]:.1f}" for key in ("R@1", "R@5", "R@10"))]
        for name, each in sets.items()
        for category, found in each.by_category.items()
    ]
    return _table(("set", "category", "n", "R@1", "R@5", "R@10"), rows)


def _ablate(files: Sequence[Path], _plots: Plots) -> str:
    reports = [_decoded(file, _AblateFile) for file in files]
    sets = {name: each.without for report in reports for name, each in report.sets.items()}
    means = {name: each for report in reports for name, each in report.macro.items()}
    variants = list(dict.fromkeys(variant for without in sets.values() for variant in without))
    rows = [
        [
            variant, *(_cut(without.get(variant)) for without in sets.values()),
            _cut(means.get(variant)), _interval(means[variant].change) if variant in means else "-",
        ]
        for variant in variants
    ]  # fmt: skip
    counts = ", ".join(f"{name} {each.n}" for report in reports for name, each in report.sets.items())
    return _table(("without", *sets, "mean", "change of R@5"), rows) + f"\nR@5 / R@10. Questions: {counts}.\n"


def _cut(found: _Variant | None) -> str:
    return "-" if found is None else f"{found.r5:.1f} / {found.r10:.1f}"


def _noise(files: Sequence[Path], _plots: Plots) -> str:
    keys = ("all@5", "attached@5", "tool_only@5", "leak@10", "characters")
    reports = [_decoded(file, _NoiseFile) for file in files]
    rows = [
        [name, strategy, *(_measured(each.get(key), 0 if key == "characters" else 1) for key in keys)]
        for report in reports
        for name, strategies in report.sets.items()
        for strategy, each in strategies.items()
    ]
    lines = [
        f"\nPairs of {', '.join(each.sets)} together: {_pooled(each.pooled)}.\n" for each in reports if each.pooled
    ]
    return _table(("set", "strategy", *keys), rows) + "".join(lines)


def _pooled(pooled: dict[str, dict[str, float] | list[float]]) -> str:
    """Return all@5 of every strategy and the gains with their intervals."""
    parts = [
        f"`{name}` {_interval(found)}"
        if isinstance(found, list)
        else f"{name} " + ", ".join(f"`{strategy}` {value:.1f}" for strategy, value in found.items())
        for name, found in pooled.items()
    ]
    return "; ".join(parts)


def _measured(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _abstain(files: Sequence[Path], plots: Plots) -> str:
    found = {lang: each for file in files for lang, each in _decoded(file, dict[str, _Abstain]).items()}
    keys = ("auroc", "auroc_bm25", "auroc_e5", "coverage_at_p95", "auroc_adversarial")
    rows = [
        [lang, str(each.n), *("-" if (value := getattr(each, key)) is None else f"{value:.3f}" for key in keys)]
        for lang, each in found.items()
    ]
    curves = {lang: [(row.value, row.true, row.n) for row in each.reliability] for lang, each in found.items()}
    plots["reliability.svg"] = reliability_diagram("answerable: what was said and what was true", curves)
    return _table(("language", "n", *keys), rows) + "\n![Reliability of answerable](plots/reliability.svg)\n"


def _cost(files: Sequence[Path], _plots: Plots) -> str:
    found = [_decoded(file, _Cost) for file in files]
    head = ("segments", "recall p50 / p95 ms", "keep p50 / p95 ms", "embedded a second", "RAM MB", "disk MB", "growth")
    rows = [
        [
            f"{each.segments:,}", f"{each.recall_ms['p50']:.1f} / {each.recall_ms['p95']:.1f}",
            f"{each.keep_ms['p50']:.1f} / {each.keep_ms['p95']:.1f}", f"{each.embedded_per_second:.0f}",
            f"{each.memory_mb:.0f}", f"{each.disk_mb:.0f}",
            ", ".join(f"{name} x {times:.2f}" for name, times in each.growth.items()) or "-",
        ]
        for each in sorted(found, key=lambda each: each.segments)
    ]  # fmt: skip
    return _table(head, rows)


def _peers(files: Sequence[Path], _plots: Plots) -> str:
    keys = ("version", "our_vectors", "n", "R@5", "R@10", "add_ms", "ask_ms", "disk_mb", "tool_output", "chinese")
    found = [each for file in files for each in _decoded(file, _PeersFile).sets.items()]
    rows = [
        [name, peer, *([f"can't be measured: {_cell(each['error'])}"] + [""] * (len(keys) - 1)
         if "error" in each else [_cell(each.get(key, "-")) for key in keys])]
        for name, peers in found
        for peer, each in peers.items()
    ]  # fmt: skip
    return _table(("set", "peer", *keys), rows)


def _required(files: Sequence[Path], _plots: Plots) -> str:
    return _table(("figure", "required", "aim", "measured", ""), required_rows(files))


_MAKERS: Final[dict[str, Callable[[Sequence[Path], Plots], str]]] = {
    _REQUIRED: _required,
    "recall": _recall,
    "ablate": _ablate,
    "noise": _noise,
    "abstain": _abstain,
    "cost": _cost,
    "peers": _peers,
}


def _decoded(file: Path, kind: type[_Kind]) -> _Kind:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except msgspec.MsgspecError as error:
        raise BenchError(f"{file} is not what 'python -m bench' writes with --json: {error}") from error


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name} {each}" for name, each in value.items())
    return re.sub(r"\s+", " ", str(value)).replace("|", "\\|")


def _interval(gain: Sequence[float] | None) -> str:
    return "-" if gain is None else f"{gain[1]:+.1f} [{gain[0]:+.1f}, {gain[2]:+.1f}]"


def _macro(figure: dict[str, object]) -> str:
    gain = figure["gain"]
    interval = _interval([float(each) for each in gain]) if isinstance(gain, list) else "-"
    return f"{figure['turn']} against {figure['baseline']}, {interval}"
