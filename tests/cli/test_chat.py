"""``homeagent chat`` from a pipe: each line a message, the answers on standard output, the rest on standard error."""

from __future__ import annotations

import io
import json
import time
from datetime import UTC, datetime, timedelta

import pytest

from dev.model_server import Call, ModelServer, Say
from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder


class Typed(io.StringIO):
    """A pipe through which lines come as somebody makes them."""

    def __init__(self, lines):
        super().__init__()
        self._lines = lines

    def readline(self, size=-1):
        return next(self._lines, "")


@pytest.fixture
def chat(homeagent, monkeypatch):
    """Run a chat in this process and give it these lines."""

    def ran(*lines, words=("chat",)):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return homeagent(*words)

    return ran


def kept(home):
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        return [(row, [each.segment for each in memory.segments(row)]) for row in memory.turns()]


def use(home, server, **more):
    settings = {"base_url": server.url, "model": server.model, "retries": 0} | more
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    (home / "config.toml").write_text("[memory]\nembedder = 'none'\n[models.home]\n" + "\n".join(lines) + "\n")


def test_each_line_is_a_message_and_the_end_of_the_input_leaves(chat):
    ran = chat("The cellar key hangs on the nail.", "", "Where is the cellar key?")
    assert ran.code == 0
    first, second, third, _ = ran.out.splitlines()
    assert (first, second, third) == ("Noted.", "This is what I remember:", "- The cellar key hangs on the nail.")


def test_no_command_at_all_is_a_chat(chat):
    assert chat("hello there", words=()).out == "Noted.\n"
    assert chat(words=["--json"]).json == {"replies": []}


@pytest.mark.parametrize(("tongue", "words"), [("en", "works at once, without a model"), ("zh", "不需要模型")])
def test_a_first_start_says_what_works_and_how_to_add_a_model_in_the_persons_language(homeagent, chat, tongue, words):
    ran = chat(words=["chat", "--lang", tongue])
    assert ran.code == 0
    assert words in ran.err
    shown = [line.split("homeagent ", 1)[1] for line in ran.err.splitlines() if "config set" in line]
    assert len(shown) == 2
    for command in shown:
        _, _, key, value = command.split(" ", 3)
        assert homeagent("config", "set", key, value.strip('"')).code == 0
    assert set(homeagent("config", "show", "--json").json["models"]) == {"home", "cloud"}
    assert words not in chat(words=["chat", "--lang", tongue]).err


def test_an_answer_is_in_the_language_of_the_question_unless_one_was_chosen(chat):
    assert chat("我的猫叫豆豆。").out == "记下了。\n"
    assert chat("我的猫叫豆豆。", words=["chat", "--lang", "en"]).out == "Noted.\n"


def test_a_model_answers_and_calls_tools(chat, home):
    with ModelServer([Call("clock_now"), Say("Late enough.")]) as server:
        use(home, server)
        ran = chat("How late is it?")
    assert (ran.code, ran.out) == (0, "Late enough.\n")
    assert "Talking to home (small)" in ran.err
    assert "clock_now: done" in ran.err
    ((row, segments),) = kept(home)
    assert row.status == "done"
    assert [each.role for each in segments] == ["user", "assistant", "tool", "assistant"]


def test_json_is_one_object_with_every_reply_and_what_it_took(chat, home):
    with ModelServer([Say("one"), Say("two")]) as server:
        use(home, server, prompt_price=2, completion_price=10, currency="EUR")
        found = chat("first", "/why", "second", words=["chat", "--json"]).json["replies"]
    assert [(each["reply"], each["status"], each["source"], each["model"]) for each in found] == [
        ("one", "done", "home", "small"),
        ("two", "done", "home", "small"),
    ]
    assert found[0]["usage"]["prompt_tokens"] == 100
    assert found[0]["cost"] == {"amount": pytest.approx(0.0003), "currency": "EUR"}
    assert found[0]["turn"] != found[1]["turn"]


def test_a_model_that_is_down_fails_the_turn_which_is_kept(chat, home):
    (home / "config.toml").write_text(
        "[memory]\nembedder='none'\n[models.home]\nbase_url='http://127.0.0.1:9/v1'\nmodel='m'\nretries=0\n"
    )
    ran = chat("hello", words=["chat", "--lang", "zh"])
    assert ran.code == 1
    assert "连不上模型服务" in ran.err
    assert "怎么办：请确认服务已启动" in ran.err
    ((row, segments),) = kept(home)
    assert (row.status, [each.text for each in segments]) == ("failed", ["hello"])
    assert chat("again", words=["chat", "--json"]).json["replies"][0]["error"]["next_step"]


def test_undo_takes_the_last_turn_back_and_retry_answers_it_again(chat, home):
    ran = chat("The vault code is 4417.", "/undo", "What is the vault code?")
    assert "Taken back" in ran.err
    assert "4417" not in ran.out
    with ModelServer([Say("bad answer"), Say("good answer")]) as server:
        use(home, server)
        ran = chat("Say something good", "/retry")
        assert ran.out == "bad answer\ngood answer\n"
        said = [each["content"] for each in server.requests[1]["messages"]]
        assert said[-1].startswith("Say something good")
        assert not any("bad answer" in content for content in said)
    with ModelServer([Say("better answer")]) as server:
        use(home, server)
        assert chat("/retry").out == "better answer\n", "also in a later start"
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        texts = [row.text.text for row in memory.all_computed()]
    assert "better answer" in texts
    assert not {"bad answer", "good answer"} & set(texts)


def test_what_is_said_in_private_is_nowhere_on_the_disk(chat, home):
    with ModelServer([Say("A zqsecret it is."), Say("Hello, public.")]) as server:
        use(home, server)
        ran = chat("/private", "My zqsecret is green.", "/memory last", "/private", "Now in public.")
        assert "zqsecret" not in json.dumps(server.requests[1])
    assert "Incognito" in ran.err
    assert "nothing of it was kept" in ran.err
    assert "A zqsecret it is." in ran.out
    assert len(kept(home)) == 1
    assert not [path for path in home.rglob("*") if path.is_file() and b"zqsecret" in path.read_bytes()]
    use(home, server)
    assert chat("another one", words=["chat", "--private", "--json"]).json["replies"][0]["turn"] == ""
    assert len(kept(home)) == 1


def test_nothing_is_noted_in_private(chat):
    ran = chat("/private", "My sister is called Eva.", "/private", "My brother is called Jan.")
    assert ran.out == "Heard; nothing of it is kept.\nNoted.\n"


def test_new_puts_the_conversation_away_and_recall_still_finds_it(chat, home):
    with ModelServer([Say("ok")]) as server:
        use(home, server)
        ran = chat("The ferry leaves at nine.", "/new", "hello again", "When does the ferry leave?")
        later = [message["content"] for message in server.requests[1]["messages"]]
        last = [message["content"] for message in server.requests[2]["messages"]]
    assert "Turns put away: 1" in ran.err
    assert not any("ferry" in str(content) for content in later[:-1])
    assert "The ferry leaves at nine." in last[-1], "recalled, not in view"


def test_why_says_what_was_recalled_and_memory_last_what_is_computed(chat):
    ran = chat("The cellar key hangs on the nail.", "Where is the cellar key?", "/why", "/memory last")
    assert "For: Where is the cellar key?" in ran.out
    assert "used; matched by:" in ran.out
    assert "0 user: whole, 24 of 24 characters" in ran.out
    assert "1 assistant: hidden" in ran.out
    assert "There is no turn yet." in chat("/why", "/memory last", words=["chat", "--chat", "other"]).out


def test_a_typed_tool_runs_and_its_line_is_no_memory(chat, home):
    ran = chat("/tool clock_now", "/tool", "/tool clock_new")
    assert "UTC" in ran.out
    assert "There are: clock_cancel" in ran.out
    assert "Did you mean clock_now?" in ran.out
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        assert not [row for row in memory.all_computed() if row.role == "user" and row.text.text]


def test_where_nobody_can_be_asked_nothing_that_needs_consent_is_done(chat, home, tmp_path):
    ran = chat(f"/tool cmd_run touch {tmp_path / 'made'} > x")
    assert "Nobody can be asked here" in ran.err
    assert not (tmp_path / "made").exists()
    assert "did not agree" in ran.out


def test_a_file_goes_with_the_next_message_and_is_kept_as_it_is(chat, homeagent, home, tmp_path):
    data = bytes(range(256))
    (tmp_path / "my photo.png").write_bytes(data)
    ran = chat(
        f"/attach {tmp_path / 'my photo.png'}", "This is Bean.", "/attach /nowhere/x", "/attach", "And no photo."
    )
    assert "my photo.png (image/png, 256 bytes)" in ran.err
    assert ran.err.count("Error: ") == 2
    homeagent("ask", "Another one.", "--attach", tmp_path / "my photo.png")
    first, second, third = (segments[0].attachments for _, segments in kept(home))
    assert [(each.name, each.media_type, each.data) for each in first] == [("my photo.png", "image/png", data)]
    assert (second, third) == ((), first)
    assert homeagent("ask", "x", "--attach", tmp_path).code == 1


def test_a_change_of_the_settings_holds_from_the_next_message_on(chat, homeagent, home, monkeypatch):
    with ModelServer([Say("I am a model.")]) as server:

        def typed():
            yield "hello\n"
            homeagent_set("models.home", f"base_url='{server.url}', model='small'")
            yield "who are you?\n"
            (home / "config.toml").write_text("[memory\n")
            yield "still there?\n"
            (home / "config.toml").write_text("[memory]\nembedder = 'none'\n")
            yield "and now\n"

        def homeagent_set(key, value):
            from homeagent import config

            config.change(home / "config.toml", key, value)

        monkeypatch.setattr("sys.stdin", Typed(typed()))
        ran = homeagent("chat")
    assert ran.out == "Noted.\nI am a model.\nI am a model.\nNoted.\n"
    assert "home answers now" in ran.err
    assert "is not TOML" in ran.err
    assert "offline answers now" in ran.err


def test_a_change_of_a_plugins_settings_holds_from_the_next_message_on(homeagent, home, tmp_path, monkeypatch):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "note.txt").write_text("fifth")

    def settings(shell, *more):
        lines = ("[memory]", "embedder = 'none'", *more, "[plugins.shell]", *shell)
        (home / "config.toml").write_text("\n".join(lines) + "\n")

    def typed():
        settings(["allow = ['*']"])
        yield "/tool cmd_run command='echo fi''rst'\n"
        settings(["allow = []"])
        yield "/tool cmd_run command='echo sec''ond'\n"
        settings(["allow = ['*']", "alow = 3"])
        yield "/tool cmd_run command='echo th''ird'\n"
        settings(["allow = ['*']"], "[plugins.files]", f"roots = ['{tmp_path / 'plain'}']")
        yield "/tool cmd_run command='echo fou''rth'\n"
        yield f"/tool files_read path={tmp_path / 'plain' / 'note.txt'}\n"

    monkeypatch.setattr("sys.stdin", Typed(typed()))
    ran = homeagent("chat")
    *lines, read = [line for line in ran.out.splitlines() if "did not agree" not in line]
    assert lines == ["first", "fourth"]
    assert '"content": "fifth"' in read
    assert ran.out.count("the person did not agree") == 2
    assert "[plugins.shell]: alow: there is no such setting" in ran.err
    assert "The settings before that stay in force" in ran.err


def test_a_timer_that_is_due_is_answered_while_the_chat_runs(chat, homeagent, home, monkeypatch):
    due = datetime.now(UTC) + timedelta(seconds=0.2)
    waiting = {"id": "i1", "plugin": "clock", "text": "Reminder: eggs", "channel": "cli", "chat": "main"}
    (home / "waiting.json").write_text(json.dumps([waiting | {"no_memory": False, "at": due.isoformat()}]))

    def waits():
        limit = time.monotonic() + 20
        while json.loads((home / "waiting.json").read_text()) and time.monotonic() < limit:
            time.sleep(0.05)
        yield ""

    monkeypatch.setattr("sys.stdin", Typed(waits()))
    ran = homeagent("chat")
    assert ran.out == "* Reminder: eggs\nNoted.\n"
    assert json.loads((home / "waiting.json").read_text()) == []


def test_a_wrong_command_is_told_and_a_path_is_a_message(chat):
    ran = chat("/dance", "/etc/hosts is a file", "/memory all")
    assert "There is no /dance" in ran.err
    assert ran.out == "Noted.\n"
    assert "/memory last" in ran.err


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_help_names_every_command_and_quit_leaves(chat, tongue):
    ran = chat("/help", "/quit", "never said", words=["chat", "--lang", tongue])
    names = [line.split()[0] for line in ran.out.splitlines()]
    assert names == ["/new", "/undo", "/retry", "/private", "/tool", "/attach", "/why", "/memory", "/help", "/quit"]
