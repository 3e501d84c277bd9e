from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from homeagent.builtin.shell import PLUGIN
from homeagent.builtin.shell.rules import denied_by, simple_words
from homeagent_sdk import SettingsError
from homeagent_sdk.testing import FakeHost

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent_sdk import ToolResult

BYPASSES = [
    "echo hi; touch stolen",
    "echo hi ;touch stolen",
    "echo hi && touch stolen",
    "echo hi || touch stolen",
    "echo hi & touch stolen",
    "echo hi | tee stolen",
    "echo hi > stolen",
    "echo hi >> stolen",
    "echo hi\ntouch stolen",
    "echo hi\r\ntouch stolen",
    "echo $(touch stolen)",
    "echo `touch stolen`",
    'echo "$(touch stolen)"',
    'echo "it\'s" ; touch stolen',
    "echo <(touch stolen)",
    "echo ${x:-$(touch stolen)}",
    "echo hi # '\ntouch stolen",
    "echo \\\n; touch stolen",
    "echo {a,b}; touch stolen",
    "(touch stolen)",
    "{ touch stolen; }",
    "! touch stolen",
    "X=1 touch stolen",
    "PATH=. echo hi",
    "./echo hi",
    "sub/echo hi",
    "echo'x' hi; touch stolen",
    "echox hi",
    "echo 'unclosed",
    "eval echo hi",
    "\\echo hi",
    "e''cho hi $(touch stolen)",
    "",
    " \n ",
]


def called(command: str, tmp_path: Path, *, consent: bool = False, **settings: object) -> tuple[ToolResult, list[str]]:
    async def call() -> tuple[ToolResult, list[str]]:
        async with FakeHost(PLUGIN, settings={"folder": str(tmp_path), **settings}, consent=consent) as host:
            return await host.call("cmd_run", command=command), host.questions

    return asyncio.run(call())


@pytest.mark.parametrize("command", BYPASSES)
def test_an_allow_rule_opens_no_way_to_anything_else(command: str, tmp_path: Path) -> None:
    result, questions = called(command, tmp_path, allow=["echo"])
    assert result.error
    assert len(questions) == (1 if command.strip() else 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("echo hi", "hi\n"),
        ("  echo   'a  b'  \"c d\" ", "a  b c d\n"),
        ("echo 你好", "你好\n"),
        ("echo\thi", "hi\n"),
        ("echo -n", "[exit code 0, no output]"),
        ("e''cho hi", "hi\n"),
    ],
)
def test_an_allowed_command_runs_without_asking(command: str, printed: str, tmp_path: Path) -> None:
    result, questions = called(command, tmp_path, allow=["echo"])
    assert (result.text, result.error, questions) == (printed, False, [])


def test_a_rule_of_two_words_does_not_allow_the_first_alone(tmp_path: Path) -> None:
    assert called("git -c core.pager=x status", tmp_path, allow=["git status"])[0].error
    assert called("git", tmp_path, allow=["git status"])[0].error


def test_an_allowed_command_in_another_folder_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()

    async def call() -> list[str]:
        async with FakeHost(PLUGIN, settings={"folder": str(tmp_path), "allow": ["ls"]}) as host:
            assert (await host.call("cmd_run", command="ls", folder="inner")).error
            return host.questions

    (question,) = asyncio.run(call())
    assert str(tmp_path / "inner") in question


def test_a_program_that_only_the_shell_knows_is_asked_about_even_if_allowed(tmp_path: Path) -> None:
    result, questions = called("type cd", tmp_path, consent=True, allow=["type"])
    assert (not result.error, len(questions)) == (True, 1)


def test_a_star_allows_everything(tmp_path: Path) -> None:
    result, questions = called("echo a; echo b | cat", tmp_path, allow=["*"])
    assert (result.text, questions) == ("a\nb\n", [])


def test_a_no_of_the_person_reaches_the_model_with_a_reason(tmp_path: Path) -> None:
    result, (question,) = called("touch made", tmp_path)
    assert result.error
    assert "did not agree" in result.text
    assert "touch made" in question
    assert not (tmp_path / "made").exists()


def test_the_question_hides_nothing(tmp_path: Path) -> None:
    _, (question,) = called("echo ok\x1b[2K\r \u202e; rm x", tmp_path)
    assert question.endswith("echo ok\\x1b[2K\\r \\u202e; rm x")


@pytest.mark.parametrize(
    "command",
    [
        "sudo ls",
        "/usr/bin/sudo ls",
        "echo a; sudo ls",
        "echo $(sudo ls)",
        "'su'do ls",
        "s\\udo ls",
        "X=1 sudo ls",
        "true&&sudo ls",
        "su\\\ndo ls",
    ],
)
def test_a_denied_word_is_refused_without_asking_wherever_it_stands(command: str, tmp_path: Path) -> None:
    result, questions = called(command, tmp_path, consent=True, allow=["*"], deny=["sudo"])
    assert result.error
    assert "forbid" in result.text
    assert questions == []


def test_a_deny_rule_of_two_words_needs_both_in_a_row() -> None:
    assert denied_by("rm -rf /tmp/x", ["rm -rf"]) == "rm -rf"
    assert denied_by("rm /tmp/x", ["rm -rf"]) is None
    assert denied_by("echo x; /bin/rm  -rf y", ["rm -rf"]) == "rm -rf"
    assert denied_by("pseudo", ["sudo"]) is None


@pytest.mark.parametrize(
    "settings", [{"allow": [""]}, {"deny": [" "]}, {"allow": ["'x"]}, {"seconds": 0}, {"deny": [";"]}]
)
def test_settings_that_would_mean_anything_else_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        FakeHost(PLUGIN, settings=settings)


def test_words_are_read_as_a_shell_reads_them() -> None:
    assert simple_words("git log --format='%h %s'") == ("git", "log", "--format=%h %s")
    assert simple_words("ls *.txt") is None
    assert simple_words("ls ~") is None
