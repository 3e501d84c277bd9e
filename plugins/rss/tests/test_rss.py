"""Subscriptions against a web server on this machine that stands in for the feeds of others (see standin.py)."""

from __future__ import annotations

import asyncio
import socket
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from rss import plugin
from rss.fetching import FetchError, check_address
from rss.reader import Reader
from rss.settings import RssSettings
from rss.store import Chat, Store
from standin import MODIFIED, rss, standing_in

from homeagent_sdk.calling import call_tool
from homeagent_sdk.testing import FakeContext, FakeHost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from http.server import ThreadingHTTPServer
    from pathlib import Path

    from rss.store import Subscription

ONE = ("1", "First item", "It <b>began</b>.")
TWO = ("2", "第二条", "正文在这里。")
THREE = ("3", "Third item", "More.")
ALL = RssSettings(allow_private=True, shortest_minutes=0.01)


@pytest.fixture
def web() -> Iterator[ThreadingHTTPServer]:
    with standing_in() as server:
        yield server


def with_host(folder: Path, run: Callable[[FakeHost], Awaitable[None]], **settings: object) -> None:
    async def start() -> None:
        given = {"allow_private": True, "shortest_minutes": 0.001, **settings}
        async with FakeHost(plugin, settings=given, data_folder=folder, consent=True) as host:
            await run(host)

    asyncio.run(start())


def put(web: ThreadingHTTPServer, name: str, text: str) -> None:
    web.feeds[name] = text.encode()


async def until(found: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not found():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_new_items_come_once_and_what_was_there_before_does_not(web: ThreadingHTTPServer, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        put(web, "news", rss("News", ONE))
        subscribed = await host.call("rss_subscribe", address=f"{web.url}/news", minutes=60)
        assert subscribed.text == "Feed 1: News, looked at every 60 minutes. In it now:\n- First item"
        assert len(host.questions) == 1
        assert (await host.call("rss_check_now")).text == "News: 0 new"
        assert host.injected == []
        put(web, "news", rss("News", TWO, ONE))
        assert (await host.call("rss_check_now")).text == "News: 1 new"
        assert (await host.call("rss_check_now")).text == "News: 0 new"
        (message,) = host.injected
        assert message.text == "「News」有 1 条新内容：\n\n1. 第二条\nhttps://example.org/2\n正文在这里。"
        assert (message.channel, message.chat, message.no_memory) == ("test", "main", True)
        assert f"1. News: every 60 minutes {web.url}/news" in (await host.call("rss_list")).text

    with_host(tmp_path, run)


def test_only_what_has_changed_is_fetched(web: ThreadingHTTPServer, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        put(web, "news", rss("News", ONE))
        for address in ("news", "dated/news"):
            await host.call("rss_subscribe", address=f"{web.url}/{address}", minutes=60)
        await host.call("rss_check_now")
        tagged, dated = web.asked[-2:]
        assert tagged["if-none-match"].startswith('W/"')
        assert "if-modified-since" not in tagged
        assert dated["if-modified-since"] == MODIFIED
        put(web, "news", rss("News", TWO, ONE))
        assert "1 new" in (await host.call("rss_check_now")).text

    with_host(tmp_path, run)


def test_redirects_gzip_and_a_feed_that_moved_for_good(web: ThreadingHTTPServer, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        put(web, "news", rss("News", ONE))
        await host.call("rss_subscribe", address=f"{web.url}/found/zipped/news", minutes=60)
        await host.call("rss_subscribe", address=f"{web.url}/moved/news", minutes=60)
        listed = (await host.call("rss_list")).text
        assert f"{web.url}/found/zipped/news" in listed  # for the moment
        assert f"{web.url}/news" in listed.splitlines()[1]  # for good
        again = await host.call("rss_subscribe", address=f"{web.url}/news", minutes=60)
        assert "gets this feed already" in again.text
        put(web, "news", rss("News", THREE, ONE))
        assert (await host.call("rss_check_now")).text == "News: 1 new\nNews: 1 new"

    with_host(tmp_path, run)


def test_it_goes_on_after_a_restart_and_tells_what_came_in_between_once(
    web: ThreadingHTTPServer, tmp_path: Path
) -> None:
    async def first(host: FakeHost) -> None:
        put(web, "news", rss("News", ONE))
        await host.call("rss_subscribe", address=f"{web.url}/news", minutes=0.005)

    async def second(host: FakeHost) -> None:
        await until(lambda: bool(host.injected))
        before = len(web.asked)
        await until(lambda: len(web.asked) > before + 2)  # it goes on looking by itself
        assert [each.text.splitlines()[0] for each in host.injected] == ["1 new in “News”:"]

    with_host(tmp_path, first)
    put(web, "news", rss("News", THREE, ONE))
    with_host(tmp_path, second)


def test_what_was_found_and_not_told_before_a_crash_is_told_after_it(web: ThreadingHTTPServer, tmp_path: Path) -> None:
    async def run() -> None:
        put(web, "news", rss("News", ONE))
        store = Store.open(tmp_path / "feeds.sqlite")
        reader = Reader(store, ALL)
        checked, feed = await reader.first_look(f"{web.url}/news", 60)
        number = store.add(Chat("cli", "main"), checked, 60, feed.items)
        store.checked(number, checked, [*feed.items, feed.items[0].__class__("9", "New", "", "", "")], lambda _: "told")
        store.close()
        again = Reader(Store.open(tmp_path / "feeds.sqlite"), ALL)
        host = FakeHost(plugin, data_folder=tmp_path)
        for _ in range(2):
            await again.check(FakeContext(host), lambda _: False)
        assert [each.text for each in host.injected] == ["told"]
        again.store.close()

    asyncio.run(run())


def test_each_feed_has_its_own_pace_and_failures_slow_it_down(web: ThreadingHTTPServer, tmp_path: Path) -> None:
    now = [datetime(2026, 5, 1, tzinfo=UTC)]

    async def run() -> None:
        put(web, "fast", rss("Fast", ONE))
        put(web, "slow", rss("Slow", ONE))
        store = Store.open(tmp_path / "feeds.sqlite")
        reader, context = Reader(store, ALL, lambda: now[0]), FakeContext(FakeHost(plugin, data_folder=tmp_path))
        for name, minutes in (("fast", 10), ("slow", 60)):
            checked, feed = await reader.first_look(f"{web.url}/{name}", minutes)
            store.add(Chat("cli", "main"), checked, minutes, feed.items)

        def due(feed: Subscription) -> bool:
            return feed.next_check is not None and feed.next_check <= now[0]

        seen = []
        for _ in range(6):
            now[0] += timedelta(minutes=10)
            seen.append([title for title, _, _ in await reader.check(context, due)])
        assert seen == [["Fast"]] * 5 + [["Fast", "Slow"]]
        del web.feeds["fast"]
        now[0] += timedelta(minutes=10)
        ((_, _, problem),) = await reader.check(context, due)
        assert problem == "its server answers 404 Not Found"
        assert store.all()[0].next_check == now[0] + timedelta(minutes=20)
        put(web, "fast", rss("Fast", TWO))
        now[0] += timedelta(minutes=20)
        assert await reader.check(context, due) == [("Fast", 1, "")]
        assert (store.all()[0].failures, store.all()[0].problem) == (0, "")
        store.close()

    asyncio.run(run())


def test_a_server_is_left_alone_as_long_as_it_asks_and_a_feed_that_is_gone_is_asked_for_no_more(
    web: ThreadingHTTPServer, tmp_path: Path
) -> None:
    async def run(host: FakeHost) -> None:
        put(web, "a", rss("A", ONE))
        put(web, "b", rss("B", ONE))
        for name in "ab":
            await host.call("rss_subscribe", address=f"{web.url}/{name}", minutes=60)
        store = host.state.store
        for number, name in ((1, "busy"), (2, "gone")):
            store._database.execute("UPDATE feeds SET address = ? WHERE number = ?", (f"{web.url}/{name}", number))
        told = (await host.call("rss_check_now")).text
        assert told == "A: its server answers 503 Service Unavailable\nB: it is gone for good (410)"
        busy, gone = store.all()
        assert busy.next_check - datetime.now(UTC) > timedelta(minutes=119)
        assert gone.next_check is None
        assert "gone for good" in (await host.call("rss_list")).text

    with_host(tmp_path, run)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/nothing", "404"),
        ("/loop", "redirected more than 5 times"),
        ("/large", "more than 10,000,000 bytes"),
        ("/page", "is no feed"),
        ("/gone", "gone for good"),
    ],
)
def test_what_can_not_be_subscribed_to_says_why(
    web: ThreadingHTTPServer, tmp_path: Path, path: str, reason: str
) -> None:
    async def run(host: FakeHost) -> None:
        put(web, "page", "<html><body><p>hello</p></body></html>")
        result = await host.call("rss_subscribe", address=f"{web.url}{path}")
        assert result.error
        assert reason in result.text
        assert (await host.call("rss_list")).text == "This chat gets no feeds."

    with_host(tmp_path, run)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/feed",
        "http://localhost:8080/feed",
        "http://192.168.1.1/feed",
        "http://[::1]/feed",
        "http://169.254.169.254/latest",
        "http://2130706433/feed",
        "http://nas.local/feed",
        "file:///etc/passwd",
        "ftp://example.org/feed",
        "no address",
    ],
)
def test_private_addresses_are_refused(address: str) -> None:
    with pytest.raises(FetchError):
        check_address(address, allow_private=False)


def test_a_public_name_that_leads_home_is_refused_when_it_answers(
    web: ThreadingHTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved = socket.getaddrinfo

    def leads_home(host: str, *rest: object, **named: object) -> object:
        return resolved("127.0.0.1" if host in ("feeds.example.org", b"feeds.example.org") else host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", leads_home)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    async def run(host: FakeHost) -> None:
        put(web, "news", rss("News", ONE))
        result = await host.call("rss_subscribe", address=f"http://feeds.example.org:{web.server_port}/news")
        assert "feeds.example.org leads to this machine or into a private network" in result.text
        assert len(web.asked) == 1

    with_host(tmp_path, run, allow_private=False)


def test_nobody_is_subscribed_without_consent_or_in_a_private_turn(web: ThreadingHTTPServer, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        put(web, "news", rss("News", ONE))
        host.consent = False
        assert "did not agree" in (await host.call("rss_subscribe", address=f"{web.url}/news")).text
        host.consent = True
        tool = next(each for each in plugin.tools if each.name == "rss_subscribe")
        context = FakeContext(host)
        context.private = True
        with pytest.raises(Exception, match="leaves nothing behind"):
            await call_tool(tool, context, {"address": f"{web.url}/news"})
        assert web.asked == []

    with_host(tmp_path, run)


def test_a_chat_sees_and_ends_its_own_subscriptions_only(web: ThreadingHTTPServer, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        put(web, "news", rss("News", ONE))
        await host.call("rss_subscribe", address=f"{web.url}/news")
        context = FakeContext(host)
        context.chat = "other"
        tools = {each.name: each for each in plugin.tools}
        assert (await call_tool(tools["rss_list"], context, {})).text == "This chat gets no feeds."
        assert (await call_tool(tools["rss_check_now"], context, {})).text == "This chat gets no feeds."
        with pytest.raises(Exception, match="this chat has no feed 1"):
            await call_tool(tools["rss_unsubscribe"], context, {"number": 1})
        assert (await host.call("rss_unsubscribe", number=1)).text == "No longer subscribed to News."
        assert (await host.call("rss_list")).text == "This chat gets no feeds."

    with_host(tmp_path, run)


def test_what_is_told_may_be_remembered_when_the_owner_says_so(web: ThreadingHTTPServer, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        put(web, "news", rss("News", ONE))
        await host.call("rss_subscribe", address=f"{web.url}/news", minutes=60)
        many = [(str(number), f"Item {number}", "x" * 1_500) for number in range(30)]
        put(web, "news", rss("News", *many))
        await host.call("rss_check_now")
        (message,) = host.injected
        assert not message.no_memory
        assert "20. Item 20" in message.text or "20. Item 19" in message.text
        assert message.text.endswith("And 9 more.")  # item 1 was there before
        assert "x" * 1_000 + "…" in message.text

    with_host(tmp_path, run, remember_items=True)
