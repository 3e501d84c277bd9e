"""The tools against a real agent made with the official SDK (see peer.py), on this machine."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from a2a_home import plugin
from a2a_home.cleaning import words_of_answer
from peer import TRAINS, peer

from homeagent_sdk import CleanerError, function_cleaner
from homeagent_sdk.testing import FakeHost, check_cleaner

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

ANSWER = f"connection\n{TRAINS}\n第二行：二等座\nticket.png\ncurrency: EUR\nprice: 49\nclass: 二等座\nleft: 3.5"


@pytest.fixture
def address() -> Iterator[str]:
    with peer() as running:
        yield running


def run_with(run: Callable[[FakeHost], Awaitable[None]], *, consent: bool = False, **settings: object) -> None:
    async def start() -> None:
        async with FakeHost(plugin, settings=settings, consent=consent) as host:
            await run(host)

    asyncio.run(start())


def words(text: str) -> set[str]:
    return set(words_of_answer(text).splitlines())


def test_an_agent_says_what_it_can_do(address: str) -> None:
    async def run(host: FakeHost) -> None:
        assert (await host.call("a2a_discover")).text == f"trains: {address}"
        assert (await host.call("a2a_discover", agent="trains")).text == (
            "Timetable 2.1\nKnows the trains.\n- Trains: Finds trains. 查火车。"
        )
        assert host.questions == []

    run_with(run, agents={"trains": address})


def test_a_task_comes_back_whole_and_its_cleaner_keeps_words_and_data(address: str) -> None:
    async def run(host: FakeHost) -> None:
        result = await host.call("a2a_query", agent="trains", text="When is the next train?")
        assert not result.error
        found = json.loads(result.text)
        assert found["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
        assert found["task"]["history"][0]["parts"] == [{"text": "When is the next train?"}]
        assert result.attachments[0].data == b"\x89PNG-ticket"
        assert (result.attachments[0].media_type, result.attachments[0].name) == ("image/png", "ticket.png")
        assert "iVBOR" not in result.text
        assert words(result.text) == set(ANSWER.splitlines())
        assert words(json.dumps(found)) == set(ANSWER.splitlines())  # with every letter escaped
        for wrapping in ("task", "artifactId", "TASK_STATE", "contextId", "ROLE_", "mediaType", "next train?"):
            assert wrapping not in words_of_answer(result.text)
        seen = set()
        for cut in range(1, len(result.text), 3):
            seen |= words(result.text[:cut])
        assert all(any(whole.startswith(each) for whole in ANSWER.splitlines()) or each in result.text for each in seen)
        assert TRAINS in seen

    run_with(run, agents={"trains": address})


def test_a_message_comes_back_at_once(address: str) -> None:
    async def run(host: FakeHost) -> None:
        result = await host.call("a2a_query", agent="trains", text="at once please")
        assert set(json.loads(result.text)) == {"agent", "message"}
        assert words_of_answer(result.text) == "轨道 7，09:41 发车。 You said: at once please"

    run_with(run, agents={"trains": address})


def test_what_takes_longer_is_asked_for_again_and_what_is_asked_back_is_answered(address: str) -> None:
    async def run(host: FakeHost) -> None:
        slow = json.loads((await host.call("a2a_query", agent="trains", text="slow one")).text)["task"]
        assert slow["status"]["state"] == "TASK_STATE_WORKING"
        status = await host.call("a2a_status", agent="trains", task_id=slow["id"])
        assert status.text == "working\nlooking it up"
        while status.text.startswith("working"):
            await asyncio.sleep(0.1)
            status = await host.call("a2a_status", agent="trains", task_id=slow["id"])
        assert status.text.startswith(f"completed\n{TRAINS}")
        asked = json.loads((await host.call("a2a_query", agent="trains", text="ask back")).text)["task"]
        assert asked["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
        assert words_of_answer(json.dumps({"task": asked})) == "Which day?"
        again = {"context_id": asked["contextId"], "task_id": asked["id"]}
        done = json.loads((await host.call("a2a_query", agent="trains", text="Friday", **again)).text)["task"]
        assert (done["id"], done["status"]["state"]) == (asked["id"], "TASK_STATE_COMPLETED")
        failed = await host.call("a2a_query", agent="trains", text="fail")
        assert words_of_answer(failed.text) == "没有这趟车 there is no such train"
        unknown = await host.call("a2a_status", agent="trains", task_id="nothing")
        assert unknown.error
        assert "it did not answer" in unknown.text

    run_with(run, agents={"trains": address}, seconds=0.2)


def test_only_agents_of_the_list_are_spoken_to_without_asking(address: str) -> None:
    async def run(host: FakeHost) -> None:
        assert "no agent is called 'weather'" in (await host.call("a2a_query", agent="weather", text="x")).text
        assert "did not agree" in (await host.call("a2a_query", agent=address, text="x")).text
        assert "did not agree" in (await host.call("a2a_discover", agent=address)).text
        assert all(each.endswith(f"\n{address}") for each in host.questions)
        assert len(host.questions) == 2
        host.consent = True
        assert not (await host.call("a2a_discover", agent=address)).error

    run_with(run, agents={"trains": "http://127.0.0.1:9"})


def test_a_card_that_leads_elsewhere_a_wrong_token_and_an_agent_that_is_away() -> None:
    async def elsewhere(host: FakeHost) -> None:
        assert "leads to another host" in (await host.call("a2a_query", agent="x", text="hi")).text

    async def token(host: FakeHost) -> None:
        assert "can't be read" in (await host.call("a2a_query", agent="x", text="hi")).text
        assert not (await host.call("a2a_query", agent="y", text="hi")).error

    async def away(host: FakeHost) -> None:
        assert "can't be read" in (await host.call("a2a_discover", agent="x")).text

    with peer(leads_to="http://169.254.169.254/") as address:
        run_with(elsewhere, agents={"x": address})
    with peer(token="s3cret") as address:
        run_with(token, agents={"x": address, "y": address}, agent_tokens="z=1 y=s3cret")
    run_with(away, agents={"x": "http://127.0.0.1:9"})


def test_errors_and_what_is_no_json() -> None:
    error = json.dumps({"error": [{"field": "agent", "reason": "it did not answer (超时)", "hint": "try again later"}]})
    assert words_of_answer(error) == "it did not answer (超时)\ntry again later"
    with pytest.raises(CleanerError):
        words_of_answer("502 Bad Gateway")
    large = {"task": {"artifacts": [{"parts": [{"text": "x" * 1_000_000, "data": [[[[[[[[[[1]]]]]]]]]]}]}]}}
    assert check_cleaner(function_cleaner(words_of_answer), [json.dumps(large), error]) == []
