from __future__ import annotations

import asyncio
import os
import re
import time
from typing import TYPE_CHECKING

import pytest

from homeagent.builtin.terminal import PLUGIN
from homeagent.builtin.terminal.keys import keystrokes
from homeagent.builtin.terminal.session import Launch, Size
from homeagent.builtin.terminal.sessions import Chat, Sessions
from homeagent_sdk import SettingsError
from homeagent_sdk.testing import FakeHost
from tests.builtin.living import is_alive, numbers_in, open_descriptors, until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


class Terminals(FakeHost):
    """A host whose answers are the texts of the results."""

    async def text(self, tool: str, /, **arguments: object) -> str:
        return (await self.call(f"terminal_{tool}", **arguments)).text

    async def write_until(self, typed: str, wanted: str) -> str:
        return await self.read_until(wanted, await self.text("write", terminal="t1", text=typed))

    async def read_until(self, wanted: str, text: str = "", seconds: float = 60.0) -> str:
        end = time.monotonic() + seconds
        while wanted not in text and time.monotonic() < end:
            text += (await self.text("read", terminal="t1", wait=0.5)).replace("[no new output]", "")
        assert wanted in text
        return text


def with_host(
    work: Callable[[Terminals], Awaitable[object]], folder: Path, *, consent: bool = False, **settings: object
) -> Terminals:
    async def run() -> Terminals:
        chosen = {"folder": str(folder), "ask": "never", "shell": "/bin/sh", **settings}
        async with Terminals(PLUGIN, settings=chosen, consent=consent) as host:
            await work(host)
        return host

    return asyncio.run(run())


def test_a_shell_has_a_real_terminal_that_it_controls(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        created = await host.text("create", command="sh", columns=77, rows=11, wait=5)
        assert created.startswith("[terminal t1]\n")
        text = await host.text(
            "write", terminal="t1", text="tty; stty size; pwd; (: </dev/tty) && echo con''trolled\\n"
        )
        assert re.search(r"/dev/pts/\d+\r\n11 77\r\n", text)
        assert f"{tmp_path}\r\n" in text
        assert "controlled" in text

    with_host(work, tmp_path)


def test_control_c_stops_what_runs_in_front_and_the_shell_stays(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        await host.text("create", wait=5)
        await host.write_until("sh -c 'echo $((40+1)); exec sleep 300'\\n", "41")
        await host.text("write", terminal="t1", text="\\x03")
        await host.write_until("echo $((6*7))\\n", "42")

    with_host(work, tmp_path)


def test_output_comes_with_its_control_characters(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        text = await host.text("create", command=r"printf '\033[1m你\377\007'; sleep 5")
        assert text == "[terminal t1]\n\x1b[1m你\\xff\x07"

    with_host(work, tmp_path)


def test_a_character_that_comes_in_two_halves_is_shown_whole(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        first = await host.text("create", command=r"printf 'a\344'; sleep 1; printf '\275\240b'; sleep 5", wait=5)
        assert first == "[terminal t1]\na"
        assert await host.read_until("b") == "你b"

    with_host(work, tmp_path)


def test_a_program_that_ends_says_how_and_its_last_words_can_be_read(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        text = await host.text("create", command="echo last; exit 3", wait=5)
        assert text == "[terminal t1]\nlast\r\n[the program has ended with exit code 3]"
        assert "has ended with exit code 3" in await host.text("list")
        written = await host.text("write", terminal="t1", text="x")
        assert "only 0 of 1 bytes" in written
        resized = await host.text("resize", terminal="t1", columns=10, rows=10)
        assert '"error"' in resized

    with_host(work, tmp_path)


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        text = await host.text("create", command="no-such-program", wait=5)
        assert "not found" in text
        assert "exit code 127" in text
        assert "there is no folder" in await host.text("create", folder="missing")

    with_host(work, tmp_path)


def test_a_program_is_told_of_another_size(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        await host.text("create", command="trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done", wait=5)
        await host.text("resize", terminal="t1", columns=100, rows=20)
        await host.read_until("20 100")
        assert "100x20" in await host.text("list")

    with_host(work, tmp_path)


def test_closing_ends_children_and_what_left_the_session(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        await host.text("create", wait=5)
        line = "sleep 300 & echo $! >> pids; setsid sh -c 'echo $$ >> pids; exec sleep 300' & echo $$ >> pids\\n"
        await host.text("write", terminal="t1", text=line)
        pids = await asyncio.to_thread(numbers_in, tmp_path / "pids", 3)
        assert all(map(is_alive, pids))
        assert (await host.text("close", terminal="t1")).endswith("[t1 is closed]")
        assert await asyncio.to_thread(until, lambda: not any(map(is_alive, pids)))
        assert "it was closed" in await host.text("read", terminal="t1")
        assert await host.text("list") == "There are no terminals in this chat."

    with_host(work, tmp_path)


def test_stopping_the_plugin_ends_every_terminal_and_leaves_no_descriptor(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        for _ in range(3):
            await host.text(
                "create", command="trap '' HUP TERM; echo $$ >> pids; echo up; while :; do sleep 0.1; done", wait=5
            )

    before = open_descriptors()
    with_host(work, tmp_path)
    pids = numbers_in(tmp_path / "pids", 3)
    assert not any(map(is_alive, pids))
    assert not any((tmp_path.joinpath(f"/proc/{pid}")).exists() for pid in pids)  # reaped, no zombies
    assert open_descriptors() == before


def test_a_terminal_that_nobody_uses_is_closed(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        await host.text("create", command="echo $$ > pid; sleep 300", wait=0)
        (pid,) = await asyncio.to_thread(numbers_in, tmp_path / "pid", 1)
        for _ in range(3):
            await asyncio.sleep(0.6)
            assert "error" not in await host.text("read", terminal="t1")  # using it keeps it
        assert await asyncio.to_thread(until, lambda: not is_alive(pid))
        assert not is_alive(pid)
        assert "after 1.5 seconds without use" in await host.text("read", terminal="t1")

    with_host(work, tmp_path, idle_seconds=1.5)


def test_there_is_an_end_to_how_many_may_run(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        await host.text("create", command="sleep 300", wait=0)
        await host.text("create", command="true", wait=2)  # one that has ended does not count
        await host.text("create", command="sleep 300", wait=0)
        assert "2 terminals already" in await host.text("create", command="sleep 300", wait=0)
        await host.text("close", terminal="t1")
        assert "[terminal t4]" in await host.text("create", command="sleep 300", wait=0)

    with_host(work, tmp_path, sessions=2)


def test_reads_are_bounded_and_say_that_more_waits(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        text = await host.text("create", command="seq 1 1000; sleep 300", wait=2)
        found = ""
        while match := re.search(r"\n\[\.\.\. ([\d,]+) more bytes wait: call terminal_read again \.\.\.\]$", text):
            assert len(text) < 1200
            found += text[: match.start()]
            text = await host.text("read", terminal="t1")
        numbers = (found + text).removeprefix("[terminal t1]\n").split()
        assert numbers == [str(number) for number in range(1, 1001)]

    with_host(work, tmp_path, read_bytes=1000)


def test_output_that_nobody_reads_is_bounded_and_the_loss_is_told(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        await host.text("create", command="yes 好的; true", wait=0)
        started = time.process_time()
        await asyncio.sleep(1.0)
        assert time.process_time() - started < 0.5  # it does not take all the time
        text = await host.text("read", terminal="t1")
        assert re.match(r"\[\.\.\. [\d,]+ older bytes were not read in time", text)
        assert len(text.encode()) < 12_000

    with_host(work, tmp_path, buffer_bytes=10_000)


def test_input_that_nobody_takes_is_an_error_after_a_while(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        await host.text("create", command="stty raw -echo; echo ready; sleep 300", wait=2)
        text = await host.text("write", terminal="t1", text="x" * 60_000)
        assert re.search(r"only [\d,]+ of 60,000 bytes were taken; the program is running", text)

    with_host(work, tmp_path)


def test_opening_and_each_input_is_asked_about_unless_configured(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        await host.text("create", wait=0)
        await host.text("write", terminal="t1", text="rm\\x1b x\\n", wait=0)
        await host.text("read", terminal="t1")

    asked = with_host(work, tmp_path, ask="input", consent=True).questions
    assert ["Open a terminal with this program?" in asked[0], "Type this into terminal t1?" in asked[1]] == [True] * 2
    assert asked[1].endswith("\nrm\\x1b x\\n\n")
    assert len(asked) == 2
    (question,) = with_host(work, tmp_path, ask="opening", consent=True).questions
    assert "anything be typed" in question
    assert with_host(work, tmp_path, ask="never").questions == []


def test_without_consent_nothing_is_opened_or_typed(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        assert "did not agree" in await host.text("create")
        assert await host.text("list") == "There are no terminals in this chat."
        host.consent = True
        await host.text("create", command="cat > typed", wait=0)
        host.consent = False
        assert "did not agree" in await host.text("write", terminal="t1", text="x\\n")
        await asyncio.sleep(0.2)
        assert (tmp_path / "typed").read_text("utf-8") == ""

    with_host(work, tmp_path, ask="input")


def test_another_chat_neither_sees_nor_uses_a_terminal(tmp_path: Path) -> None:
    async def work(host: Terminals) -> None:
        sessions = host.state
        assert isinstance(sessions, Sessions)
        launch = Launch("sleep 300", ["sleep", "300"], tmp_path, os.environ)
        sessions.create(Chat("test", "guests"), launch, Size(80, 24))
        assert await host.text("list") == "There are no terminals in this chat."
        uses: dict[str, dict[str, object]] = {"read": {}, "write": {"text": "x"}, "close": {}}
        for tool, arguments in uses.items():
            assert "no such terminal in this chat" in await host.text(tool, terminal="t1", **arguments)

    with_host(work, tmp_path)


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("create", {"columns": 0}, "columns"),
        ("create", {"rows": 1001}, "rows"),
        ("create", {"wait": 31}, "wait"),
        ("create", {"command": "a\0b"}, "command"),
        ("create", {"command": "\ud800"}, "command"),
        ("write", {"terminal": "t1", "text": ""}, "text"),
        ("write", {"terminal": "t1", "text": "x" * 70_000}, "text"),
        ("write", {"terminal": "t1", "text": "\ud800"}, "text"),
        ("read", {"terminal": "t9"}, "terminal"),
    ],
)
def test_what_makes_no_sense_names_the_argument(
    tool: str, arguments: dict[str, object], field: str, tmp_path: Path
) -> None:
    async def work(host: Terminals) -> None:
        await host.text("create", command="cat", wait=0)
        assert f'"field": "{field}"' in await host.text(tool, **arguments)

    with_host(work, tmp_path)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("ls\\n", "ls\r"),
        ("ls\n", "ls\r"),
        ("a\r\nb", "a\rb"),
        ("\\x03\\e[A\\t\\u4f60", "\x03\x1b[A\t你"),
        ("C:\\\\dir \\q", "C:\\dir \\q"),
        ("end\\", "end\\"),
    ],
)
def test_escapes_become_the_keys_they_name(text: str, typed: str) -> None:
    assert keystrokes(text, escapes=True) == typed


def test_without_escapes_backslashes_are_typed_as_they_are() -> None:
    assert keystrokes("printf 'a\\n'\n", escapes=False) == "printf 'a\\n'\r"


@pytest.mark.parametrize("settings", [{"sessions": 0}, {"ask": "sometimes"}, {"read_bytes": 1}])
def test_settings_that_can_not_work_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        FakeHost(PLUGIN, settings=settings)


def test_secrets_do_not_reach_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "zq-key")

    async def work(host: Terminals) -> None:
        assert "zq-key" not in await host.text("create", command="env", wait=5)

    with_host(work, tmp_path)
