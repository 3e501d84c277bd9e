"""Many at once: chats side by side, the messages of one in order; timers and turns that a kill cut off."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from dev.model_server import ModelServer, Say
from tests.server.serving import Served, configured, until

if TYPE_CHECKING:
    from pathlib import Path

    import httpx2


def words(client: httpx2.Client, chat: str) -> list[tuple[str, str]]:
    turns = client.get(f"/api/chats/{chat}/turns").json()["turns"]
    return [(each["text"], each["status"]) for each in reversed(turns)]


def test_messages_of_one_chat_are_answered_in_order_and_other_chats_do_not_wait(tmp_path: Path) -> None:
    with ModelServer([Say("a slow answer of many words " * 4, 0.05), Say("quick")]) as model:
        text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
        with Served(configured(tmp_path / "home", text)) as served, served.client() as client:
            answers: list[str] = []

            def say(chat: str, text: str) -> None:
                with served.client() as own:
                    answers.append(own.post(f"/api/chats/{chat}/turns", json={"text": text}).json()["reply"])

            first = threading.Thread(target=say, args=("one", "first"))
            first.start()
            until(lambda: len(model.requests) == 1)
            second = threading.Thread(target=say, args=("one", "second"))
            second.start()
            say("two", "aside")
            first.join()
            second.join()
            assert answers[0] == "quick"
            assert words(client, "one") == [("first", "done"), ("second", "done")]
            prompt = [str(each["content"]) for each in model.requests[-1]["messages"]]  # type: ignore[attr-defined]
            assert any("first" in each for each in prompt)
            assert any(each.startswith("a slow answer") for each in prompt)


def test_a_turn_that_a_kill_cut_off_is_closed_and_a_timer_that_fell_due_meanwhile_is_answered(tmp_path: Path) -> None:
    with ModelServer([Say("word " * 600, 0.1)]) as model:
        text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
        home = configured(tmp_path / "home", text)
        with Served(home) as served, served.client() as client:
            timer = {"text": "/tool clock_set_timer minutes=0.02 text='take the bread out'"}
            assert client.post("/api/chats/kitchen/turns", json=timer).json()["status"] == "done"
            with client.stream("POST", "/api/chats/long/messages", json={"text": "Tell me all."}) as answer:
                lines = answer.iter_lines()
                while not next(lines).startswith("event: delta"):
                    pass
                served.kill()
        (home / "config.toml").write_text('[memory]\nembedder = "none"\n')
        with Served(home) as again, again.client() as client:
            assert words(client, "long") == [("Tell me all.", "interrupted")]
            until(lambda: any("bread" in text for text, _ in words(client, "kitchen")[1:]))
            until(lambda: words(client, "kitchen")[-1][1] == "done")


@pytest.mark.parametrize(
    "way", ["POST /api/chats/one/turns", "POST /api/chats/one/messages", "POST /v1/chat/completions"]
)
def test_messages_that_come_at_once_on_many_connections_are_answered_in_their_order(tmp_path: Path, way: str) -> None:
    wanted = [f"message {number}" for number in range(20)]
    with ModelServer([Say("well")]) as model:
        text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
        with Served(configured(tmp_path / "home", text)) as served, served.client() as client, ExitStack() as open_ones:
            address = ("127.0.0.1", int(served.url.rpartition(":")[2]))
            sockets = [open_ones.enter_context(socket.create_connection(address)) for _ in wanted]
            for each, said in zip(sockets, wanted, strict=True):
                messages = [{"role": "user", "content": said}]
                body: dict[str, object] = {"messages": messages, "chat": "one"} if "/v1" in way else {"text": said}
                each.sendall(_request(served, json.dumps(body).encode(), way))
                time.sleep(0.01)  # it has no way to say that it was read: so the kernel hands them on in this order
            until(lambda: [each for each in words(client, "one") if each[1] == "done"][19:] != [])
            assert words(client, "one") == [(each, "done") for each in wanted]


@pytest.mark.parametrize("stream", [False, True])
def test_whoever_leaves_stops_the_turn_and_what_was_said_is_kept(tmp_path: Path, stream: bool) -> None:
    with ModelServer([Say("word " * 3000, 0.1), Say("again")]) as model:
        text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
        with Served(configured(tmp_path / "home", text)) as served, served.client() as client:
            body = {"messages": [{"role": "user", "content": "Tell me all."}], "chat": "long", "stream": stream}
            with socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2]))) as leaving:
                leaving.sendall(_request(served, json.dumps(body).encode()))
                until(lambda: bool(model.requests))
            until(lambda: words(client, "long") == [("Tell me all.", "interrupted")])
            answer = client.post("/v1/chat/completions", json={**body, "stream": False})
            assert answer.json()["choices"][0]["message"]["content"] == "again"


def test_a_turn_of_the_api_goes_on_when_nobody_listens_any_more(tmp_path: Path) -> None:
    with ModelServer([Say("word " * 20, 0.05)]) as model:
        text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
        with Served(configured(tmp_path / "home", text)) as served, served.client() as client:
            for way in ("turns", "messages"):
                head = f"POST /api/chats/{way}/{way}"
                with socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2]))) as leaving:
                    leaving.sendall(_request(served, b'{"text": "Go on."}', head))
                    until(lambda: any(each["running"] for each in client.get("/api/chats").json()["chats"]))
                until(lambda way=way: words(client, way) == [("Go on.", "done")])


def _request(served: Served, body: bytes, head: str = "POST /v1/chat/completions") -> bytes:
    lines = [f"{head} HTTP/1.1", "host: 127.0.0.1", f"authorization: Bearer {served.token}"]
    lines += ["content-type: application/json", f"content-length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body
