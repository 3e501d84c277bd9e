import asyncio
import json
import os

import pytest
from folder import plugin

from homeagent_sdk.testing import FakeHost


def calls(tmp_path, *wanted, consent=True, **settings):
    """Make some calls on a folder, one after the other, and return their results and the questions that were asked."""
    root = tmp_path / "notes"
    root.mkdir(exist_ok=True)

    async def run():
        host = FakeHost(plugin, settings={"path": str(root), **settings}, consent=consent, data_folder=tmp_path)
        async with host:
            return [await host.call(name, **arguments) for name, arguments in wanted], host.questions

    return asyncio.run(run())


def call(tmp_path, name, /, **arguments):
    (result,), _ = calls(tmp_path, (name, arguments))
    return result


def test_what_was_written_is_read_whole(tmp_path):
    text = "牛奶 two litres\r\n鸡蛋\ttwelve \u2028\n"
    call(tmp_path, "folder_write", path="lists/shopping.txt", content=text)
    assert (tmp_path / "notes/lists/shopping.txt").read_bytes() == text.encode()
    found = json.loads(call(tmp_path, "folder_read", path="lists/shopping.txt").text)
    assert found == {"path": "lists/shopping.txt", "characters": len(text), "more": False, "content": text}


def test_a_long_file_is_read_in_pieces(tmp_path):
    call(tmp_path, "folder_write", path="long.txt", content="字" * 70_000)
    first = json.loads(call(tmp_path, "folder_read", path="long.txt").text)
    assert (len(first["content"]), first["more"], first["next"]) == (32_000, True, 32_000)
    last = json.loads(call(tmp_path, "folder_read", path="long.txt", start=64_000).text)
    assert (len(last["content"]), last["more"]) == (6_000, False)


def test_the_folder_is_listed(tmp_path):
    call(tmp_path, "folder_write", path="b/inner.txt", content="x")
    call(tmp_path, "folder_write", path="a.txt", content="12345")
    first, second = call(tmp_path, "folder_ls").text.splitlines()
    assert first.endswith("5 a.txt")
    assert second.endswith(" b/")
    assert call(tmp_path, "folder_ls", path="b").text.endswith("inner.txt")


@pytest.mark.parametrize(
    "path", ["../secret.txt", "a/../../secret.txt", "/etc/passwd", "~/secret", "a\0b", "link.txt", "linked/secret.txt"]
)
@pytest.mark.parametrize("tool", ["folder_read", "folder_write"])
def test_nothing_leads_out_of_the_folder(tmp_path, tool, path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "secret.txt").write_text("secret words")
    (tmp_path / "notes/link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "notes/linked").symlink_to(tmp_path)
    given = {"path": path} | ({"content": "x"} if tool == "folder_write" else {})
    result = call(tmp_path, tool, **given)
    assert result.error
    assert "secret words" not in result.text
    assert (tmp_path / "secret.txt").read_text() == "secret words"


def test_a_pipe_is_no_file_and_does_not_block(tmp_path):
    (tmp_path / "notes").mkdir()
    os.mkfifo(tmp_path / "notes/pipe")
    assert "it is no file" in call(tmp_path, "folder_read", path="pipe").text


def test_the_person_is_asked_before_something_is_replaced(tmp_path):
    call(tmp_path, "folder_write", path="a.txt", content="old")
    (refused,), questions = calls(
        tmp_path, ("folder_write", {"path": "a.txt", "content": "new \x1b[8m"}), consent=False
    )
    assert refused.error
    assert (tmp_path / "notes/a.txt").read_text() == "old"
    assert "a.txt" in questions[0]
    assert "\x1b" not in questions[0]
    results, questions = calls(
        tmp_path, ("folder_write", {"path": "a.txt", "content": "new"}), consent=False, ask_before_replacing=False
    )
    assert (results[0].text, questions) == ("Replaced a.txt: 3 characters", [])


def test_one_piece_is_replaced_and_only_when_it_is_there_once(tmp_path):
    call(tmp_path, "folder_write", path="a.txt", content="one\ntwo\ntwo\n三\n")
    assert call(tmp_path, "folder_edit", path="a.txt", old="三", new="four").text == "Changed a.txt in line 4"
    assert "occurs 2 times" in call(tmp_path, "folder_edit", path="a.txt", old="two", new="x").text
    assert "occurs 0 times" in call(tmp_path, "folder_edit", path="a.txt", old="five", new="x").text
    assert "occurs 0 times" in call(tmp_path, "folder_edit", path="a.txt", old="", new="x").text
    assert (tmp_path / "notes/a.txt").read_text() == "one\ntwo\ntwo\nfour\n"
    assert sorted(each.name for each in (tmp_path / "notes").iterdir()) == ["a.txt"]


def test_what_is_no_text_or_too_large_is_refused(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/picture").write_bytes(b"\x89PNG\xff\xfe")
    (tmp_path / "notes/large").write_bytes(b"x" * 2000)
    assert "no text" in call(tmp_path, "folder_read", path="picture").text
    (large,), _ = calls(tmp_path, ("folder_read", {"path": "large"}), largest_kib=1)
    assert "at most 1,024" in large.text
    assert call(tmp_path, "folder_read", path="missing").error
