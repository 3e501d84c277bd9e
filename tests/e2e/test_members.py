"""A member of the household sees what is theirs on every view, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from homeagent.server.page.views import VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.browsing import Visitor
    from tests.server.serving import Served

pytestmark = pytest.mark.slow

OWNERS = ("Suzhou", "boiler", "小林", "花生", "Zhejiang", "uid=0", "West Lake", "onerror")
ANNAS = "surprise party"


@pytest.fixture(scope="module")
def token(household: Served) -> str:
    return household.member("anna")


@pytest.fixture
def anna(signed_in: Callable[..., Visitor], token: str) -> Visitor:
    return signed_in(token)


@pytest.mark.parametrize("view", [each.path for each in VIEWS if "{" not in each.path])
def test_no_view_shows_a_member_what_is_not_theirs(anna: Visitor, view: str) -> None:
    page = anna.open(view)
    page.wait_for_timeout(700)
    shown = page.inner_text("body")
    assert [word for word in OWNERS if word in shown] == []


def test_views_of_the_owner_are_refused_and_not_named(anna: Visitor) -> None:
    for view in (each for each in VIEWS if each.owner and "{" not in each.path):
        page = anna.open(view.path)
        assert "for the owner of the home only" in page.inner_text("[role=alert]")
        assert page.locator(f"nav a[href='/page{view.path}']").count() == 0


def test_a_member_sees_their_own_turns(anna: Visitor) -> None:
    page = anna.open("/memory")
    page.wait_for_selector(f"a.turn-entry:has-text('{ANNAS}') .place:has-text('I am planning a surprise party')")
    page = anna.open("/search?q=surprise party June")
    page.wait_for_selector(f".hit:has-text('{ANNAS}')")


def test_a_member_can_not_open_search_or_take_back_what_is_anothers(household: Served, anna: Visitor) -> None:
    with household.client() as owner:
        turns = owner.get("/api/memory/turns", params={"limit": 50}).json()["turns"]
    other = next(each["turn"] for each in turns if "boiler" in each["text"])
    page = anna.open(f"/memory/{other}")
    assert "is not in this home" in page.inner_text("[role=alert]")
    page = anna.open("/search")
    page.get_by_label("Words of it").fill("boiler was serviced")
    page.click("button:has-text('Find out')")
    page.wait_for_selector("text=These words stand nowhere")
    page = anna.open("/forget")
    page.get_by_label("Turns, by number").fill(other)
    page.click("button:has-text('Show what that is')")
    page.wait_for_selector(".q-notification:has-text('is not in this home')")
    assert page.locator(".results button").count() == 0
    assert page.locator("button:has-text('Erase')").count() == 0


def test_a_token_that_is_taken_back_ends_an_open_page(household: Served, visit: Callable[..., Visitor]) -> None:
    who = visit(household)
    who.sign_in(household.member("bert"))
    page = who.open("/search")
    with household.client() as owner:
        for each in owner.get("/api/tokens").json()["tokens"]:
            if each["person"] == "bert":
                owner.delete(f"/api/tokens/{each['id']}")
    page.get_by_label("A question, or words").fill("anything")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sign-in")
