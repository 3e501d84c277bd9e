"""One browser, and one household that is served, for all of these tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.browsing import CHROMIUM, Visitor, chromium
from tests.e2e.household import fill
from tests.server.serving import Served, configured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

QUICK = '[memory]\nembedder = "none"\n'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for one file: while it is there its loop runs in this thread, where other tests want one of their own."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium here: apt-get install chromium")
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A household with some history and no model."""
    home = configured(tmp_path_factory.mktemp("household") / "home", QUICK)
    fill(home)
    with Served(home) as running:
        yield running


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """Open browsers' windows, which are closed at the end."""
    opened: list[Visitor] = []

    def new(served: Served, **how: object) -> Visitor:
        made = Visitor(browser, served, **how)  # type: ignore[arg-type]
        opened.append(made)
        return made

    yield new
    for each in opened:
        each.context.close()


@pytest.fixture(scope="module")
def signed_in(browser: Browser, household: Served) -> Iterator[Callable[[str], Visitor]]:
    """Return who has signed in to the household with a token, empty for the owner's, once for all tests of a file."""
    known: dict[str, Visitor] = {}

    def enter(token: str = "") -> Visitor:
        if token not in known:
            known[token] = Visitor(browser, household)
            known[token].sign_in(token)
        return known[token]

    yield enter
    for each in known.values():
        each.context.close()


@pytest.fixture
def empty_home(tmp_path: Path) -> Path:
    return configured(tmp_path / "home", QUICK)
