"""A message that is said again: what takes whose place, in private, with a timer between, and after a restart."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from dev.model_server import Call, ModelServer, Say
from tests.server.serving import Served, configured, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx2

REPLY = "Well said, and noted."


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer([Say(REPLY)]) as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, model: ModelServer) -> Path:
    text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
    return configured(tmp_path / "home", text)


def asked(client: httpx2.Client, *said: str, chat: str = "", **more: object) -> str:
    """Say the last of some messages after the others, each of which was answered; return the chat it went to."""
    messages = [{"role": "user", "content": said[0]}]
    for text in said[1:]:
        messages += [{"role": "assistant", "content": REPLY}, {"role": "user", "content": text}]
    body: dict[str, object] = {"messages": messages, **more}
    answer = client.post("/v1/chat/completions", json={**body, "chat": chat} if chat else body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["homeagent"]["chat"])


def kept(client: httpx2.Client) -> list[tuple[str, bool]]:
    """Return what was said, oldest first, and whether it was forgotten."""
    turns = client.get("/api/memory/turns", params={"limit": 200}).json()["turns"]
    return [(each["text"], each["forgotten"]) for each in reversed(turns)]


def shown(model: ModelServer) -> list[str]:
    """Return what of the person's the model was shown last."""
    messages = model.requests[-1]["messages"]
    assert isinstance(messages, list)
    return [str(each["content"]).partition("\n")[0] for each in messages if each["role"] == "user"]


def is_running(client: httpx2.Client, chat: str) -> bool:
    chats = client.get("/api/chats").json()["chats"]
    return next(bool(each["running"]) for each in chats if each["chat"] == chat)


@pytest.mark.parametrize("chat", ["", "named"])
def test_a_message_that_is_said_again_in_private_forgets_nothing_and_is_shown_once(
    home: Path, model: ModelServer, chat: str
) -> None:
    with Served(home) as served, served.client() as client:
        asked(client, "one", chat=chat)
        asked(client, "one", "two", chat=chat)
        for _ in range(3):
            asked(client, "one", "two", chat=chat, private=True)
            assert shown(model) == ["one", "two"]
        assert kept(client) == [("one", False), ("two", False)]


def test_a_private_message_that_is_said_again_takes_the_place_of_the_private_one_only(
    home: Path, model: ModelServer
) -> None:
    with Served(home) as served, served.client() as client:
        asked(client, "one", chat="named")
        asked(client, "one", "two", chat="named")
        for _ in range(3):
            asked(client, "one", "two", "secret", chat="named", private=True)
            assert shown(model) == ["one", "two", "secret"]
        asked(client, "one", "two", "secret", "more", chat="named", private=True)
        assert shown(model) == ["one", "two", "secret", "more"]
        assert kept(client) == [("one", False), ("two", False)]
        asked(client, "one", "two", chat="named")
        assert kept(client) == [("one", False), ("two", True), ("two", False)]


@pytest.mark.parametrize("chat", ["", "named"])
def test_what_a_timer_said_meanwhile_is_not_what_is_forgotten(home: Path, model: ModelServer, chat: str) -> None:
    timer = Call("clock_set_timer", {"minutes": 0.01, "text": "the bread"})
    model.script([Say(REPLY), timer, Say(REPLY)])
    with Served(home) as served, served.client() as client:
        name = asked(client, "one", chat=chat)
        asked(client, "one", "two", chat=chat)
        until(lambda: len(kept(client)) == 3 and not is_running(client, name))
        assert asked(client, "one", "two", chat=chat) == name
        said = [(text, forgotten) for text, forgotten in kept(client) if "bread" not in text]
        assert said == [("one", False), ("two", True), ("two", False)]
        assert [forgotten for text, forgotten in kept(client) if "bread" in text] == [False]
    with Served(home) as served, served.client() as client:
        assert asked(client, "one", "two", "three", chat=chat) == name
        assert [each for each in shown(model) if not each.startswith("<message")] == ["one", "two", "three"]


def test_a_message_that_failed_and_is_said_again_is_one_of_its_chat(home: Path, model: ModelServer) -> None:
    with Served(home) as served, served.client() as client:
        chat = asked(client, "one")
        with served.client() as stopping, served.client() as talking:
            model.script([Say("word " * 600, 0.1), Say(REPLY)])
            messages = [{"role": "user", "content": "one"}, {"role": "assistant", "content": REPLY}]
            body = {"messages": [*messages, {"role": "user", "content": "two"}]}
            answers: list[int] = []
            thread = threading.Thread(
                target=lambda: answers.append(talking.post("/v1/chat/completions", json=body).status_code)
            )
            thread.start()
            until(lambda: len(model.requests) == 2)
            assert stopping.post(f"/api/chats/{chat}/stop").json() == {"stopped": 1}
            thread.join()
        assert asked(client, "one", "two") == chat
        assert asked(client, "one", "two", "three") == chat
        assert kept(client) == [("one", False), ("two", False), ("two", False), ("three", False)]
    with Served(home) as served, served.client() as client:
        assert asked(client, "one", "two", "three", "four") == chat


def test_a_private_message_elsewhere_leaves_not_even_the_name_of_its_chat_on_the_disk(
    home: Path, model: ModelServer
) -> None:
    with Served(home) as served, served.client() as client:
        asked(client, "one")
        asked(client, "one", "two")
        other = asked(client, "one", "else", private=True)
        assert shown(model) == ["one", "else"]
        assert asked(client, "one", "two") != other
        assert kept(client) == [("one", False), ("two", True), ("two", False)]
        files = [path for path in home.rglob("*") if path.is_file() and other.encode() in path.read_bytes()]
        assert files == []
        assert asked(client, "one", "kept") != other
    assert other.encode() not in (home / "chats.json").read_bytes()


def test_undo_after_a_turn_was_forgotten_elsewhere_takes_the_one_before(home: Path, model: ModelServer) -> None:
    with Served(home) as served, served.client() as client:
        turns = [client.post("/api/chats/main/turns", json={"text": each}).json()["turn"] for each in ("one", "two")]
        client.post("/api/memory/forget", json={"turns": [turns[1]]})
        assert client.post("/api/chats/main/undo").json() == {"turn": turns[0]}
        assert client.post("/api/chats/main/undo").json() == {"turn": None}


def test_a_chat_in_which_something_was_said_again_is_recognised_after_a_restart(home: Path, model: ModelServer) -> None:
    with Served(home) as served, served.client() as client:
        chat = asked(client, "one")
        for _ in range(2):
            assert asked(client, "one", "two") == chat
    with Served(home) as served, served.client() as client:
        assert asked(client, "one", "two", "three") == chat
        assert shown(model) == ["one", "two", "three"]
