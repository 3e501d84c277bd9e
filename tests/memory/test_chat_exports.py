"""Exports of ChatGPT and Claude become turns: every word, every branch, every tool, files that are in the zip."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime

import pytest

from homeagent.errors import InputError
from homeagent.memory import Memory, Place, Viewer
from homeagent.memory.embed import NoEmbedder
from homeagent.memory.transfer import import_file


def message(named, role, text, **more):
    content = more.pop("content", {"content_type": more.pop("kind", "text"), "parts": [text]})
    author = {"role": role, "name": more.pop("name", None)}
    return {"id": named, "author": author, "content": content, "create_time": 1714000000.5, **more}


def node(name, parent, found=None, children=()):
    return {"id": name, "message": found, "parent": parent, "children": list(children)}


def chatgpt(nodes, **more):
    return {"id": "c-1", "title": "Trip", "create_time": 1714000000, "mapping": {n["id"]: n for n in nodes}, **more}


CHAT = chatgpt(
    [
        node("root", None, children=["s"]),
        node("s", "root", message("s", "system", ""), ["u1"]),
        node("u1", "s", message("u1", "user", "Where is the dentist?"), ["a1", "a2"]),
        node("a1", "u1", message("a1", "assistant", "In Linz.")),
        node("a2", "u1", message("a2", "assistant", "In Graz, Dr. Weber."), ["u2"]),
        node("u2", "a2", message("u2", "user", "Count to three\n"), ["t0"]),
        node("t0", "u2", message("t0", "assistant", "", content={"content_type": "thoughts", "thoughts": [
            {"summary": "Counting", "content": "it wants numbers"}]}), ["t1"]),
        node("t1", "t0", message("t1", "assistant", "", recipient="python",
             content={"content_type": "code", "text": "print(123)"}), ["t2"]),
        node("t2", "t1", message("t2", "tool", "", name="python",
             content={"content_type": "execution_output", "text": "123\n"}), ["a3"]),
        node("a3", "t2", message("a3", "assistant", "Done.")),
    ]
)  # fmt: skip
CLAUDE = {
    "uuid": "k-1",
    "name": "Keller",
    "created_at": "2025-03-01T09:00:00Z",
    "chat_messages": [
        {"uuid": "m1", "sender": "human", "text": "Wo ist der Schlüssel?", "created_at": "2025-03-01T09:00:01Z",
         "content": [{"type": "text", "text": "Wo ist der Schlüssel?"}],
         "attachments": [{"file_name": "liste.txt", "extracted_content": "Schlüssel: Haken 3"}],
         "files": [{"file_name": "foto.png"}]},
        {"uuid": "m2", "sender": "assistant", "text": "", "created_at": "2025-03-01T09:00:02Z", "content": [
            {"type": "thinking", "thinking": "look it up"},
            {"type": "tool_use", "id": "x", "name": "search", "input": {"q": "钥匙"}},
            {"type": "tool_result", "tool_use_id": "x", "name": "search", "is_error": True,
             "content": [{"type": "text", "text": "no\u0000thing"}]},
            {"type": "text", "text": "Am Haken."}]},
        {"uuid": "m3", "sender": "human", "text": "Danke", "created_at": None, "content": [], "attachments": []},
        {"uuid": "m4", "sender": "assistant", "text": "", "content": [
            {"type": "tool_use", "id": "y", "name": "close", "input": {}}]},
    ],
}  # fmt: skip


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as found:
        yield found


def written(tmp_path, *conversations, name="conversations.json"):
    path = tmp_path / name
    path.write_text(json.dumps(conversations), encoding="utf-8")
    return path


def segments(memory, name):
    return [(each.segment.role, each.segment.text, each.segment.tool) for each in memory.raw(name)]


def test_every_branch_and_tool_of_chatgpt_is_kept(memory, tmp_path):
    report = import_file(memory, written(tmp_path, CHAT))
    assert report.kept == 2
    first, second = memory.turns()
    assert (first.place, first.sender, first.source) == (Place("chatgpt", "c-1"), "owner", "chatgpt")
    assert first.at.datetime() == datetime.fromtimestamp(1714000000.5, UTC)
    assert segments(memory, first.turn_id) == [
        ("user", "Where is the dentist?", None),
        ("assistant", "In Linz.", None),
        ("assistant", "In Graz, Dr. Weber.", None),
    ]
    assert segments(memory, second.turn_id) == [
        ("user", "Count to three\n", None),
        ("assistant", "Counting\nit wants numbers", None),
        ("tool", "123\n", "chatgpt.python"),
        ("assistant", "Done.", None),
    ]
    thought, tool = memory.raw(second.turn_id)[1:3]
    assert (thought.segment.no_memory, tool.segment.arguments) == (True, "print(123)")


def test_what_claude_did_and_was_given_is_kept(memory, tmp_path):
    import_file(memory, written(tmp_path, CLAUDE))
    first, second = memory.turns()
    assert segments(memory, first.turn_id) == [
        ("user", "Wo ist der Schlüssel?", None),
        ("system", "[file: foto.png]", None),
        ("assistant", "look it up", None),
        ("tool", "no\0thing", "claude.search"),
        ("assistant", "Am Haken.", None),
    ]
    rows = [row.segment for row in memory.raw(first.turn_id)]
    (attachment,) = rows[0].attachments
    assert (attachment.name, attachment.data.decode()) == ("liste.txt", "Schlüssel: Haken 3")
    assert (rows[3].error, json.loads(rows[3].arguments)) == (True, {"q": "钥匙"})
    assert segments(memory, second.turn_id) == [("user", "Danke", None), ("tool", "", "claude.close")]
    assert second.at.datetime() == datetime(2025, 3, 1, 9, tzinfo=UTC)


def test_the_owner_finds_at_home_what_he_once_said_elsewhere(memory, tmp_path):
    import_file(memory, written(tmp_path, CHAT, CLAUDE))
    at_home = Viewer("owner", Place("cli", "main"))
    assert memory.recall("dentist Weber", viewer=at_home).hits[0].source == "chatgpt"
    assert memory.recall("Schlüssel", viewer=at_home).hits[0].source == "claude"


def test_a_picture_in_the_zip_is_kept_and_one_that_is_not_is_named(memory, tmp_path):
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-AB12"}
    lost = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file-ZZ99"}
    sent = message("u", "user", "", content={"content_type": "multimodal_text", "parts": [picture, lost, "this one"]})
    sent["metadata"] = {"attachments": [{"id": "file-AB12", "name": "cat.png", "mimeType": "image/png"}]}
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("data/conversations.json", json.dumps([chatgpt([node("u", None, sent)])]))
        file.writestr("data/file-AB12-cat.png", b"\x89PNG")
    import_file(memory, path)
    (row,) = memory.turns()
    words, note = [each.segment for each in memory.raw(row.turn_id)]
    assert (words.text, words.attachments[0].data, words.attachments[0].media_type) == (
        "this one", b"\x89PNG", "image/png",
    )  # fmt: skip
    assert note.text == "[file: file-ZZ99]"


def test_importing_a_later_export_adds_only_what_is_new(memory, tmp_path):
    assert import_file(memory, written(tmp_path, CHAT)).kept == 2
    assert import_file(memory, written(tmp_path, CHAT)).known == 2
    later = json.loads(json.dumps(CHAT))
    later["mapping"]["a3"]["children"] = ["u3"]
    later["mapping"]["u3"] = node("u3", "a3", message("u3", "user", "And four?"))
    report = import_file(memory, written(tmp_path, later, name="later.json"))
    assert (report.kept, report.known) == (1, 2)


ODD = [
    ({"mapping": {"a": {"message": {"author": {"role": "robot"}}}}}, "role"),
    ({"mapping": {"a": 7}}, "mapping.a"),
    ({"title": "nothing"}, "[1]"),
    ({"uuid": "x", "chat_messages": [{"sender": "human", "text": 3}]}, "chat_messages[0].text"),
    ({"uuid": "x", "chat_messages": [{"sender": "human", "text": "a", "created_at": "soon"}]}, "created_at"),
    (chatgpt([node("u", None, message("u", "user", "late", create_time=1e300))]), "create_time"),
]


@pytest.mark.parametrize(("odd", "where"), ODD)
def test_a_conversation_of_another_form_is_left_out_and_named(memory, tmp_path, odd, where):
    report = import_file(memory, written(tmp_path, CHAT, odd))
    assert report.kept == 2
    (error,) = report.skipped.values()
    assert where in error.where


def test_what_is_no_list_of_conversations_is_refused(memory, tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("conversations.json", '{"mapping": {}}')
    with pytest.raises(InputError, match="expected a list"):
        import_file(memory, path)
    assert memory.counts().get("turn", 0) == 0


def test_a_turn_that_is_different_in_a_later_export_stays_as_it_was_kept(memory, tmp_path):
    lost = {"content_type": "multimodal_text", "parts": ["look", {"asset_pointer": "file-service://file-AB12"}]}
    chat = chatgpt([node("u", None, message("u", "user", "", content=lost))])
    import_file(memory, written(tmp_path, chat))
    before = memory.digest()
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("conversations.json", json.dumps([chat, CHAT]))
        file.writestr("file-AB12.png", b"\x89PNG")
    report = import_file(memory, path)
    assert (report.kept, report.known, report.changed) == (2, 1, 1)
    assert memory.digest() != before
    assert segments(memory, next(memory.turns()).turn_id)[1] == ("system", "[file: file-AB12]", None)


def test_a_forked_chat_that_has_the_messages_of_the_other_again_is_kept_too(memory, tmp_path):
    fork = {**json.loads(json.dumps(CHAT)), "id": "c-2"}
    assert import_file(memory, written(tmp_path, CHAT, fork)).kept == 4


def test_a_zip_of_something_else_and_half_a_zip_are_refused(memory, tmp_path):
    path = tmp_path / "photos.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.txt", "x" * 500)
    with pytest.raises(InputError, match=r"without conversations\.json"):
        import_file(memory, path)
    path.write_bytes(path.read_bytes()[:80])
    with pytest.raises(InputError):
        import_file(memory, path)
