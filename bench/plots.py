"""Two plots as SVG, drawn by hand so that they need no library: bars with a reference, and a reliability diagram."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Bar", "bars", "reliability_diagram"]

_WIDTH: Final = 720
_HEIGHT: Final = 360
_LEFT: Final = 52
_TOP: Final = 44
_RIGHT: Final = 16
_BOTTOM: Final = 44
_OURS: Final = "#1f6f8b"
_THEIRS: Final = "#b8b8b8"
_COLOURS: Final = ("#1f6f8b", "#c8553d", "#588157", "#6d597a")
_TICKS: Final = 5


@dataclass(frozen=True, slots=True)
class Bar:
    """One set: our figure, the baseline's, and the bounds of the gain over it, all in per cent."""

    name: str
    ours: float
    baseline: float
    gain_low: float
    gain_high: float


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Return an SVG: for each set the baseline beside ours; the line on ours is baseline plus the gain's interval."""
    parts = _frame(title, [f"{100 * tick // _TICKS}" for tick in range(_TICKS + 1)])
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(rows))
    for place, row in enumerate(rows):
        left = _LEFT + place * step
        middle = left + step / 2
        parts += [
            _box(middle - step * 0.36, row.baseline / 100, step * 0.34, _THEIRS),
            _box(middle + step * 0.02, row.ours / 100, step * 0.34, _OURS),
            _text(middle - step * 0.19, _y(row.baseline / 100) - 4, f"{row.baseline:.1f}"),
            _text(middle + step * 0.27, _y(row.ours / 100) - 4, f"{row.ours:.1f}"),
            _text(middle, _HEIGHT - _BOTTOM + 18, row.name),
        ]
        low, high = ((row.baseline + gain) / 100 for gain in (row.gain_low, row.gain_high))
        parts.append(_line((middle + step * 0.08, _y(low)), (middle + step * 0.08, _y(high)), "#222", 2))
    parts += _legend((("baseline", _THEIRS), ("HomeAgent, line: baseline + 95 % interval of the gain", _OURS)))
    return _svg(parts)


def reliability_diagram(title: str, curves: Mapping[str, Sequence[tuple[float, float, int]]]) -> str:
    """Return an SVG: for each curve, points (mean of what was said, share that was true, how many), 0 to 1."""
    parts = _frame(title, [f"{tick / _TICKS:.1f}" for tick in range(_TICKS + 1)])
    parts.append(_line((_x(0), _y(0)), (_x(1), _y(1)), "#999", 1))
    for tick in range(_TICKS + 1):
        parts.append(_text(_x(tick / _TICKS), _HEIGHT - _BOTTOM + 18, f"{tick / _TICKS:.1f}"))
    colours = dict(zip(curves, _COLOURS, strict=False))
    for name, points in curves.items():
        colour = colours.get(name, "#222")
        for one, other in itertools.pairwise(points):
            parts.append(_line((_x(one[0]), _y(one[1])), (_x(other[0]), _y(other[1])), colour, 2))
        most = max((count for _, _, count in points), default=1)
        for said, true, count in points:
            radius = 3 + 6 * (count / most) ** 0.5
            parts.append(f'<circle cx="{_x(said):.1f}" cy="{_y(true):.1f}" r="{radius:.1f}" fill="{colour}"/>')
    parts += _legend(tuple(colours.items()))
    return _svg(parts)


def _frame(title: str, labels: Sequence[str]) -> list[str]:
    """Return title and the lines of the scale, from 0 below to the top."""
    parts = [f'<text x="{_LEFT}" y="18" font-size="15" font-weight="bold">{escape(title)}</text>']
    for tick, label in enumerate(labels):
        height = _y(tick / (len(labels) - 1))
        parts.append(_line((_LEFT, height), (_WIDTH - _RIGHT, height), "#ddd", 1))
        parts.append(f'<text x="{_LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{label}</text>')
    return parts


def _legend(entries: Sequence[tuple[str, str]]) -> list[str]:
    parts: list[str] = []
    left = float(_LEFT)
    for name, colour in entries:
        parts.append(f'<rect x="{left:.0f}" y="26" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{left + 15:.0f}" y="35">{escape(name)}</text>')
        left += 40 + 7 * len(name)
    return parts


def _box(left: float, share: float, width: float, colour: str) -> str:
    top = _y(share)
    height = max(0.0, _y(0) - top)
    return f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def _line(start: tuple[float, float], end: tuple[float, float], colour: str, width: int) -> str:
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
        f' stroke="{colour}" stroke-width="{width}"/>'
    )


def _text(middle: float, base: float, words: str) -> str:
    return f'<text x="{middle:.1f}" y="{base:.1f}" text-anchor="middle">{escape(words)}</text>'


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _svg(parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}"'
        f' height="{_HEIGHT}" font-family="sans-serif" font-size="12">'
    )
    return "\n".join([head, f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>', *parts, "</svg>", ""])
