"""Taking back and deleting for good, with the proof on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.conftest import QUICK
from tests.e2e.household import fill
from tests.server.serving import Served, configured

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.e2e.browsing import Visitor

pytestmark = pytest.mark.slow


def test_a_turn_is_forgotten_and_brought_back(household: Served, visit: Callable[..., Visitor]) -> None:
    who = visit(household)
    who.sign_in()
    page = who.open("/memory")
    page.click("a.turn-entry:has-text('boiler')")
    page.wait_for_selector("section.segment")
    who.ready()
    page.click("button:has-text('Forget')")
    page.wait_for_selector("text=This turn is forgotten")
    who.open("/forget")
    page.get_by_label("Everything with these words").fill("boiler was serviced")
    page.click("button:has-text('Show what that is')")
    page.wait_for_selector(".results:has-text('1 more turn is forgotten already')")
    assert offered(page) == ["Bring back"]  # nothing is left that could be forgotten or is found to be erased
    page.click(".plain-list a >> nth=0")
    page.wait_for_selector("text=This turn is forgotten")
    who.ready()
    page.click("button:has-text('Bring back')")
    page.wait_for_selector("button:has-text('Forget')")
    assert "is forgotten" not in page.inner_text(".view")
    who.open("/forget")
    page.get_by_label("Everything with these words").fill("boiler was serviced")
    page.click("button:has-text('Show what that is')")
    page.wait_for_selector(".results:has-text('This means 1 turn')")
    assert offered(page) == ["Forget", "Erase for good…"]


def offered(page: Page) -> list[str]:
    page.wait_for_selector(".results > .flow button")
    return [each.splitlines()[-1] for each in page.locator(".results > .flow button").all_inner_texts()]


def test_an_erasure_is_confirmed_and_proved(tmp_path: Path, visit: Callable[..., Visitor]) -> None:
    home = configured(tmp_path / "home", QUICK)
    fill(home)
    with Served(home) as served:
        who = visit(served)
        who.sign_in()
        page = who.open("/forget")
        page.get_by_label("Everything with these words").fill("boiler was serviced")
        page.click("button:has-text('Show what that is')")
        page.wait_for_selector("text=This means 1 turn")
        page.click("button:has-text('Erase for good')")
        page.wait_for_selector("[role=dialog] >> text=This can't be taken back")
        page.click("[role=dialog] >> text=Cancel")
        page.click("button:has-text('Erase for good')")
        page.click("[role=dialog] >> text=Yes, erase it")
        page.wait_for_selector("text=0 traces were found. It is gone.")
        who.picture("erase-proof-1280-light-en")
        assert who.problems == []
    left = [path for path in home.rglob("*") if path.is_file() and b"boiler was serviced" in path.read_bytes()]
    assert left == []
