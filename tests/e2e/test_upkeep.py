"""Looking after a home on the page: facts put right, people merged, turns shared, settings, backups, plugins, costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from dev.model_server import ModelServer, Say
from tests.plugins.living import installed
from tests.server.serving import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.e2e.browsing import Visitor
    from tests.server.serving import Served

pytestmark = pytest.mark.slow

CODE = """
@tool
def probe_ping(word: str) -> str:
    \"\"\"Say a word back.\"\"\"
    return word

plugin = Plugin("probe", "1.0", tools=[probe_ping])
"""


@pytest.fixture
def owner(signed_in: Callable[[], Visitor]) -> Visitor:
    return signed_in()


def turn_with(household: Served, words: str) -> str:
    with household.client() as api:
        turns = api.get("/api/memory/turns", params={"limit": 50}).json()["turns"]
    return next(str(each["turn"]) for each in turns if words in each["text"])


def test_a_wrong_fact_is_put_right(household: Served, owner: Visitor) -> None:
    page = owner.open("/facts?subject=My sister")
    page.click(".fact:has-text('Zhejiang Museum') summary")
    page.locator(".fact:has-text('Zhejiang Museum')").get_by_label("What is right instead").fill("Suzhou Library")
    page.click(".fact:has-text('Zhejiang Museum') button:has-text('Correct')")
    page.wait_for_selector(".fact.is-holds:has-text('Suzhou Library')")
    with household.client() as api:
        held = api.get("/api/facts", params={"subject": "My sister"}).json()["facts"]
    assert [each["value"] for each in held if each["relation"] == "works_at"] == ["Suzhou Library"]
    assert owner.problems == []


def test_two_names_are_merged_and_taken_apart(household: Served, owner: Visitor) -> None:
    with household.client() as api:
        api.post("/api/memory/turns", json={"text": "Anna is allergic to nuts"}).raise_for_status()
        until(lambda: bool(suggested(api)), 120)  # what is said is read for facts in the background
        page = owner.open("/people")
        page.click("li:has-text('= anna?') button:has-text('They are one')")
        page.wait_for_selector("text=They count as one now")
        assert suggested(api) == []
        page.click("button:has-text('Take it back')")
        page.wait_for_selector("button:has-text('They are one')")
        assert len(suggested(api)) == 1
    assert owner.problems == []


def suggested(api) -> list[object]:  # type: ignore[no-untyped-def]
    found: list[object] = api.get("/api/facts/suggestions").json()["suggestions"]
    return found


def test_a_turn_is_shared_with_a_person_who_then_sees_it(household: Served, owner: Visitor) -> None:
    turn = turn_with(household, "boiler")
    page = owner.open(f"/memory/{turn}")
    page.click("summary:text-is('Share it')")
    page.get_by_label("With a person").fill("anna")
    page.click(".sharing button:has-text('Share')")
    page.wait_for_selector("summary:text-is('Shared with 1')")
    owner.ready()
    with household.client(household.member("anna")) as anna:
        assert anna.get(f"/api/memory/turns/{turn}").status_code == 200
        page.click(".sharing summary")
        page.click("button:has-text('Take it back')")
        page.wait_for_selector("summary:text-is('Share it')")
        assert anna.get(f"/api/memory/turns/{turn}").status_code == 404
    assert owner.problems == []


def test_secrets_are_found_masked_and_lead_to_their_turn(household: Served, owner: Visitor) -> None:
    key = "sk-proj-" + "Ab3" * 14
    with household.client() as api:
        api.post("/api/memory/turns", json={"text": f"The key of the printer is {key}"}).raise_for_status()
    page = owner.open("/forget")
    page.click("button:has-text('Look for secrets')")
    page.wait_for_selector(".secrets-found:has-text('1 place holds a secret')")
    assert key not in page.inner_text(".secrets-found")
    page.click(".secrets-found >> text=Open the turn")
    page.wait_for_selector("section.segment:has-text('The key of the printer')")


def test_a_setting_is_saved_and_a_wrong_one_explained(household: Served, owner: Visitor) -> None:
    page = owner.open("/settings")
    assert "agent.persona" in page.inner_text(".setting:has-text('Who the assistant is')")
    page.get_by_label("Who the assistant is", exact=True).fill("You are Pip.")
    page.get_by_role("button", name="Save: Who the assistant is").click()
    page.wait_for_selector(".q-notification:has-text('Saved: Who the assistant is')")
    page.get_by_label("Rounds of tools in one turn at most", exact=True).fill("many")
    page.get_by_role("button", name="Save: Rounds of tools").click()
    page.wait_for_selector(".q-notification.problem:has-text('rounds')")
    with household.client() as api:
        assert api.get("/api/settings").json()["values"]["agent"]["persona"] == "You are Pip."
    owner.open("/settings")
    page.get_by_role("button", name="Back to the default: Who the assistant is").click()
    page.wait_for_selector(".q-notification:has-text('Who the assistant is')")
    with household.client() as api:
        assert api.get("/api/settings").json()["values"]["agent"]["persona"] == ""


def test_settings_that_arrive_after_the_click_that_saves_them_are_saved(household: Served, owner: Visitor) -> None:
    page = owner.open("/plugins/shell")
    owner.delay_events(1)
    page.get_by_label("Commands that need no asking", exact=True).fill("git status\nuptime")
    page.get_by_role("button", name="Save: Commands that need no asking").click()
    page.wait_for_selector(".q-notification:has-text('Commands that need no asking')")
    owner.open("/plugins/shell")
    assert page.get_by_label("Commands that need no asking", exact=True).input_value() == "git status\nuptime"
    with household.client() as api:
        assert api.get("/api/plugins/shell").json()["values"] == {"allow": ["git status", "uptime"]}
        api.delete("/api/settings/plugins.shell.allow").raise_for_status()


def test_a_choice_that_arrives_after_the_click_holds(owner: Visitor) -> None:
    page = owner.open("/policies?tool=page_read")
    owner.delay_events(1)
    page.get_by_label("What enters memory").select_option("plain")
    page.click("button:has-text('See what it would do')")
    page.wait_for_selector(".trial:has-text('Would bring in words')")


def test_backups_are_downloaded_and_made_by_a_rule(household: Served, owner: Visitor) -> None:
    page = owner.open("/settings")
    with page.expect_download() as started:
        page.click("a:has-text('Download a backup')")
    assert started.value.path().read_bytes().startswith(b"SQLite format 3\x00")
    page.get_by_label("Every so many hours").fill("12")
    page.click("button:has-text('Back up by this rule')")
    page.wait_for_selector(".q-notification:has-text('Backups')")
    with household.client() as api:
        assert api.get("/api/memory/backups").json()["rule"]["hours"] == 12
        owner.open("/settings")
        page.click("button:has-text('No backups by rule')")
        page.wait_for_selector("button:has-text('No backups by rule')", state="detached")
        assert api.get("/api/memory/backups").json()["rule"] is None


def test_a_plugin_of_others_is_agreed_to_and_turned_off(household: Served, owner: Visitor) -> None:
    installed(household.home, CODE)
    page = owner.open("/plugins")
    page.click("a:has-text('probe')")
    page.wait_for_selector("h1:has-text('probe')")
    owner.ready()
    assert "probe_ping" in page.inner_text(".view")
    said = page.inner_text(".setting").splitlines()
    assert (said[0], *(each for each in said[1:] if each)) == ("City", "save", "Save", "Where", "plugins.probe.city")
    page.click("button:has-text('Agree and turn it on')")
    page.wait_for_selector("button:has-text('Turn it off')")
    page.wait_for_selector(".chip:has-text('Healthy')")
    owner.ready()
    page.click("button:has-text('Turn it off')")
    page.wait_for_selector("button:has-text('Agree and turn it on')")
    assert owner.problems == []


def test_what_a_model_used_and_cost_is_listed(household: Served, owner: Visitor) -> None:
    with ModelServer([Say("Good morning.")]) as model, household.client() as api:
        page = owner.open("/models")
        page.get_by_label("Address (base URL)").fill(model.url)
        page.get_by_label("Model", exact=True).fill("small")
        page.click("summary:has-text('What it costs')")
        page.get_by_label("Price of a million tokens in").fill("1000")
        page.get_by_label("Price of a million tokens out").fill("2000")
        page.click("button:has-text('Save and try it')")
        page.wait_for_selector("text=For a million tokens in / out: 1000 / 2000 USD")
        said = {"model": "homeagent", "messages": [{"role": "user", "content": "Good morning"}]}
        api.post("/v1/chat/completions", json=said).raise_for_status()
        owner.open("/models")
        row = cells(page)
        api.delete("/api/sources/main").raise_for_status()
    assert row[1] == "main"
    assert int(row[3].replace(",", "")) > 0
    assert row[5].endswith("USD") and float(row[5].split()[0]) > 0


def cells(page: Page) -> list[str]:
    page.wait_for_selector("tbody tr:has-text('main')")
    return page.locator("tbody tr:has-text('main') td").all_inner_texts()


def test_an_address_that_is_none_is_told_and_leads_on(household: Served, visit: Callable[..., Visitor]) -> None:
    who = visit(household)
    page = who.sign_in()
    page.goto(f"{household.url}/page/nowhere")
    who.ready()
    assert "There is no view at this address" in page.inner_text("[role=alert]")
    page.click("[role=alert] a:has-text('Search and explain')")
    page.wait_for_selector("h1:has-text('Search and explain')")


def test_a_policy_that_is_set_is_followed_until_all_is_computed(household: Served, owner: Visitor) -> None:
    page = owner.open("/policies?tool=page_read")
    page.get_by_label("What enters memory").select_option("hidden")
    page.click("button:has-text('See what it would do')")
    page.click("button:has-text('Set this policy')")
    page.wait_for_selector("[role=status]:has-text('Done: everything is computed')")
    expect(page.locator(".policy:has-text('page_read') .chip")).to_have_text("Nothing (hidden)")
    with household.client() as api:
        api.delete("/api/policies/tool/page_read").raise_for_status()
