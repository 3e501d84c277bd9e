"""What every test goes by: a property is judged by what holds, never by how long a busy machine takes for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings

_HOUSE = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# The examples are the same in every run and on every machine, so that a change is judged by what it changed. New ones
# are looked for with "pytest --hypothesis-profile explore".
settings.register_profile("house", _HOUSE, derandomize=True)
settings.register_profile("explore", _HOUSE, max_examples=500)
settings.load_profile("house")

if TYPE_CHECKING:
    import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let files with slow tests come first, so that no worker is left with a long one when the others are done."""
    slow = {each.path for each in items if each.get_closest_marker("slow")}
    items.sort(key=lambda each: each.path not in slow)
