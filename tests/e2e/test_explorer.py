"""Looking into the memory: long lists, raw beside computed, reasons, facts, the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import QUICK
from tests.e2e.household import fill_long
from tests.server.serving import Served, configured

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.browsing import Visitor

pytestmark = pytest.mark.slow


@pytest.fixture
def owner(signed_in: Callable[..., Visitor]) -> Visitor:
    return signed_in()


def test_a_turn_shows_raw_beside_computed_with_the_reason(owner: Visitor) -> None:
    page = owner.open("/memory")
    page.click("a.turn-entry:has-text('Who am I on this machine?')")
    hidden = page.locator("section.segment.is-hidden")
    hidden.wait_for()
    assert "Not in memory" in hidden.inner_text()
    assert "declared by its plugin" in hidden.inner_text()
    assert "no word of it is in memory" in hidden.inner_text()
    assert "spool-23" in hidden.locator("del.cut").inner_text()
    reply = page.locator("section.segment.is-quote")
    assert "uid=0(root) gid=0(root) groups=0(root)" in reply.locator("del.cut").inner_text()
    assert "copied from a hidden output" in reply.inner_text()
    assert "uid 0 is the superuser" in reply.locator(".side.computed").inner_text()
    assert "gid=0" not in reply.locator(".side.computed").inner_text()
    assert owner.problems == []


def test_of_a_cleaned_output_only_what_the_cleaner_left_is_computed(owner: Visitor) -> None:
    page = owner.open("/memory")
    page.click("a.turn-entry:has-text('weather')")
    cleaned = page.locator("section.segment.is-cleaned")
    cleaned.wait_for()
    assert "8f2c41d09ab34e7f" in cleaned.locator(".side.raw").inner_text()
    assert "8f2c41d09ab34e7f" not in cleaned.locator(".side.computed").inner_text()
    assert "light rain on Sunday" in cleaned.locator(".side.computed").inner_text()


def test_chats_are_called_by_what_was_said_first_in_them(owner: Visitor) -> None:
    page = owner.open("/memory")
    row = page.locator("a.turn-entry:has-text('moved to Suzhou') .place")
    expect(row).to_have_text("owner · I live in Hangzhou. · api")
    expect(row).to_have_attribute("title", "api/owner/house")
    page.get_by_label("Chat").select_option(label="Dinner on Friday at seven at Grandma's? · telegram (1)")
    page.wait_for_selector("p[role=status]:has-text('All 1 turn')")
    page.click("a.turn-entry")
    page.wait_for_selector("dd:has-text('Dinner on Friday at seven')")
    page = owner.open("/search?q=Where is the boiler serviced?")
    page.wait_for_selector(".hit a:has-text('I live in Hangzhou. · api')")


def test_hostile_text_of_a_page_stays_text(owner: Visitor) -> None:
    page = owner.open("/memory")
    page.click("a.turn-entry:has-text('Read me that page')")
    page.wait_for_selector("section.segment:has-text('onerror')")
    assert page.evaluate("() => window.broken") is None
    assert page.locator(".view img, .view script").count() == 0
    page = owner.open("/search?q=onerror broken page")
    page.wait_for_selector(".hits .hit")
    assert page.evaluate("() => window.broken") is None
    assert owner.elsewhere == []


def test_every_hit_says_what_speaks_for_it(owner: Visitor) -> None:
    page = owner.open("/search")
    page.get_by_label("A question, or words").fill("Where does my sister work?")
    page.keyboard.press("Enter")
    first = page.locator(".hits .hit").first
    first.wait_for()
    assert "Zhejiang Museum" in page.inner_text(".hits")
    assert first.locator(".chip.is-reason").count() > 0


def test_one_finds_out_why_a_sentence_is_not_in_memory(owner: Visitor) -> None:
    page = owner.open("/search")
    page.get_by_label("Words of it").fill("drwxr-xr-x 2 root root")
    page.click("button:has-text('Find out')")
    spot = page.locator(".hits .hit").first
    spot.wait_for()
    assert "Not in memory" in spot.inner_text()
    assert "declared by its plugin" in spot.inner_text()
    assert spot.locator("a:has-text('Change what memory keeps of cmd_run')").count() == 1
    page.get_by_label("Words of it").fill("never said by anybody here")
    page.click("button:has-text('Find out')")
    page.wait_for_selector("text=These words stand nowhere")


def test_a_fact_leads_to_the_words_that_say_it(owner: Visitor) -> None:
    page = owner.open("/facts?subject=me")
    fact = page.locator(".fact:has-text('Suzhou')").first
    fact.wait_for()
    assert page.locator(".fact.is-over:has-text('Hangzhou')").count() == 1
    assert fact.locator(".track .span").count() == 1
    fact.locator("summary").click()
    assert "I moved to Suzhou last month" in fact.inner_text()
    fact.locator("a:has-text('Open the turn')").click()
    page.wait_for_selector("section.segment:has-text('I moved to Suzhou')")


def test_the_graph_is_drawn_and_listed(owner: Visitor) -> None:
    page = owner.open("/graph")
    page.wait_for_selector(".graph svg")
    page.click("text=The same as a list")
    assert "小林" in page.inner_text(".disclosure")
    assert owner.problems == []


def test_conversations_are_put_away_in_documents(owner: Visitor) -> None:
    page = owner.open("/documents")
    page.click("button:has-text('Put finished turns away now')")
    page.wait_for_selector("ul.cards .card a")
    page.click("ul.cards .card a >> nth=0")
    page.wait_for_selector("h2:has-text('Word for word')")


def test_who_is_who_can_be_said_and_taken_back(owner: Visitor) -> None:
    page = owner.open("/people")
    page.get_by_label("Channel").fill("telegram")
    page.get_by_label("Sender").fill("u-anna")
    page.get_by_label("is this person").fill("anna")
    page.click("button:has-text('Link')")
    page.wait_for_selector(".card:has-text('telegram/u-anna'):has(h2:text-is('anna'))")
    owner.ready()
    page.get_by_role("button", name="Unlink telegram/u-anna").click()
    page.wait_for_selector(".card:has-text('telegram/u-anna'):not(:has(h2:text-is('anna')))")


def test_everything_can_be_taken_along(owner: Visitor) -> None:
    page = owner.open("/memory")
    with page.expect_download() as download:
        page.click("text=Export everything")
    assert "我妹妹叫小林" in download.value.path().read_text("utf-8")


def test_thousands_of_turns_scroll_to_the_oldest(tmp_path: Path, visit: Callable[..., Visitor]) -> None:
    home = configured(tmp_path / "home", QUICK)
    fill_long(home, 3_000)
    with Served(home) as served:
        who = visit(served)
        who.sign_in()
        page = who.open("/memory")
        page.wait_for_selector("a.turn-entry:has-text('Note 2999:')")
        for _ in range(200):
            page.evaluate("() => { const list = document.querySelector('.timeline-scroll'); list.scrollTop = 1e9; }")
            if page.locator("text=All 3,000 turns").count():
                break
            page.wait_for_timeout(50)
        page.evaluate("() => { const list = document.querySelector('.timeline-scroll'); list.scrollTop = 1e9; }")
        page.wait_for_selector("a.turn-entry:has-text('Note 0:')")
        assert page.locator("a.turn-entry").count() < 200  # only what is on view is in the document
        assert who.problems == []
