"""For everybody: screen readers, keyboards, phones, light and dark, Chinese and English; and nothing from elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from homeagent.server.page.views import VIEWS
from tests.e2e.browsing import NARROW, WIDE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.browsing import Visitor
    from tests.server.serving import Served

pytestmark = pytest.mark.slow

ADDRESSES = [each.path for each in VIEWS if "{" not in each.path]


def a_turn(household: Served) -> str:
    with household.client() as api:
        turns = api.get("/api/memory/turns", params={"limit": 50}).json()["turns"]
    return next(str(each["turn"]) for each in turns if "Who am I" in each["text"])


def addresses(household: Served) -> list[str]:
    return [*ADDRESSES, f"/memory/{a_turn(household)}", "/plugins/shell", "/search?q=sister museum"]


@pytest.mark.parametrize(("width", "dark", "zh"), [(WIDE, False, False), (NARROW, True, True)])
def test_axe_finds_nothing_serious_and_the_chinese_page_has_no_english_left(
    household: Served, visit: Callable[..., Visitor], width: int, dark: bool, zh: bool
) -> None:
    who = visit(household, width=width, dark=dark, zh=zh)
    found: list[str] = []
    who.page.goto(f"{household.url}/page/sign-in")
    found += serious(who, "/sign-in")
    who.sign_in()
    for address in addresses(household):
        who.open(address)
        who.page.wait_for_timeout(500)
        found += serious(who, address)
        assert who.fits(), f"{address} sticks out at {width}"
        if zh and not address.startswith("/search?"):
            assert english_left(who) == [], address
    assert found == []
    assert who.problems == []
    assert who.elsewhere == []


def serious(who: Visitor, address: str) -> list[str]:
    found = Axe().run(who.page).response["violations"]
    return [
        f"{address} {each['id']}: {[node['html'][:160] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def english_left(who: Visitor) -> list[str]:
    """Return the English phrases on a Chinese page that nobody said and no program wrote."""
    assert who.page.get_attribute("html", "lang") == "zh-CN"
    shown = who.page.evaluate(
        "() => { const copy = document.body.cloneNode(true); copy.querySelectorAll('.said, .text, .output, .chip, "
        "code, pre, select, dd, q, strong, .line, .place, .chat-entry, [lang=en], script, style, .material-icons, .nicegui-"
        "error-popup').forEach(each => each.remove()); return copy.textContent; }"
    )
    return re.findall(r"[A-Za-z]{3,}(?:[ ,]+[A-Za-z]{2,}){3,}", shown)


def test_the_language_and_the_theme_can_be_switched(household: Served, visit: Callable[..., Visitor]) -> None:
    who = visit(household)
    who.sign_in()
    page = who.open("/policies")
    page.click("a.language")
    page.wait_for_selector("h1:has-text('记忆策略')")
    who.ready()
    page.click("a[title^='主题']")
    page.wait_for_selector("body.body--dark")
    page.click("a.language")
    page.wait_for_selector("h1:has-text('Policies')")
    page.wait_for_selector("body.body--dark")


def test_one_can_talk_with_the_keyboard_alone(household: Served, visit: Callable[..., Visitor]) -> None:
    who = visit(household)
    page = who.sign_in()
    who.ready()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "Write a message…":
            break
    page.keyboard.type("The attic window is open.")
    page.keyboard.press("Enter")
    page.wait_for_selector(".bubble.assistant")


def test_documents_say_what_they_may_load(household: Served) -> None:
    with household.client(token="") as anybody:
        answer = anybody.get("/page/sign-in")
    rules = answer.headers["content-security-policy"]
    assert "default-src 'none'" in rules
    assert "'unsafe-inline'" not in rules.partition("script-src")[2].partition(";")[0]
    nonce = re.search(r"'nonce-([\w-]+)'", rules)
    assert nonce is not None
    scripts = re.findall(r"<script[^>]*>", answer.text)
    assert scripts
    assert all(f'nonce="{nonce[1]}"' in each for each in scripts)


def test_nothing_is_shown_to_whoever_is_not_signed_in(household: Served) -> None:
    with household.client(token="") as anybody:
        for address in addresses(household):
            answer = anybody.get(f"/page{address}")
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/page/sign-in")
        assert anybody.get("/page/choose?to=//example.test/&theme=dark").headers["location"] == "/page/"
