"""What goes wrong in a measurement in a way that a person can mend."""

from __future__ import annotations

__all__ = ["BenchError"]


class BenchError(Exception):
    """A sentence for a person: what is missing or wrong, and what to do. The command ends with exit code 2."""
