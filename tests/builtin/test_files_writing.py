from __future__ import annotations

import asyncio
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from homeagent.builtin.files import PLUGIN
from homeagent_sdk.testing import FakeHost

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from homeagent_sdk import ToolResult


class YesAfter:
    """A yes that does something first, as when the world changes while the person thinks."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work

    def __bool__(self) -> bool:
        self._work()
        return True


def called(
    root: Path, tool: str, *, ask: str = "nothing", consent: object = False, **arguments: object
) -> tuple[ToolResult, list[str]]:
    async def call() -> tuple[ToolResult, list[str]]:
        async with FakeHost(PLUGIN, settings={"roots": [str(root)], "ask_before": ask}) as host:
            host.consent = consent  # type: ignore[assignment]
            return await host.call(tool, **arguments), host.questions

    return asyncio.run(call())


def test_a_new_file_is_made_with_its_folders(tmp_path: Path) -> None:
    result, questions = called(tmp_path, "files_write", ask="replacing", path="a/b/c.txt", content="你好\n")
    assert not result.error
    assert (tmp_path / "a/b/c.txt").read_bytes() == "你好\n".encode()
    assert questions == []
    assert result.text == f"Made {tmp_path}/a/b/c.txt: 3 characters, 7 bytes"


def test_replacing_a_file_is_asked_about_with_what_changes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n", "utf-8")
    result, (question,) = called(
        tmp_path, "files_write", ask="replacing", path="a.txt", content="one\nzwei\x1b\nthree\n"
    )
    assert result.error
    assert "did not agree" in result.text
    assert "-two\n+zwei\\x1b\n" in question
    assert (tmp_path / "a.txt").read_text("utf-8") == "one\ntwo\nthree\n"


def test_with_consent_it_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one", "utf-8")
    result, questions = called(tmp_path, "files_write", ask="replacing", consent=True, path="a.txt", content="two")
    assert (result.text, len(questions)) == (f"Replaced {tmp_path}/a.txt: 3 characters, 3 bytes", 1)
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("a.txt", "two")]


def test_writing_what_is_there_already_asks_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one", "utf-8")
    before = (tmp_path / "a.txt").stat().st_ino
    result, questions = called(tmp_path, "files_write", ask="writing", path="a.txt", content="one")
    assert (result.error, questions, (tmp_path / "a.txt").stat().st_ino) == (False, [], before)


def test_all_writing_can_be_asked_about(tmp_path: Path) -> None:
    result, (question,) = called(tmp_path, "files_write", ask="writing", path="new.txt", content="line")
    assert result.error
    assert "Make this file?" in question
    assert "+line" in question


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o664])
def test_the_mode_of_a_file_is_kept(mode: int, tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("one", "utf-8")
    (tmp_path / "a.sh").chmod(mode)
    called(tmp_path, "files_write", path="a.sh", content="two")
    assert stat.S_IMODE((tmp_path / "a.sh").stat().st_mode) == mode


def test_a_read_only_file_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one", "utf-8")
    (tmp_path / "a").chmod(0o444)
    result, _ = called(tmp_path, "files_write", path="a", content="two")
    assert "read-only" in result.text
    assert (tmp_path / "a").read_text("utf-8") == "one"


@pytest.mark.parametrize("tool", ["files_write", "files_edit"])
def test_a_file_that_changes_while_the_person_is_asked_is_not_overwritten(tool: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one", "utf-8")
    arguments: dict[str, Any] = {"content": "two"} if tool == "files_write" else {"old": "one", "new": "two"}
    change = YesAfter(lambda: (tmp_path / "a").write_text("changed", "utf-8"))
    result, _ = called(tmp_path, tool, ask="writing", consent=change, path="a", **arguments)
    assert "changed by someone else" in result.text
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == ["changed"]


def test_a_file_that_appears_while_the_person_is_asked_is_not_overwritten(tmp_path: Path) -> None:
    change = YesAfter(lambda: (tmp_path / "a").write_text("theirs", "utf-8"))
    result, _ = called(tmp_path, "files_write", ask="writing", consent=change, path="a", content="mine")
    assert result.error
    assert (tmp_path / "a").read_text("utf-8") == "theirs"


@pytest.mark.parametrize(("path", "content"), [("", "x"), (".", "x"), ("sub", "x"), ("pipe", "x"), ("a", "\ud800")])
def test_what_can_not_be_written_is_an_error_that_says_why(path: str, content: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "pipe")
    result, _ = called(tmp_path, "files_write", path=path, content=content)
    assert result.error
    assert '"reason"' in result.text
    assert sorted(each.name for each in tmp_path.iterdir()) == ["pipe", "sub"]


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    result, _ = called(tmp_path, "files_write", path="a/b.txt", content="x")
    assert "no folder" in result.text


def test_a_piece_that_occurs_once_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("一\n二\n三\n", "utf-8")
    result, _ = called(tmp_path, "files_edit", path="a", old="二", new="贰")
    assert result.text == f"Changed 1 place in {tmp_path}/a (line 2)"
    assert (tmp_path / "a").read_text("utf-8") == "一\n贰\n三\n"


def test_a_piece_that_occurs_more_often_is_refused_with_its_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\nb\nx x\n", "utf-8")
    result, _ = called(tmp_path, "files_edit", path="a", old="x", new="y")
    assert "occurs 3 times (lines 1, 3, 3)" in result.text
    assert (tmp_path / "a").read_text("utf-8") == "x\nb\nx x\n"


def test_all_of_them_are_replaced_on_request(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\nb\nx x\n", "utf-8")
    result, _ = called(tmp_path, "files_edit", path="a", old="x", new="", replace_all=True)
    assert "Changed 3 places" in result.text
    assert (tmp_path / "a").read_text("utf-8") == "\nb\n \n"


def test_a_piece_that_is_not_there_is_told_with_the_nearest_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("first\nport = 8080\n", "utf-8")
    result, _ = called(tmp_path, "files_edit", path="a", old="port: 8080", new="x")
    assert "The nearest is line 2: 'port = 8080'" in result.text


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"one\r\ntwo\r\nend\r\n", b"1\r\n2\r\nend\r\n"),
        (b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbf1\n2\n"),
        ("one\ntwo\n这是中文内容".encode("gb18030"), "1\n2\n这是中文内容".encode("gb18030")),
        (b"\xfe\xff" + "one\ntwo\n".encode("utf-16-be"), b"\xfe\xff" + "1\n2\n".encode("utf-16-be")),
    ],
)
def test_an_edit_keeps_encoding_and_line_ends(data: bytes, expected: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(data)
    result, _ = called(tmp_path, "files_edit", path="a", old="one\ntwo", new="1\n2")
    assert not result.error, result.text
    assert (tmp_path / "a").read_bytes() == expected


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"old": "", "new": "x"}, "old"),
        ({"old": "one", "new": "one"}, "new"),
        ({"old": "one", "new": "\ud800"}, "new"),
        ({"path": "missing", "old": "a", "new": "b"}, "path"),
        ({"path": "binary", "old": "a", "new": "b"}, "path"),
        ({"path": "damaged", "old": "a", "new": "b"}, "path"),
        ({"old": "one"}, "new"),
    ],
)
def test_an_edit_that_can_not_be_made_names_the_argument(arguments: dict[str, Any], field: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one", "utf-8")
    (tmp_path / "binary").write_bytes(b"a\0")
    (tmp_path / "damaged").write_bytes("a你好你好你好你好你好".encode() + b"\xff")
    result, _ = called(tmp_path, "files_edit", **({"path": "a"} | arguments))
    assert f'"field": "{field}"' in result.text


def test_a_character_that_the_encoding_lacks_leaves_the_file_alone(tmp_path: Path) -> None:
    data = "one été à la crème".encode("latin-1")
    (tmp_path / "a").write_bytes(data)
    result, _ = called(tmp_path, "files_edit", path="a", old="one", new="你")
    assert "windows-1252" in result.text
    assert (tmp_path / "a").read_bytes() == data
