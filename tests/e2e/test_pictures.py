"""The pictures of the documentation, taken anew from the page as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.browsing import NARROW, PICTURES, WIDE
from tests.server.serving import Served

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.browsing import Visitor

pytestmark = pytest.mark.slow

LOOKS = [(WIDE, False, False), (WIDE, True, True), (NARROW, False, True), (NARROW, True, False)]
VIEWS = {
    "timeline": "/memory",
    "search": "/search?q=Where does my sister work?",
    "facts": "/facts?subject=me",
    "graph": "/graph",
    "policies": "/policies",
    "forget": "/forget",
    "models": "/models",
}
PICTURED = {
    (WIDE, False): ("timeline", "search", "facts", "graph"),
    (WIDE, True): ("timeline", "facts", "policies"),
    (NARROW, False): ("timeline", "policies"),
    (NARROW, True): ("timeline", "facts", "graph", "policies"),
}
"""Which views are pictured at which width, light or dark: enough to see each of them, and no more than fits."""

LARGEST = 2_000_000
"""Bytes that all of the pictures may have together."""


def name_of(view: str, width: int, dark: bool, zh: bool) -> str:
    return f"{view}-{width}-{'dark' if dark else 'light'}-{'zh' if zh else 'en'}"


@pytest.mark.parametrize(("width", "dark", "zh"), LOOKS)
def test_every_view_fits_where_its_picture_is_taken(
    household: Served, visit: Callable[..., Visitor], width: int, dark: bool, zh: bool
) -> None:
    who = visit(household, width=width, dark=dark, zh=zh)
    who.sign_in()
    for view, address in VIEWS.items():
        who.open(address)
        who.page.wait_for_timeout(600)
        assert who.fits(), view
        if view in PICTURED[width, dark]:
            who.picture(name_of(view, width, dark, zh))
    one_turn_is_pictured(household, who, name_of("turn", width, dark, zh) if width == NARROW or not dark else "")


def test_one_turn_is_pictured_in_chinese_too(household: Served, visit: Callable[..., Visitor]) -> None:
    who = visit(household, width=WIDE, zh=True)
    who.sign_in()
    one_turn_is_pictured(household, who, name_of("turn", WIDE, False, True))


def one_turn_is_pictured(household: Served, who: Visitor, name: str) -> None:
    """Open the turn with a hidden output; take a picture of it if there is a name for one."""
    with household.client() as api:
        turns = api.get("/api/memory/turns", params={"limit": 50}).json()["turns"]
    turn = next(each["turn"] for each in turns if "Who am I" in each["text"])
    page = who.open(f"/memory/{turn}")
    page.wait_for_selector(".segment.is-hidden")
    page.evaluate("() => document.querySelector('.segment.is-hidden').scrollIntoView()")
    assert who.fits()
    if name:
        who.picture(name)


@pytest.mark.parametrize(("width", "dark", "zh"), [(WIDE, False, False), (NARROW, True, True)])
def test_the_first_start_is_pictured(
    empty_home: Path, visit: Callable[..., Visitor], width: int, dark: bool, zh: bool
) -> None:
    with Served(empty_home) as served:
        who = visit(served, width=width, dark=dark, zh=zh)
        who.page.goto(f"{served.url}/page/sign-in")
        assert who.fits()
        if zh:
            who.picture(name_of("sign-in", width, dark, zh))
        who.sign_in()
        who.ready()
        assert who.fits()
        who.picture(name_of("first-start", width, dark, zh))


def test_the_pictures_are_small() -> None:
    taken = list(PICTURES.glob("*.png"))
    assert taken
    assert sum(path.stat().st_size for path in taken) < LARGEST
