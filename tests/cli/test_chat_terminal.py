"""``homeagent chat`` at a terminal: keys, the status line, questions, and what is left when it is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from dev.model_server import Call, ModelServer, Say
from dev.pseudo_terminal import PseudoTerminal, rendered
from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder
from tests.builtin.living import is_alive, numbers_in, until

pytestmark = pytest.mark.slow

PROMPT = "\n> "


def write_settings(home, server, extra=""):
    (home / "config.toml").write_text(
        f"[memory]\nembedder = 'none'\n[models.home]\nbase_url = '{server.url}'\nmodel = '{server.model}'\n{extra}"
    )


@pytest.fixture
def started(home):
    """Start a chat in a pseudo terminal, on the test's home."""
    open_terminals = []

    def start(*words):
        environment = {**os.environ, "TERM": "dumb", "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8"}
        command = [sys.executable, "-m", "homeagent", "chat", *words]
        terminal = PseudoTerminal(command, environment).__enter__()
        open_terminals.append(terminal)
        return terminal

    yield start
    for terminal in open_terminals:
        terminal.__exit__()


def statuses(home):
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        return [row.status for row in memory.turns()]


def test_an_answer_streams_and_the_status_line_is_edited_in_place(started, home):
    with ModelServer([Call("clock_now"), Say("It is late enough.", 0.05)]) as server:
        write_settings(home, server)
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("how late is it?\n")
        shown = chat.wait_for(PROMPT)
        chat.type("\x04")
        assert chat.ended() == 0
    assert "... one moment" in shown
    assert "\r\x1b[2K" in shown
    assert re.sub(r"\d+\.\d s", "N s", rendered(shown)).splitlines() == [
        "how late is it?",
        "  clock_now: done in N s",
        "It is late enough.",
        ">",
    ]


def test_a_tool_asks_at_the_terminal_and_does_what_the_answer_says(started, home, tmp_path):
    made = tmp_path / "made"
    call = Call("cmd_run", {"command": f"echo hi > {made}"})
    with ModelServer([call, Say("No then."), call, Say("Done.")]) as server:
        write_settings(home, server)
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("make it\n")
        question = chat.wait_for("[y/N] ")
        assert str(made) in question, "a question comes to the screen, not into the tool's log"
        chat.type("n\n")
        chat.wait_for(PROMPT)
        assert not made.exists()
        chat.type("do make it\n")
        chat.wait_for("[y/N] ")
        chat.type("y\n")
        assert "Done." in chat.wait_for(PROMPT)
        assert made.read_text() == "hi\n"


def test_ctrl_c_stops_the_turn_and_at_the_prompt_it_leaves(started, home):
    with ModelServer([Say("one two three four five six", 0.4), Say("never mind")]) as server:
        write_settings(home, server)
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("count\n")
        chat.wait_for("two")
        chat.type("\x03")
        assert "Stopped" in chat.wait_for(PROMPT)
        chat.type("go on\n")
        assert "never mind" in chat.wait_for(PROMPT)
        said = [message["content"] for message in server.requests[1]["messages"]]
        assert any(str(content).startswith("one two") for content in said), "what was on the screen was said"
        chat.type("\x03")
        assert chat.ended() == 0
    assert statuses(home) == ["interrupted", "done"]


def test_ctrl_c_at_a_question_stops_the_turn_too(started, home):
    with ModelServer([Call("cmd_run", {"command": "touch x > y"}), Say("well")]) as server:
        write_settings(home, server)
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("do it\n")
        chat.wait_for("[y/N] ")
        chat.type("\x03")
        chat.wait_for("Stopped")
        chat.type("hello again\n")
        assert "well" in chat.wait_for("well")
        chat.type("/quit\n")
        assert chat.ended() == 0
    assert statuses(home) == ["interrupted", "done"]


def test_killed_in_the_middle_of_a_tool_the_next_start_goes_on(started, home):
    call = Call("cmd_run", {"command": "sleep 60"})
    with ModelServer([call, Say("I see that it was interrupted.")]) as server:
        write_settings(home, server, "[plugins.shell]\nallow = ['sleep']\n")
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("sleep a little\n")
        chat.wait_for("cmd_run sleep 60")
        chat.kill()
        again = started()
        again.wait_for(PROMPT)
        again.type("what happened?\n")
        assert "interrupted" in again.wait_for(PROMPT)
        shown = json.dumps(server.requests[1]["messages"])
        assert "sleep a little" in shown
        assert "the outcome is not known" in shown
        again.type("/quit\n")
        assert again.ended() == 0
    assert statuses(home) == ["interrupted", "done"]


def test_a_timer_that_comes_while_a_line_is_typed_stands_above_it(started, home):
    with ModelServer([Say("Eggs!")]) as server:
        write_settings(home, server)
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("/tool clock_set_timer minutes=0.02 text=eggs\n")
        chat.wait_for(PROMPT)
        chat.type("half a sent")
        shown = chat.wait_for("Eggs!\r\n> half a sent")
        assert "* Reminder" in rendered(shown)
        chat.type("ence\n")
        chat.wait_for(PROMPT)
        assert "half a sentence" in json.dumps(server.requests[1]["messages"])


def test_a_question_of_a_timers_turn_gets_the_next_line_and_the_prompt_comes_back(started, home, tmp_path):
    made = tmp_path / "made"
    with ModelServer([Call("cmd_run", {"command": f"echo hi > {made}"}), Say("Made it.")]) as server:
        write_settings(home, server)
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("/tool clock_set_timer minutes=0.02 text=make\n")
        chat.wait_for(PROMPT)
        chat.wait_for("[y/N] ")
        chat.type("y\n")
        chat.wait_for("Made it.\r\n> ")
        assert made.exists()
        chat.type("hello\n")
        chat.wait_for(PROMPT)
        assert "hello" in json.dumps(server.requests[-1]["messages"][-1])


def test_json_at_a_terminal_is_one_object_and_no_prompt(started, home):
    with ModelServer([Say("hello")]) as server:
        write_settings(home, server)
        chat = started("--json")
        chat.type("hi\n/quit\n")
        assert chat.ended() == 0
    shown = rendered(chat.output)
    assert "> " not in shown
    assert json.loads(shown[shown.index("{") :])["replies"][0]["reply"] == "hello"


def test_a_pseudo_terminal_tells_what_did_not_come_and_how_it_ended(home):
    waits = "print('a'); import time; time.sleep(60)"
    with (
        PseudoTerminal([sys.executable, "-c", waits], os.environ) as terminal,
        pytest.raises(TimeoutError, match="'b' did not come"),
    ):
        terminal.wait_for("b", 0.3)
    with PseudoTerminal([sys.executable, "-c", "raise SystemExit(3)"], os.environ) as terminal:
        with pytest.raises(EOFError):
            terminal.wait_for("b")
        assert terminal.ended() == 3


def test_a_model_server_refuses_a_wrong_key(home, homeagent, monkeypatch):
    with ModelServer([Say("hello")], key="sesame") as server:
        write_settings(home, server, "key_env = 'MODEL_KEY'\n")
        monkeypatch.setenv("MODEL_KEY", "wrong")
        refused = homeagent("ask", "hi", "--json")
        assert refused.code == 1
        assert "sesame" not in refused.out + refused.err
        monkeypatch.setenv("MODEL_KEY", "sesame")
        assert homeagent("ask", "hi").out == "hello\n"


def command_in(home):
    """What a test's command is named by: its ``ps`` line has the folder of the home in it."""
    return f"echo so far; echo $$ >> {home}/pids; sleep 600 & echo $! >> {home}/pids; wait"


def tool_texts(home):
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        kept = [each.segment for row in memory.turns() for each in memory.segments(row)]
    return [each.text for each in kept if each.role == "tool"]


def test_ctrl_c_keeps_what_a_command_had_written_and_the_status_line_shows_it(started, home):
    with ModelServer([Call("cmd_run", {"command": command_in(home)})]) as server:
        write_settings(home, server, "[plugins.shell]\nallow = ['*']\n")
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("work\n")
        chat.wait_for("cmd_run: so far")
        chat.type("\x03")
        chat.wait_for("Stopped")
        chat.wait_for(PROMPT)
        chat.type("\x04")
        assert chat.ended() == 0
    assert tool_texts(home) == ["so far\n[interrupted before it was finished]"]
    assert statuses(home) == ["interrupted"]


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGTERM])
@pytest.mark.parametrize("words", [["chat"], ["ask", "work"]])
def test_told_to_end_while_a_command_runs_closes_the_turn_and_ends_the_command(home, words, how):
    with ModelServer([Call("cmd_run", {"command": command_in(home)})]) as server:
        write_settings(home, server, "[plugins.shell]\nallow = ['*']\n")
        program = subprocess.Popen([sys.executable, "-m", "homeagent", *words], stdin=subprocess.PIPE, text=True)
        program.stdin.write("work\n")
        program.stdin.flush()
        pids = numbers_in(home / "pids", 2)
        program.send_signal(how)
        assert program.wait(60) == 128 + how
        program.stdin.close()
    assert until(lambda: not any(map(is_alive, pids)))
    assert statuses(home) == ["interrupted"]
    assert tool_texts(home) == ["so far\n[interrupted before it was finished]"]


def test_a_terminal_that_is_closed_ends_the_chat_and_its_command(started, home):
    with ModelServer([Call("cmd_run", {"command": command_in(home)})]) as server:
        write_settings(home, server, "[plugins.shell]\nallow = ['*']\n")
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("work\n")
        chat.wait_for("cmd_run: so far")
        chat.hang_up()
        assert chat.left() == 128 + signal.SIGHUP
        assert until(lambda: not any(map(is_alive, numbers_in(home / "pids", 2))))
    assert statuses(home) == ["interrupted"]


def test_told_to_end_at_a_question_and_at_the_prompt(started, home):
    with ModelServer([Call("cmd_run", {"command": "touch x > y"})]) as server:
        write_settings(home, server)
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("do it\n")
        chat.wait_for("[y/N] ")
        chat.send(signal.SIGTERM)
        assert chat.ended() == 128 + signal.SIGTERM
        again = started()
        again.wait_for(PROMPT)
        again.send(signal.SIGTERM)
        assert again.ended() == 128 + signal.SIGTERM
    assert statuses(home) == ["interrupted"]


def test_a_program_that_is_killed_takes_its_commands_with_it(started, home):
    with ModelServer([Call("cmd_run", {"command": command_in(home)})]) as server:
        write_settings(home, server, "[plugins.shell]\nallow = ['*']\n")
        chat = started()
        chat.wait_for(PROMPT)
        chat.type("work\n")
        pids = numbers_in(home / "pids", 2)
        chat.kill()
        assert until(lambda: not any(map(is_alive, pids)))
