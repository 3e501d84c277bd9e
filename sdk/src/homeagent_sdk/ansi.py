"""Take terminal control sequences out of a text."""

from __future__ import annotations

import re

__all__ = ["without_ansi"]

# ECMA-48. The order matters: strings (OSC, DCS...) before single sequences. A sequence that was cut off or is malformed
# loses what can belong to it. A string without an end on its line loses only its introducer: the rest may be text.
_ANSI = re.compile(
    r"\x1b\][^\x00-\x1f\x7f\x9c]*+(?:\x07|\x1b\\|\x9c|\Z)"  # OSC: titles, links
    r"|\x1b[PX^_][^\x07\x1b\x9c]*+(?:\x07|\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"  # CSI: colours, cursor
    r"|\x1b[ -/]*+[0-~]?"  # everything else
)


def without_ansi(text: str) -> str:
    """Return ``text`` without escape sequences; carriage returns and other control characters stay."""
    return _ANSI.sub("", text)
