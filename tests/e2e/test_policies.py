"""Policies on the page: tried out first, then set, with every word still in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import QUICK
from tests.e2e.household import fill
from tests.server.serving import Served, configured

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.browsing import Visitor

pytestmark = pytest.mark.slow


def test_a_policy_is_tried_set_and_taken_back(tmp_path: Path, visit: Callable[..., Visitor]) -> None:
    home = configured(tmp_path / "home", QUICK)
    fill(home)
    with Served(home) as served, served.client() as api:
        before = api.get("/api/memory/status").json()["raw_digest"]
        who = visit(served)
        who.sign_in()
        page = who.open("/policies")
        page.get_by_role("button", name="Change what memory keeps of web_search").click()
        expect(page.get_by_label("Name, or a pattern")).to_have_value("web_search")
        page.get_by_label("What enters memory").select_option("hidden")
        page.click("button:has-text('See what it would do')")
        page.wait_for_selector("text=Would drop words of 1 segment")
        page.click(".examples summary")
        assert "light rain on Sunday" in page.inner_text(".examples")
        who.picture("policies-dry-run-1280-light-en")
        assert api.get("/api/memory/search", params={"q": "rain Sunday evening West Lake"}).json()["hits"]
        assert "hidden" not in {each["treatment"] for each in policies(api) if each["name"] == "web_search"}
        page.click("button:has-text('Set this policy')")
        page.wait_for_selector("text=what is to be hidden is hidden already")
        assert {each["treatment"] for each in policies(api) if each["name"] == "web_search"} == {"hidden"}
        assert api.get("/api/memory/status").json()["raw_digest"] == before
        page.click("text=See all policies")
        page.wait_for_selector("text=Trying changes nothing")
        who.ready()
        page.get_by_role("button", name="Change what memory keeps of web_search").click()
        expect(page.get_by_label("Name, or a pattern")).to_have_value("web_search")
        page.click("button:has-text('Take my word back')")
        page.wait_for_selector(".good")
        assert {each["treatment"] for each in policies(api) if each["name"] == "web_search"} == {"cleaner"}
        assert who.problems == []


def test_a_cleaner_that_can_not_be_is_explained(household: Served, visit: Callable[..., Visitor]) -> None:
    who = visit(household)
    who.sign_in()
    page = who.open("/policies?tool=web_search")
    page.get_by_role("textbox", name="Cleaner").fill("jason(content)")
    page.click("button:has-text('See what it would do')")
    page.wait_for_selector(".q-notification:has-text('jason')")


def policies(api) -> list[dict[str, str]]:  # type: ignore[no-untyped-def]
    found: list[dict[str, str]] = api.get("/api/policies").json()["policies"]
    return found
