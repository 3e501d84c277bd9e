"""A household with some history: what the page is looked at with, in tests and in pictures."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from homeagent.memory import Memory, Place, Segment, Turn
from homeagent.memory.embed.none import NoEmbedder
from homeagent_sdk import MemoryPolicy, parse_cleaner

if TYPE_CHECKING:
    from pathlib import Path

ZONE = timezone(timedelta(hours=8))
START = datetime(2026, 3, 2, 9, 0, tzinfo=ZONE)
HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>[press](javascript:window.broken=1)'
"""What a page that an agent read might hold, to run in the browser of whoever looks at it."""

SEARCHED = json.dumps(
    {
        "request_id": "8f2c41d09ab34e7f",
        "took_ms": 41,
        "engine": {"shard": 12, "replica": "eu-3", "cache": "miss"},
        "content": "West Lake: mild, 18 degrees on Saturday, light rain on Sunday evening.",
    },
    ensure_ascii=False,
)
LISTED = "\n".join(
    [
        "uid=0(root) gid=0(root) groups=0(root)",
        "Linux hearth 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 x86_64",
        *(f"drwxr-xr-x 2 root root 4096 Mar  2 09:{minute:02} spool-{minute:02}" for minute in range(24)),
    ]
)
ROOT_ANSWER = (
    "The command printed:\n\nuid=0(root) gid=0(root) groups=0(root)\n\n"
    "So you are root: uid 0 is the superuser, who may do everything on this machine."
)

_AT_ONCE = 500
"""Turns of a long history that are kept in one commit."""

POLICIES = {
    "web_search": MemoryPolicy(cleaner=parse_cleaner("json(content)")),
    "cmd_run": MemoryPolicy(no_memory=True),
}


def fill(home: Path) -> None:
    """Keep the history of the household in a home."""
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        memory.declare_policies(POLICIES)
        memory.link("api", "anna", "anna")
        for turn in _history():
            memory.keep(turn)
        memory.settle()


def fill_long(home: Path, turns: int) -> None:
    """Keep a long history of short turns, of which nothing is computed: that would take longer than to look at them."""
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        memory.set_policies({"api": MemoryPolicy(no_memory=True)}, kind="channel")
        for first in range(0, turns, _AT_ONCE):
            memory.keep_all([_note(number) for number in range(first, min(first + _AT_ONCE, turns))])


def _note(number: int) -> Turn:
    read = number * 7 % 9973
    segments = _said(f"Note {number}: the meter in the cellar reads {read}", f"Noted, {read}.")
    return _turn("owner/meter", "owner", segments, START + timedelta(minutes=17 * number))


def _turn(chat: str, sender: str, segments: tuple[Segment, ...], at: datetime, **more: object) -> Turn:
    channel, _, rest = chat.partition(":") if ":" in chat else ("api", "", chat)
    members = more.get("members", ())
    assert isinstance(members, tuple)
    return Turn(Place(channel, rest), sender, segments, at=at, members=members)


def _said(text: str, reply: str) -> tuple[Segment, ...]:
    return (Segment("user", text), Segment("assistant", reply))


def _called(text: str, tool: str, arguments: str, output: str, reply: str) -> tuple[Segment, ...]:
    call = Segment("tool", output, tool=tool, call_id="c1", arguments=arguments, plugin="house", plugin_version="1.2")
    return (Segment("user", text), call, Segment("assistant", reply))


def _history() -> list[Turn]:
    day = timedelta(days=1)
    talks = [
        ("owner/family", "owner", _said("我妹妹叫小林，住在杭州。", "好的，记住了：你妹妹叫小林，住在杭州。")),
        ("owner/family", "owner", _said("My sister works at the Zhejiang Museum.", "Noted: she works at the museum.")),
        ("owner/family", "owner", _said("我女儿对花生过敏。", "记住了，您女儿对花生过敏。")),
        ("owner/house", "owner", _said("I live in Hangzhou.", "Good to know.")),
        (
            "owner/trip",
            "owner",
            _called(
                "What will the weather be at West Lake?",
                "web_search",
                '{"query": "West Lake weather weekend"}',
                SEARCHED,
                "Saturday is mild with 18 degrees. Take an umbrella for Sunday evening.",
            ),
        ),
        (
            "owner/server",
            "owner",
            _called("Who am I on this machine?", "cmd_run", '{"command": "id; uname -a; ls -l"}', LISTED, ROOT_ANSWER),
        ),
        (
            "owner/reading",
            "owner",
            _called(
                "Read me that page",
                "page_read",
                '{"address": "http://example.test"}',
                HOSTILE,
                f"The page says: {HOSTILE}",
            ),
        ),
        ("telegram:family group", "u-anna", _said("Dinner on Friday at seven at Grandma's?", "It is in the calendar.")),
        ("anna/private", "anna", _said("I am planning a surprise party for the 14th of June.", "My lips are sealed.")),
        (
            "owner/house",
            "owner",
            _said("I moved to Suzhou last month.", "I will remember that you live in Suzhou now."),
        ),
        ("owner/family", "owner", _said("小林现在住在苏州。", "好的，小林现在住在苏州。")),
        ("owner/house", "owner", _said("The boiler was serviced, next time in March 2027.", "Noted.")),
    ]
    found: list[Turn] = []
    for number, (chat, sender, segments) in enumerate(talks):
        members = ("owner", "u-anna") if chat.startswith("telegram") else ()
        found.append(_turn(chat, sender, segments, START + number * 9 * day, members=members))
    return found
