"""Servers that several tests share: one without vectors, which starts quickly, and one as it is for everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.serving import Served, configured

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUICK = '[memory]\nembedder = "none"\n'


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a home without vectors and without a model."""
    home = configured(tmp_path_factory.mktemp("served") / "home", QUICK)
    with Served(home) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home without vectors that nobody serves yet."""
    return configured(tmp_path / "home", QUICK)
