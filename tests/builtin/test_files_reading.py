from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING

import pytest

from homeagent.builtin.files import PLUGIN
from homeagent.builtin.files.reading import files_read
from homeagent_sdk.testing import FakeHost, check_cleaner

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent_sdk import ToolResult


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def called(root: Path, tool: str, **arguments: object) -> ToolResult:
    async def call() -> ToolResult:
        async with FakeHost(PLUGIN, settings={"roots": [str(root)]}) as host:
            return await host.call(tool, **arguments)

    return asyncio.run(call())


def read(root: Path, **arguments: object) -> dict[str, object]:
    result = called(root, "files_read", **arguments)
    assert not result.error, result.text
    answer = json.loads(result.text)
    assert isinstance(answer, dict)
    return answer


def test_a_file_is_read_as_json_with_everything_about_it(root: Path) -> None:
    (root / "a.txt").write_text("一\n二\nthree", "utf-8")
    assert read(root, path="a.txt") == {
        "path": str(root / "a.txt"),
        "encoding": "utf-8",
        "characters": 9,
        "lines": 3,
        "offset": 0,
        "limit": 32000,
        "truncated": False,
        "content": "一\n二\nthree",
    }


def test_chinese_stands_readable_in_the_output(root: Path) -> None:
    (root / "a.txt").write_text("提醒", "utf-8")
    assert "提醒" in called(root, "files_read", path="a.txt").text


def test_reading_on_from_each_next_offset_gives_the_whole_file(root: Path) -> None:
    text = "".join(f"第{number}行🙂\r\n" for number in range(300))
    (root / "a.txt").write_bytes(text.encode())
    found, offset = "", 0
    while True:
        answer = read(root, path="a.txt", offset=offset, limit=700)
        found += str(answer["content"])
        if not answer["truncated"]:
            break
        offset = int(str(answer["next_offset"]))
    assert found == text


def test_a_negative_offset_counts_from_the_end(root: Path) -> None:
    (root / "a.txt").write_text("0123456789", "utf-8")
    assert read(root, path="a.txt", offset=-3)["content"] == "789"
    assert read(root, path="a.txt", offset=-30)["content"] == "0123456789"


def test_an_empty_file_is_read_as_nothing(root: Path) -> None:
    (root / "a.txt").touch()
    answer = read(root, path="a.txt")
    assert (answer["content"], answer["lines"], answer["truncated"]) == ("", 0, False)


def test_of_a_folder_the_names_are_read(root: Path) -> None:
    for name in ("main.py", "utils.py", "deploy.py"):
        (root / name).touch()
    (root / "lib").mkdir()
    answer = read(root, path=".")
    assert answer["content"] == "deploy.py\nlib/\nmain.py\nutils.py\n"
    assert answer["folder"] is True


SAMPLES = [
    "plain",
    "你好，世界\n第二行",
    'quotes " and \\ and \t and \n',
    '\x1b[1m\x07\u2028 {"content": 1}',
    "🙂" * 10,
]


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_cleaner_finds_just_the_content_in_the_output(sample: str, root: Path) -> None:
    (root / "a").write_bytes(sample.encode())
    output = called(root, "files_read", path="a").text
    assert files_read.policy.cleaner is not None
    assert files_read.policy.cleaner(output) == sample


def test_the_cleaner_takes_no_harm_from_long_or_cut_outputs(root: Path) -> None:
    cleaner = files_read.policy.cleaner
    assert cleaner is not None
    text = '中文\\"\n' * 10_000
    (root / "long").write_text(text, "utf-8")
    output = called(root, "files_read", path="long", limit=50_000).text
    assert cleaner(output) == text[:32_000]
    cut = output[: len(output) // 3]
    assert text.startswith(cleaner(cut))
    assert len(cleaner(cut)) > 5_000
    assert check_cleaner(cleaner, [output, cut]) == []


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        ("你好".encode("utf-8-sig"), "utf-8-sig", "你好"),
        ("今天天气很好，我们去公园。".encode("gb18030"), "gb18030", "今天天气很好，我们去公园。"),
        ("這是繁體中文的文件，內容很長。".encode("gb18030"), "gb18030", "這是繁體中文的文件，內容很長。"),
        (b"\xff\xfe" + "hi 你".encode("utf-16-le"), "utf-16-le", "hi 你"),
        (b"\xfe\xff" + "hi 你".encode("utf-16-be"), "utf-16-be", "hi 你"),
        ("été à la crème".encode("latin-1"), "windows-1252", "été à la crème"),
        ("Grüße aus Köln".encode("latin-1"), "windows-1252", "Grüße aus Köln"),
    ],
)
def test_other_encodings_are_read_and_named(data: bytes, encoding: str, text: str, root: Path) -> None:
    (root / "a.txt").write_bytes(data)
    answer = read(root, path="a.txt")
    assert (answer["encoding"], answer["content"]) == (encoding, text)


def test_a_utf8_file_with_one_bad_byte_is_not_taken_for_chinese_of_another_kind(root: Path) -> None:
    (root / "a.txt").write_bytes(("会议记录" * 20).encode() + b"\xe4\xbd")
    answer = read(root, path="a.txt")
    assert answer["encoding"] == "utf-8"
    assert answer["damaged_bytes"] == 2
    assert str(answer["content"]).endswith("会议记录\\xe4\\xbd")


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0", "image/png"),
        ("wrong.txt", b"\x89PNG\r\n\x1a\n\0\0\0", "image/png"),
        ("a.docx", b"PK\x03\x04\0\0", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("log.db", b"SQLite format 3\0", "application/vnd.sqlite3"),
        ("a", b"\0\1\2\3", "application/octet-stream"),
        ("a", bytes(range(1, 255)), "application/octet-stream"),
    ],
)
def test_what_is_no_text_is_refused_with_its_kind_and_size(name: str, data: bytes, kind: str, root: Path) -> None:
    (root / name).write_bytes(data)
    result = called(root, "files_read", path=name)
    assert result.error
    assert kind in result.text
    assert f"{len(data):,} bytes" in result.text


def test_a_file_that_is_too_large_is_refused_with_a_way_out(root: Path) -> None:
    with (root / "large").open("wb") as file:
        file.truncate(40_000_000)
    result = called(root, "files_read", path="large")
    assert "40,000,000 bytes" in result.text
    assert "cmd_run" in result.text


def test_a_named_pipe_is_no_file_and_holds_up_nothing(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert "neither a file nor a folder" in called(root, "files_read", path="pipe").text


def test_a_missing_file_is_named_with_what_may_be_meant(root: Path) -> None:
    (root / "shopping.txt").touch()
    text = called(root, "files_read", path="shoping.txt").text
    assert '"field": "path"' in text
    assert f"Did you mean {root}/shopping.txt?" in text


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 200_001}, {"offset": 100}])
def test_a_window_that_is_none_is_refused(arguments: dict[str, object], root: Path) -> None:
    (root / "a").write_text("text", "utf-8")
    result = called(root, "files_read", path="a", **arguments)
    assert f'"field": "{next(iter(arguments))}"' in result.text


def test_a_name_that_is_no_utf8_can_be_listed_and_hides_nothing(root: Path) -> None:
    (root / os.fsdecode(b"\xff\x1b")).write_text("x", "utf-8")
    text = called(root, "files_ls").text
    assert "\\udcff\\x1b" in text
    text.encode()


def test_a_listing_has_dates_sizes_and_kinds(root: Path) -> None:
    (root / "b.txt").write_bytes(b"x" * 1234)
    os.utime(root / "b.txt", (0, 1_700_000_000))
    (root / "a").mkdir()
    (root / "c").symlink_to("a")
    title, first, second, third = called(root, "files_ls").text.splitlines()
    assert title == f"{root}: 3 entries"
    assert first.endswith("             -  a/")
    assert second.startswith("2023-11-1")
    assert second.endswith("1,234  b.txt")
    assert third.endswith("c (symlink)")


def test_a_listing_can_be_narrowed_and_is_bounded(root: Path) -> None:
    for number in range(1100):
        (root / f"n{number:04}.txt").touch()
    (root / "x.pdf").touch()
    lines = called(root, "files_ls").text.splitlines()
    assert len(lines) == 1002
    assert "101 more" in lines[-1]
    assert called(root, "files_ls", pattern="*.pdf").text.splitlines()[1].endswith("x.pdf")
    assert "no entries" in called(root, "files_ls", pattern="*.doc").text


def test_listing_a_file_says_what_to_use(root: Path) -> None:
    (root / "a").touch()
    assert "files_read" in called(root, "files_ls", path="a").text


def test_without_roots_the_plugin_has_a_folder_of_its_own(tmp_path: Path) -> None:
    async def call() -> str:
        async with FakeHost(PLUGIN, data_folder=tmp_path) as host:
            host.consent = True
            await host.call("files_write", path="a.txt", content="hi")
            assert len(host.questions) == 1  # unless the owner says otherwise, all writing is asked about
            return (await host.call("files_read", path="a.txt")).text

    assert json.loads(asyncio.run(call()))["path"] == str(tmp_path / "files" / "a.txt")
