"""The first minutes with an empty home, in a browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dev.model_server import ModelServer, Say
from tests.server.serving import Served

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.browsing import Visitor


@pytest.mark.slow
def test_the_link_of_the_server_lets_a_browser_in_once(empty_home: Path, visit: Callable[..., Visitor]) -> None:
    with Served(empty_home) as served:
        page = visit(served).page
        page.wait_for_timeout(500)  # the line with the link comes after the token
        link = re.search(r"http://\S+/enter/\S+", "".join(served.stdout))
        assert link is not None
        page.goto(link[0])
        page.wait_for_selector("h1:has-text('Welcome to your home')")
        other = visit(served).page
        other.goto(link[0])
        other.wait_for_selector("[role=alert]:has-text('used already')")


@pytest.mark.slow
def test_a_model_is_set_up_tried_and_talked_to(empty_home: Path, visit: Callable[..., Visitor]) -> None:
    with ModelServer([Say("Hello, I am here.")], key="sesame") as model, Served(empty_home) as served:
        who = visit(served)
        page = who.sign_in()
        who.ready()
        page.get_by_label("Address (base URL)").fill(model.url)
        page.get_by_label("Model", exact=True).fill("small")
        page.get_by_label("Key, if it needs one").fill("wrong")
        page.click("text=Save and try it")
        page.wait_for_selector(".alert")
        assert "sesame" not in page.inner_text(".view")
        page.get_by_label("Key, if it needs one").fill("sesame")
        page.click("text=Save and try it")
        page.wait_for_selector("text=main would answer. Its models: small")
        page.click("text=Say something")
        page.get_by_role("textbox", name="Write a message").fill("Are you there?")
        page.keyboard.press("Enter")
        page.wait_for_selector(".bubble.assistant:has-text('Hello, I am here.')")
        assert "sesame" not in (empty_home / "config.toml").read_text("utf-8")
        assert who.problems == []


@pytest.mark.slow
def test_without_a_model_what_was_said_is_found_again(empty_home: Path, visit: Callable[..., Visitor]) -> None:
    with Served(empty_home) as served:
        who = visit(served)
        page = who.sign_in()
        who.ready()
        page.click("text=Go on offline")
        page.wait_for_selector("text=Nothing was said here yet")
        who.ready()
        box = page.get_by_role("textbox", name="Write a message")
        box.fill("The spare key hangs behind the blue door.")
        page.click("button.send")
        page.wait_for_selector(".bubble.assistant")
        box.fill("Where does the spare key hang?")
        page.click("button.send")
        page.wait_for_selector(".bubble.assistant:has-text('behind the blue door')")
        last = page.locator(".turn").last
        last.locator(".why summary").click()
        assert "The model got it" in last.inner_text()
