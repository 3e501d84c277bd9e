from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeagent.builtin.processes import safe_environment
from homeagent.builtin.shell import PLUGIN
from homeagent_sdk.testing import FakeHost
from tests.builtin.living import is_alive, numbers_in, open_descriptors, until

if TYPE_CHECKING:
    from homeagent_sdk import ToolResult


def host_in(folder: Path, **settings: object) -> FakeHost:
    return FakeHost(PLUGIN, settings={"folder": str(folder), "allow": ["*"], **settings})


def ran(place: Path, command: str, settings: dict[str, object] | None = None, /, **arguments: object) -> ToolResult:
    async def call() -> ToolResult:
        async with host_in(place, **(settings or {})) as host:
            return await host.call("cmd_run", command=command, **arguments)

    return asyncio.run(call())


def test_both_outputs_come_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    result = ran(tmp_path, "echo one; echo two >&2; echo three; exit 3")
    assert result.text == "one\ntwo\nthree\n[exit code 3]"
    assert result.error
    assert isinstance(result.data, dict)
    assert result.data["exit_code"] == 3


def test_a_command_that_says_nothing_says_that_it_went_well(tmp_path: Path) -> None:
    result = ran(tmp_path, "true")
    assert (result.text, result.error) == ("[exit code 0, no output]", False)


def test_a_command_gets_no_input(tmp_path: Path) -> None:
    assert ran(tmp_path, "cat; echo end").text == "end\n"


def test_a_command_runs_in_the_configured_folder_or_in_one_below_it(tmp_path: Path) -> None:
    (tmp_path / "内").mkdir()
    assert ran(tmp_path, "pwd").text == f"{tmp_path}\n"
    assert ran(tmp_path, "pwd", folder="内").text == f"{tmp_path}/内\n"


@pytest.mark.parametrize("folder", ["missing", "~nobody-here/x", "x" * 5000, "a\0b", "\ud800", "/etc/passwd"])
def test_a_folder_that_is_not_there_is_an_error_about_it(folder: str, tmp_path: Path) -> None:
    assert '"field": "folder"' in ran(tmp_path, "pwd", folder=folder).text


def test_an_unknown_command_has_an_exit_code_and_what_the_shell_says(tmp_path: Path) -> None:
    result = ran(tmp_path, "no-such-command-here")
    assert result.error
    assert "[exit code 127]" in result.text


@pytest.mark.parametrize("command", ["echo a\0b", "echo \ud800"])
def test_a_command_that_no_system_could_take_is_an_error(command: str, tmp_path: Path) -> None:
    assert '"command"' in ran(tmp_path, command).text


def test_any_bytes_become_text_and_none_is_lost(tmp_path: Path) -> None:
    result = ran(tmp_path, r"printf '\303\244\377\000\033[1m\344\275\240\344'")
    assert result.text == "ä\\xff\0\x1b[1m你\\xe4"


def test_fifty_megabytes_leave_a_beginning_an_end_and_a_mark(tmp_path: Path) -> None:
    result = ran(tmp_path, "echo first; yes 好 | head -c 50000000; echo; echo last", {"output_bytes": 100_000})
    assert result.text.startswith("first\n好\n")
    assert result.text.endswith("\nlast\n")
    assert len(result.text.encode()) < 101_000
    assert "of 50,000,012 bytes are cut out here" in result.text
    assert "\\x" not in result.text


def test_a_time_out_keeps_what_was_written_and_ends_children_and_grandchildren(tmp_path: Path) -> None:
    command = (
        "echo before; sleep 300 & echo $! >> pids; sh -c 'sleep 300 & echo $! >> pids; wait' & "
        "setsid sh -c 'echo $$ >> pids; exec sleep 300' & "
        "(trap '' TERM; echo $BASHPID >> pids; sleep 300; sleep 300) & wait"
    )
    started = time.monotonic()
    result = ran(tmp_path, command, seconds=1)
    assert time.monotonic() - started < 5
    assert result.error
    assert result.text.startswith("before\n[stopped: it did not finish within 1 second;")
    pids = numbers_in(tmp_path / "pids", 4)
    assert until(lambda: not any(map(is_alive, pids)))


def test_a_command_that_ignores_being_asked_to_end_is_ended(tmp_path: Path) -> None:
    result = ran(tmp_path, "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done", seconds=0.5)
    assert result.error
    assert not is_alive(numbers_in(tmp_path / "pid", 1)[0])


def test_cancelling_the_call_ends_everything_at_once_and_keeps_what_was_written(tmp_path: Path) -> None:
    async def cancel() -> list[int]:
        async with host_in(tmp_path) as host:
            command = "sleep 300 & echo $! >> pids; setsid sleep 300 & echo $! >> pids; echo so far; wait"
            call = asyncio.create_task(host.call("cmd_run", command=command))
            pids = await asyncio.to_thread(numbers_in, tmp_path / "pids", 2)
            await asyncio.sleep(0.2)
            call.cancel()
            assert (await call).text == "so far\n"
            return pids

    pids = asyncio.run(cancel())
    assert until(lambda: not any(map(is_alive, pids)))


def test_what_is_left_in_the_background_ends_with_the_command_and_the_model_is_told(tmp_path: Path) -> None:
    started = time.monotonic()
    result = ran(tmp_path, "sleep 300 & echo $! > pid; echo done")
    assert time.monotonic() - started < 3
    assert result.text.startswith("done\n[what it left running in the background was ended")
    assert not result.error
    assert until(lambda: not is_alive(numbers_in(tmp_path / "pid", 1)[0]))


def test_a_service_that_detaches_itself_goes_on_and_holds_up_nothing(tmp_path: Path) -> None:
    started = time.monotonic()
    ran(tmp_path, "setsid sh -c 'echo $$ > pid; exec sleep 300' & sleep 0.3")
    assert time.monotonic() - started < 3
    (pid,) = numbers_in(tmp_path / "pid", 1)
    assert is_alive(pid)
    os.kill(pid, 9)


def test_a_command_ended_by_a_signal_is_told_as_such(tmp_path: Path) -> None:
    assert "[ended by signal SIGKILL]" in ran(tmp_path, "kill -9 $$").text


def test_many_commands_leave_neither_descriptors_nor_zombies(tmp_path: Path) -> None:
    async def calls() -> tuple[int, int]:
        async with host_in(tmp_path) as host:
            await host.call("cmd_run", command="true")
            before = open_descriptors()
            results = [await host.call("cmd_run", command=f"echo $$; exit {number % 2}") for number in range(20)]
            zombies = [result for result in results if Path(f"/proc/{result.text.split()[0]}").exists()]
            assert zombies == []
            return before, open_descriptors()

    before, after = asyncio.run(calls())
    assert after == before


def test_commands_can_run_at_the_same_time(tmp_path: Path) -> None:
    async def calls() -> list[str]:
        async with host_in(tmp_path) as host:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(host.call("cmd_run", command=f"sleep 0.5; echo {n}")) for n in range(5)]
            return [task.result().text for task in running]

    started = time.monotonic()
    assert asyncio.run(calls()) == [f"{number}\n" for number in range(5)]
    assert time.monotonic() - started < 2.2


def test_progress_shows_the_last_line_without_control_characters(tmp_path: Path) -> None:
    async def call() -> list[str]:
        async with host_in(tmp_path) as host:
            await host.call("cmd_run", command="printf 'a\\n\\033[1mhalf\\n'; sleep 1.5; printf 'x\\033\\n'; sleep 1.5")
            return host.progress

    assert asyncio.run(call()) == ["\\x1b[1mhalf", "x\\x1b"]


def test_secrets_do_not_reach_a_command_unless_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "s1")
    monkeypatch.setenv("DB_PASSWORD", "s2")
    monkeypatch.setenv("LISTED_TOKEN", "fine")
    monkeypatch.setenv("DATABASE_URL", "postgres://me:s3@db/x")
    monkeypatch.setenv("HARMLESS", "yes")
    text = ran(tmp_path, "env", {"keep_variables": ["LISTED_TOKEN"]}).text
    assert "HARMLESS=yes" in text
    assert "LISTED_TOKEN=fine" in text
    assert not any(secret in text for secret in ("s1", "s2", "s3@"))


def test_the_environment_has_no_relative_programs_and_no_start_files() -> None:
    source = {"PATH": "/bin::.:/usr/bin:sub", "BASH_ENV": "x", "secret_thing": "y", "URL": "http://a.b:80/@c"}
    assert safe_environment(source) == {"PATH": "/bin:/usr/bin", "URL": "http://a.b:80/@c"}


@pytest.mark.parametrize("seconds", [0, -1, 601])
def test_a_time_limit_out_of_reach_is_refused(seconds: float, tmp_path: Path) -> None:
    assert '"seconds"' in ran(tmp_path, "true", seconds=seconds).text
