"""Several sources: who is asked, who is passed over and for how long, and changes while it runs."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

import pytest

from homeagent.errors import ConfigError
from homeagent.models import (
    BrokenReplyError,
    ContextTooLongError,
    KeyMissingError,
    KeyRefusedError,
    ModelError,
    NoSourceError,
    OpenAICompatibleModel,
    RequestRefusedError,
    Router,
    complete,
)
from tests.models.server import CUT, Answer, FakeServer, asked, delta, in_loop, no_wait, refuses, says

TOO_LONG = refuses(400, "context_length_exceeded")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def routed(first: tuple[Answer, ...], second: tuple[Answer, ...] = (says("spare"),), **settings):
    """Give a router over two servers, the servers, and the clock."""
    async with FakeServer(*first) as home, FakeServer(*second) as cloud:
        clock = Clock()
        sources = [home.source(**settings), cloud.source(name="cloud", window_tokens=100_000)]
        router = Router(sources, clock=clock, make=lambda source: OpenAICompatibleModel(source, sleep=no_wait))
        yield router, home, cloud, clock
        await router.close()


async def text_of(router) -> str:
    return (await complete(router, asked())).message.text


def states(router) -> list[str]:
    return [status.state for status in router.status()]


@in_loop
async def test_the_first_source_answers_and_gives_the_router_its_name_and_window() -> None:
    async with routed((says("first"),), takes=frozenset({"image/*"})) as (router, _, cloud, _):
        assert await text_of(router) == "first"
        assert (router.name, router.window_tokens, router.takes) == ("home", 32_768, {"image/*"})
        assert states(router) == ["ready", "ready"]
        assert cloud.requests == []


@pytest.mark.parametrize("failure", [refuses(500), refuses(429), refuses(404), refuses(402), Answer((CUT,)), Answer()])
@in_loop
async def test_a_failing_source_is_passed_over_and_rests(failure) -> None:
    async with routed((failure, says("first again"))) as (router, home, _, clock):
        reply = await complete(router, asked())
        assert reply.message.text == "spare"
        assert (reply.source, router.name, router.window_tokens) == ("cloud", "cloud", 100_000)
        assert reply.notes[0].startswith("home was passed over: ")
        assert await text_of(router) == "spare"
        assert (len(home.requests), states(router)) == (1, ["resting", "ready"])
        clock.now += 601
        assert await text_of(router) == "first again"
        assert (states(router), router.status()[0].problem) == (["ready", "ready"], None)


@in_loop
async def test_rest_is_doubled_with_each_failure_up_to_ten_minutes() -> None:
    async with routed((refuses(500),)) as (router, _, _, clock):
        rests = []
        for _ in range(7):
            await text_of(router)
            rests.append(router.status()[0].rests_for)
            clock.now += rests[-1]
    assert rests == [30, 60, 120, 240, 480, 600, 600]


@in_loop
async def test_a_busy_source_rests_as_long_as_it_asked_for() -> None:
    async with routed((refuses(429, retry_after="90"),)) as (router, _, _, _):
        await text_of(router)
        assert router.status()[0].rests_for == 90


@in_loop
async def test_a_resting_source_is_asked_when_no_other_is_left() -> None:
    async with routed((refuses(500), says("back")), (refuses(500),)) as (router, _, _, _):
        with pytest.raises(NoSourceError) as caught:
            await text_of(router)
        assert await text_of(router) == "back"

    assert "home: failed with status 500 (no); cloud: failed with status 500" in caught.value.problem
    assert len(caught.value.problems) == 2


@in_loop
async def test_a_refused_key_is_not_asked_again_until_it_changes(monkeypatch) -> None:
    monkeypatch.setenv("HOME_KEY", "old")
    async with routed((refuses(401), says("first")), key_env="HOME_KEY") as (router, home, _, clock):
        assert [await text_of(router), await text_of(router)] == ["spare", "spare"]
        clock.now += 10_000
        assert await text_of(router) == "spare"
        assert (len(home.requests), states(router)) == (1, ["key refused", "ready"])
        monkeypatch.setenv("HOME_KEY", "new")
        assert states(router) == ["ready", "ready"]
        assert await text_of(router) == "first"


@in_loop
async def test_a_missing_key_is_passed_over_until_it_is_there(monkeypatch) -> None:
    monkeypatch.delenv("HOME_KEY", raising=False)
    async with routed((says("first"),), key_env="HOME_KEY") as (router, home, _, _):
        assert await text_of(router) == "spare"
        assert (states(router), home.requests) == (["key missing", "ready"], [])
        assert isinstance(router.status()[0].problem, KeyMissingError)
        monkeypatch.setenv("HOME_KEY", "new")
        assert await text_of(router) == "first"
        assert router.status()[0].problem is None


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(refuses(401), KeyRefusedError), (refuses(400), RequestRefusedError), (TOO_LONG, ContextTooLongError)],
)
@in_loop
async def test_the_only_source_speaks_for_itself(answer, kind) -> None:
    async with FakeServer(answer) as server:
        router = Router([server.source()])
        for _ in range(2):
            with pytest.raises(kind):
                await text_of(router)
        await router.close()


@in_loop
async def test_without_a_source_it_says_so() -> None:
    with pytest.raises(NoSourceError, match="no source of a model"):
        await text_of(Router([]))
    assert (Router([]).name, Router([]).takes) == ("no source", frozenset())


@in_loop
async def test_what_is_too_long_goes_only_to_a_larger_window() -> None:
    async with routed((TOO_LONG,)) as (router, _, cloud, _):
        assert await text_of(router) == "spare"
        assert states(router) == ["ready", "ready"]
        small = cloud.source(name="small", window_tokens=4096)
        router.replace([small, replace(small, name="smaller", window_tokens=2048)])
        cloud.answers = [TOO_LONG]
        before = len(cloud.requests)
        with pytest.raises(ContextTooLongError):
            await text_of(router)
        assert len(cloud.requests) == before + 1


@in_loop
async def test_after_the_first_token_nobody_else_is_asked() -> None:
    async with routed((Answer((delta(content="half"), CUT)),)) as (router, _, cloud, _):
        with pytest.raises(BrokenReplyError) as caught:
            await text_of(router)
        assert caught.value.partial.text == "half"
        assert (cloud.requests, states(router)) == ([], ["resting", "ready"])


# -- changes while it runs --------------------------------------------------------------------------------------------


@in_loop
async def test_sources_are_replaced_while_a_stream_runs() -> None:
    long = Answer((delta(content="a"), 0.2, delta(content="b"), delta("stop")))
    async with routed((long,), (says("new"),)) as (router, _, cloud, _), aclosing(router.stream(asked())) as events:
        first = await anext(events)
        router.replace([cloud.source(name="cloud")])
        assert await text_of(router) == "new"
        rest = [event async for event in events]
    assert (first.text, rest[-1].message.text) == ("a", "ab")


@in_loop
async def test_an_unchanged_source_keeps_its_standing_and_a_changed_one_begins_anew() -> None:
    async with routed((refuses(401), says("mended"))) as (router, home, cloud, _):
        assert await text_of(router) == "spare"
        sources = [home.source(), cloud.source(name="cloud", window_tokens=100_000)]
        router.replace(sources)
        assert states(router) == ["key refused", "ready"]
        router.replace([replace(sources[0], model="other"), sources[1]])
        assert states(router) == ["ready", "ready"]
        assert await text_of(router) == "mended"


@in_loop
async def test_two_sources_of_one_name_are_refused_and_nothing_changes() -> None:
    async with routed((says("first"),)) as (router, home, _, _):
        with pytest.raises(ConfigError, match="two are called 'home'"):
            router.replace([home.source(), home.source(model="other")])
        assert await text_of(router) == "first"


# -- what doctor asks -------------------------------------------------------------------------------------------------


@in_loop
async def test_sources_are_checked_without_a_paid_call() -> None:
    listing = Answer((b'{"data": [{"id": "tiny:latest", "meta": {"n_ctx": 4096}}, {"id": "big"}]}',))
    async with FakeServer(listing=listing) as server:
        router = Router([server.source(), server.source(name="wrong", model="huge")])
        good, wrong = await router.check()
        await router.close()

    assert (good.source, good.problem, good.models, good.window_tokens) == ("home", None, ("big", "tiny:latest"), 4096)
    assert wrong.problem.problem == "the server has no model huge"
    assert "big, tiny:latest" in wrong.problem.next_step
    assert {(request.method, request.path) for request in server.requests} == {("GET", "/v1/models")}


@pytest.mark.parametrize(
    ("listing", "said"),
    [
        (refuses(401, "bad key"), "refused with status 401"),
        (Answer((b"<html>",)), "no JSON"),
        (Answer((CUT,)), "can't be reached"),
        (Answer((60.0,)), "no answer within 0.4 s"),
        (refuses(500), "failed with status 500"),
    ],
)
@in_loop
async def test_a_check_tells_what_is_wrong(listing, said) -> None:
    async with FakeServer(listing=listing) as server:
        source = server.source()
        if listing.parts == (60.0,):
            source = replace(source, timeouts=replace(source.timeouts, connect=0.2))
        router = Router([source])
        [found] = await router.check()
        await router.close()

    assert isinstance(found.problem, ModelError)
    assert said in found.problem.problem


@in_loop
async def test_a_server_without_a_list_is_not_blamed_and_a_good_check_ends_the_rest() -> None:
    async with routed((refuses(401), says("first"))) as (router, home, _, _):
        home.listing = refuses(404)
        assert await text_of(router) == "spare"
        assert states(router) == ["key refused", "ready"]
        found, _ = await router.check()
        assert (found.problem, found.note[:19]) == (None, "it lists no models,")
        assert await text_of(router) == "first"


@in_loop
async def test_checks_run_at_the_same_time() -> None:
    async with FakeServer(listing=Answer((0.5, b'{"data": []}'))) as server:
        router = Router([server.source(name=f"s{number}") for number in range(5)])
        start = asyncio.get_running_loop().time()
        await router.check()
        assert asyncio.get_running_loop().time() - start < 2.2
        await router.close()
