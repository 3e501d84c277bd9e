"""Talking on the page: streams, tools, stopping, trying again, incognito, files, several chats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from dev.model_server import Call, ModelServer, Say
from tests.e2e.browsing import NARROW, WIDE
from tests.e2e.conftest import QUICK
from tests.server.serving import Served, configured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.e2e.browsing import Visitor

pytestmark = pytest.mark.slow


class Talking:
    """A home with a model that says what a test hands it."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def with_answers(self, *answers: Say | Call) -> tuple[ModelServer, Served]:
        model = ModelServer(answers)
        configured(self.home, f"{QUICK}\n[models.main]\nbase_url = '{model.url}'\nmodel = 'small'\n")
        return model, Served(self.home)


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ModelServer, Served]]:
    """A home and its model, shared by tests with one answer each: what the home asks the model by itself may get it too."""
    model, served = Talking(tmp_path_factory.mktemp("talks") / "home").with_answers(Say("Nothing to say."))
    with model, served:
        yield model, served


@pytest.fixture
def answering(talks: tuple[ModelServer, Served], visit: Callable[..., Visitor]) -> Callable[..., Visitor]:
    """Let the model of the shared home give this answer; return the owner in front of a new chat."""

    def begun(answer: Say) -> Visitor:
        model, served = talks
        model.script([answer])
        who = visit(served)
        who.sign_in()
        who.ready()
        return who

    return begun


@pytest.fixture
def talking(tmp_path: Path) -> Iterator[Talking]:
    yield Talking(tmp_path / "home")


def say(who: Visitor, words: str) -> None:
    who.page.get_by_role("textbox", name="Write a message").fill(words)
    who.page.keyboard.press("Enter")


def test_a_tool_asks_runs_and_is_shown(talking: Talking, visit: Callable[..., Visitor]) -> None:
    answers = (Call("cmd_run", {"command": "echo lantern && sleep 0.3"}), Say("It printed lantern."))
    model, served = talking.with_answers(*answers)
    with model, served:
        who = visit(served)
        who.sign_in()
        who.ready()
        say(who, "Please run it")
        who.page.wait_for_selector("[role=alertdialog]:has-text('echo lantern')")
        who.page.click("[role=alertdialog] >> text=Yes, do it")
        who.page.wait_for_selector(".bubble.assistant:has-text('It printed lantern.')")
        who.page.click(".tool summary:has-text('cmd_run')")
        assert "lantern" in who.page.inner_text(".tool .output >> nth=-1")
        assert "Done in" in who.page.inner_text(".tool")
        who.picture("chat-tool-1280-light-en")
        who.page.click("text=What memory makes of it")
        who.page.wait_for_selector("section.segment.is-hidden:has-text('cmd_run')")
        assert who.problems == []


def test_a_refused_question_stops_the_tool(talking: Talking, visit: Callable[..., Visitor]) -> None:
    model, served = talking.with_answers(Call("cmd_run", {"command": "touch made"}), Say("Then I leave it."))
    with model, served:
        who = visit(served)
        who.sign_in()
        who.ready()
        say(who, "Please make the file")
        who.page.click("[role=alertdialog] >> button:has-text('No')")
        who.page.wait_for_selector(".bubble.assistant:has-text('Then I leave it.')")
        assert who.page.locator(".tool.failed").count() == 1


def test_an_answer_streams_is_stopped_and_tried_again(talking: Talking, visit: Callable[..., Visitor]) -> None:
    slow = Say(" ".join(f"word{number}" for number in range(200)), seconds=0.05)
    model, served = talking.with_answers(slow, Say("Shorter now."))
    with model, served:
        who = visit(served)
        who.sign_in()
        who.ready()
        say(who, "Tell me a lot")
        who.page.wait_for_selector(".bubble.assistant:has-text('word3')")
        for width in (WIDE, NARROW):
            who.page.set_viewport_size({"width": width, "height": 740})
            who.page.wait_for_function(_STOP_STANDS_BESIDE_SEND)
        who.page.click("button.stop")
        who.page.wait_for_selector("text=Interrupted")
        assert "word199" not in who.page.inner_text(".log")
        who.page.click("text=Take back and try again")
        who.page.wait_for_selector(".bubble.assistant:has-text('Shorter now.')")
        who.page.reload()
        who.page.wait_for_selector("text=Shorter now.")


_STOP_STANDS_BESIDE_SEND = """() => {
    const [stop, send] = ['stop', 'send'].map(each => document.querySelector('button.' + each).getBoundingClientRect());
    const fits = document.documentElement.scrollWidth <= window.innerWidth;
    return fits && stop.width > 0 && stop.top === send.top && stop.right <= send.left && send.right <= window.innerWidth;
}"""


def test_incognito_leaves_nothing_on_the_disk(talking: Talking, visit: Callable[..., Visitor]) -> None:
    model, served = talking.with_answers(Say("I keep quiet about zanzibarium."))
    with model, served:
        who = visit(served)
        who.sign_in()
        who.ready()
        who.page.get_by_role("switch", name="Incognito").click()
        who.page.wait_for_selector("text=nothing that is said now is kept")
        say(who, "My secret word is zanzibarium")
        who.page.wait_for_selector(".bubble.assistant:has-text('zanzibarium')")
        who.picture("chat-incognito-1280-light-en")
        who.open("/memory")
        assert "zanzibarium" not in who.page.inner_text("body")
    found = [path for path in talking.home.rglob("*") if path.is_file() and b"zanzibarium" in path.read_bytes()]
    assert found == []


def test_files_go_along_and_chats_are_kept_apart(
    talking: Talking, visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    note = tmp_path / "list.txt"
    note.write_text("apples\npears\n", encoding="utf-8")
    model, served = talking.with_answers(Say("Got the list."))
    with model, served:
        who = visit(served)
        who.sign_in()
        who.ready()
        with who.page.expect_file_chooser() as chooser:
            who.page.click("text=Attach a file")
        chooser.value.set_files(note)
        who.page.wait_for_selector(".files :has-text('list.txt')")
        say(who, "Here is my list")
        who.page.wait_for_selector(".bubble.user:has-text('list.txt')")
        who.page.wait_for_selector(".bubble.assistant:has-text('Got the list.')")
        who.page.click(".chats >> text=New chat")
        who.page.wait_for_selector("text=Nothing was said here yet")
        assert who.page.locator(".chats .chat-entry").count() == 1
        who.page.click(".chats .chat-entry")
        who.page.wait_for_selector(".bubble.user:has-text('list.txt')")


def test_what_a_model_writes_never_runs(answering: Callable[..., Visitor]) -> None:
    hostile = (
        '<img src=x onerror="window.broken=1"> <script>window.broken=1</script> [press](javascript:window.broken=1) '
        "[fine](https://example.test/) **bold** ![pic](http://example.test/track.png)\n\n```\n<b>code</b>\n```"
    )
    who = answering(Say(hostile))
    say(who, hostile)
    who.page.wait_for_selector(".bubble.assistant strong:has-text('bold')")
    who.page.reload()
    who.page.wait_for_selector(".bubble.assistant strong:has-text('bold')")
    assert who.page.evaluate("() => window.broken") is None
    assert who.page.locator(".log img, .log script, .log b").count() == 0
    links = who.page.locator(".log a[target=_blank]").evaluate_all("all => all.map(each => each.href)")
    assert links == ["https://example.test/"]
    assert who.elsewhere == []


def test_an_answer_marked_up_without_end_is_shown_as_it_stands(answering: Callable[..., Visitor]) -> None:
    endless = "*a **b " * 1000 + "c** d* " * 1000
    who = answering(Say(endless))
    say(who, "Write that")
    who.page.wait_for_selector(".bubble.assistant .markup p.said:has-text('*a **b *a **b')")
    who.page.reload()
    who.page.wait_for_selector(".bubble.assistant .markup p.said:has-text('*a **b *a **b')")
    assert who.page.locator(".log em").count() == 0


def test_what_is_sent_before_the_box_was_told_of_it_arrives_whole_and_once(answering: Callable[..., Visitor]) -> None:
    who = answering(Say("You said it."))
    box = who.page.get_by_role("textbox", name="Write a message")
    who.delay_events(1)
    say(who, "Are you there already?")
    who.page.wait_for_selector(".bubble.assistant:has-text('You said it.')")
    expect(box).to_have_value("")
    box.fill("And a second time?")
    who.page.click("button.send")
    who.page.wait_for_selector(".bubble.user:has-text('And a second time?')")
    said = who.page.locator(".bubble.user").all_inner_texts()
    assert [each.splitlines()[-1] for each in said] == ["Are you there already?", "And a second time?"]


def test_a_message_is_private_although_its_switch_arrives_after_it(answering: Callable[..., Visitor]) -> None:
    who = answering(Say("Nobody will know."))
    who.page.get_by_role("textbox", name="Write a message").fill("A secret.")
    who.delay_events(1)
    who.page.get_by_role("switch", name="Incognito").click()
    who.page.get_by_role("textbox", name="Write a message").press("Enter")
    who.page.wait_for_selector(".bubble.assistant:has-text('Nobody will know.')")
    assert who.page.locator(".turn.private .bubble.user:has-text('A secret.')").count() == 1
    with who.served.client() as api:
        assert "A secret." not in api.get("/api/memory/turns").text
