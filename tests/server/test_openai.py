"""The official OpenAI client, unchanged: talking, streaming, the whole history each time, vectors, errors."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import openai
import pytest

from dev.model_server import Call, ModelServer, Say
from tests.server.serving import Served, configured

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def client_of(served: Served, token: str = "") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{served.url}/v1", api_key=token or served.token, max_retries=0)


def turns_of(served: Served, token: str | None = None) -> list[dict[str, object]]:
    with served.client(token) as client:
        return list(client.get("/api/memory/turns", params={"limit": 200}).json()["turns"])


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer([Say("Well said, and noted.")]) as server:
        yield server


@pytest.fixture
def with_model(tmp_path: Path, model: ModelServer) -> Iterator[Served]:
    text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
    with Served(configured(tmp_path / "home", text)) as served:
        yield served


def test_the_first_model_is_the_agent(served: Served) -> None:
    assert client_of(served).models.list().data[0].id == "homeagent"
    assert client_of(served).models.retrieve("homeagent").owned_by == "homeagent"


def test_what_one_chat_was_told_another_recalls(served: Served) -> None:
    client = client_of(served)
    told = "My violin teacher is called Aurelia Quandt."
    client.chat.completions.create(model="homeagent", messages=[{"role": "user", "content": told}])
    asked = [{"role": "user", "content": "What is my violin teacher called?"}]
    answer = client.chat.completions.create(model="homeagent", messages=asked)
    assert "Aurelia Quandt" in (answer.choices[0].message.content or "")
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0


def test_a_stream_says_the_same_as_the_log_and_ends_with_its_usage(with_model: Served) -> None:
    client = client_of(with_model)
    stream = client.chat.completions.create(
        model="homeagent",
        messages=[{"role": "user", "content": "Say something."}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    said = "".join(each.choices[0].delta.content or "" for each in chunks if each.choices)
    assert said == "Well said, and noted."
    assert [each.choices[0].finish_reason for each in chunks if each.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens) == (100, 10)
    assert turns_of(with_model)[0]["reply"] == said


def test_a_history_that_is_sent_again_is_kept_once_and_shown_to_the_model_once(
    with_model: Served, model: ModelServer
) -> None:
    client = client_of(with_model)
    history: list[dict[str, str]] = [{"role": "system", "content": "Answer like a pirate."}]
    for number in range(4):
        history.append({"role": "user", "content": f"Message number {number}."})
        answer = client.chat.completions.create(model="homeagent", messages=history)  # type: ignore[arg-type]
        history.append({"role": "assistant", "content": answer.choices[0].message.content or ""})
    turns = turns_of(with_model)
    assert [each["text"] for each in reversed(turns)] == [f"Message number {number}." for number in range(4)]
    assert len({str(each["place"]) for each in turns}) == 1
    prompt = str(model.requests[-1]["messages"])
    assert prompt.count("Message number 2.") == 1
    assert "pirate" in prompt


def test_another_conversation_that_begins_the_same_way_is_another_chat(with_model: Served) -> None:
    client = client_of(with_model)
    for second in ("about cats", "about dogs"):
        first = [{"role": "user", "content": "Good morning"}]
        answer = client.chat.completions.create(model="homeagent", messages=first, user="the same in every chat")  # type: ignore[arg-type]
        said = {"role": "assistant", "content": answer.choices[0].message.content}
        client.chat.completions.create(
            model="homeagent",
            messages=[*first, said, {"role": "user", "content": second}],  # type: ignore[list-item]
            user="the same in every chat",
        )
    turns = turns_of(with_model)
    assert len(turns) == 4
    places = [each["place"]["chat"] for each in turns]  # type: ignore[index]
    assert len(set(places)) == 2


def test_an_edited_message_goes_on_from_before_it_in_a_chat_of_its_own(with_model: Served, model: ModelServer) -> None:
    client = client_of(with_model)
    talk: list[dict[str, str]] = []
    for text in ("first words", "second words"):
        talk.append({"role": "user", "content": text})
        answer = client.chat.completions.create(model="homeagent", messages=talk)  # type: ignore[arg-type]
        talk.append({"role": "assistant", "content": answer.choices[0].message.content or ""})
    edited = [*talk[:2], {"role": "user", "content": "other words"}]
    client.chat.completions.create(model="homeagent", messages=edited)  # type: ignore[arg-type]
    said = [str(each["content"]) for each in model.requests[-1]["messages"] if each["role"] == "user"]  # type: ignore[attr-defined]
    assert [text.split(" ")[0] for text in said] == ["first", "other"]
    turns = turns_of(with_model)
    assert [each["text"] for each in turns] == ["other words", "second words", "first words"]
    assert turns[0]["place"] != turns[1]["place"] == turns[2]["place"]


def test_the_same_message_again_at_the_end_takes_the_place_of_its_turn(with_model: Served) -> None:
    client = client_of(with_model)
    first = client.chat.completions.create(model="homeagent", messages=[{"role": "user", "content": "one"}])
    said = {"role": "assistant", "content": first.choices[0].message.content}
    again = [{"role": "user", "content": "one"}, said, {"role": "user", "content": "two"}]
    for _ in range(2):
        client.chat.completions.create(model="homeagent", messages=again)  # type: ignore[arg-type]
    turns = turns_of(with_model)
    assert [(each["text"], each["forgotten"]) for each in turns] == [("two", False), ("two", True), ("one", False)]


def test_the_same_message_again_in_a_named_chat_takes_the_place_of_its_turn_too(
    with_model: Served, model: ModelServer
) -> None:
    client = client_of(with_model)

    def asked(messages: list[dict[str, str]]) -> str:
        answer = client.chat.completions.create(
            model="homeagent",
            messages=messages,  # type: ignore[arg-type]
            extra_headers={"X-HomeAgent-Chat": "named"},
        )
        return answer.choices[0].message.content or ""

    first = [{"role": "user", "content": "one"}]
    first.append({"role": "assistant", "content": asked(first)})
    for _ in range(2):
        second = asked([*first, {"role": "user", "content": "two"}])
    turns = turns_of(with_model)
    assert [(each["text"], each["forgotten"]) for each in turns] == [("two", False), ("two", True), ("one", False)]
    said = [str(each["content"]) for each in model.requests[-1]["messages"] if each["role"] == "user"]  # type: ignore[attr-defined]
    assert [text.split("\n")[0] for text in said] == ["one", "two"]
    # Who says a thing twice, with what was answered the first time before it, says it twice.
    asked([*first, {"role": "user", "content": "two"}, {"role": "assistant", "content": second}, first[0]])
    asked([{"role": "user", "content": "two"}])
    assert [each["text"] for each in turns_of(with_model)] == ["two", "one", "two", "two", "one"]


def test_a_conversation_from_elsewhere_is_seen_by_the_model_and_not_kept(
    with_model: Served, model: ModelServer
) -> None:
    talk = [
        {"role": "user", "content": "What rhymes with orange?"},
        {"role": "assistant", "content": "Nothing does, said another model."},
        {"role": "user", "content": "And with silver?"},
    ]
    client_of(with_model).chat.completions.create(model="homeagent", messages=talk)  # type: ignore[arg-type]
    assert "said another model" in str(model.requests[-1]["messages"])
    assert [each["text"] for each in turns_of(with_model)] == ["And with silver?"]


def test_a_chat_is_recognised_after_a_restart_and_by_its_end_alone(tmp_path: Path, model: ModelServer) -> None:
    text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
    home = configured(tmp_path / "home", text)
    talk: list[dict[str, str]] = []
    with Served(home) as served:
        for text in ("red", "green"):
            talk.append({"role": "user", "content": text})
            answer = client_of(served).chat.completions.create(model="x", messages=talk)  # type: ignore[arg-type]
            talk.append({"role": "assistant", "content": answer.choices[0].message.content or ""})
    with Served(home) as served:
        client_of(served).chat.completions.create(
            model="x",
            messages=[*talk, {"role": "user", "content": "blue"}],  # type: ignore[list-item]
        )
        client_of(served).chat.completions.create(
            model="x",
            messages=[  # type: ignore[list-item]
                {"role": "user", "content": "blue"},
                {"role": "assistant", "content": "Well said, and noted."},
                {"role": "user", "content": "white"},
            ],
        )
        turns = turns_of(served)
        assert [each["text"] for each in turns] == ["white", "blue", "green", "red"]
        assert len({str(each["place"]) for each in turns}) == 1


@pytest.mark.parametrize("way", ["header", "body", "metadata"])
def test_a_chat_can_be_named(served: Served, way: str) -> None:
    client = client_of(served)
    more: dict[str, dict[str, object]] = {
        "header": {"extra_headers": {"X-HomeAgent-Chat": f"named-{way}"}},
        "body": {"extra_body": {"chat": f"named-{way}"}},
        "metadata": {"metadata": {"chat": f"named-{way}"}},
    }
    for number in range(2):
        said = [{"role": "user", "content": f"{way} {number}"}]
        client.chat.completions.create(model="homeagent", messages=said, **more[way])  # type: ignore[call-overload]
    with served.client() as http:
        turns = http.get(f"/api/chats/named-{way}/turns").json()["turns"]
    assert [each["text"] for each in turns] == [f"{way} 1", f"{way} 0"]


def test_what_tools_do_comes_as_events_that_the_client_passes_over(tmp_path: Path) -> None:
    answers = [Call("time_now", {}), Say("It is late.")]
    with ModelServer(answers) as model:
        text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
        with Served(configured(tmp_path / "home", text)) as served:
            asked = [{"role": "user", "content": "How late is it?"}]
            stream = client_of(served).chat.completions.create(model="x", messages=asked, stream=True)  # type: ignore[call-overload]
            chunks = list(stream)
            assert "".join(each.choices[0].delta.content or "" for each in chunks) == "It is late."
            told = [
                each.model_extra["homeagent"]["event"]
                for each in chunks
                if "event" in (each.model_extra or {}).get("homeagent", {})
            ]
            assert told.index("tool_started") < told.index("tool_finished")


def test_a_picture_is_kept_and_what_is_no_picture_is_refused(served: Served) -> None:
    client = client_of(served)

    def said(url: str) -> list[dict[str, object]]:
        return [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look at this dot"},
                    {"type": "image_url", "image_url": {"url": url}},
                ],
            }
        ]

    good = "data:image/png;base64," + base64.b64encode(PNG).decode()
    client.chat.completions.create(model="x", messages=said(good))  # type: ignore[arg-type]
    assert turns_of(served)[0]["attachments"] == 1
    for bad in ("https://example.org/a.png", "data:image/png;base64," + base64.b64encode(b"<html>").decode()):
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(model="x", messages=said(bad))  # type: ignore[arg-type]
        assert "attachment" in str(caught.value.body)


def test_errors_are_of_the_kinds_that_the_client_knows(served: Served) -> None:
    with pytest.raises(openai.AuthenticationError):
        client_of(served, "ha_wrong-wrong-wrong-wrong").models.list()
    with pytest.raises(openai.BadRequestError) as caught:
        client_of(served).chat.completions.create(model="x", messages=[{"role": "assistant", "content": "hm"}])
    assert caught.value.body["type"] == "invalid_request_error"  # type: ignore[index]
    with pytest.raises(openai.UnprocessableEntityError):
        client_of(served).chat.completions.create(model="x", messages=[])
    with pytest.raises(openai.NotFoundError):
        client_of(served).models.retrieve("gpt-9")


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_can_not_be_reached_is_an_error_and_the_words_are_kept(tmp_path: Path, stream: bool) -> None:
    text = '[memory]\nembedder = "none"\n[models.gone]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\nretries = 0\n'
    with Served(configured(tmp_path / "home", text)) as served:
        client = openai.OpenAI(base_url=f"{served.url}/v1", api_key=served.token)  # with its own retries
        said = [{"role": "user", "content": "Keep this all the same."}]
        with pytest.raises(openai.InternalServerError) as caught:
            client.chat.completions.create(model="x", messages=said, stream=stream)  # type: ignore[call-overload]
        assert "127.0.0.1:9" in str(caught.value.body) or "gone" in str(caught.value.body)
        turns = turns_of(served)
        assert [(each["text"], each["status"]) for each in turns] == [("Keep this all the same.", "failed")]


def test_what_is_private_is_in_no_turn(served: Served) -> None:
    client = client_of(served)
    said = [{"role": "user", "content": "A secret about marzipan."}]
    client.chat.completions.create(model="x", messages=said, extra_body={"private": True})  # type: ignore[arg-type]
    assert all("marzipan" not in str(each["text"]) for each in turns_of(served))


def test_vectors_are_refused_where_there_are_none(served: Served) -> None:
    with pytest.raises(openai.BadRequestError):
        client_of(served).embeddings.create(model="any", input="hello")


@pytest.mark.slow
def test_vectors_are_those_of_the_home(tmp_path: Path) -> None:
    with Served(tmp_path / "home") as served:
        client = client_of(served)
        model = client.models.list().data[1].id
        plain = client.embeddings.create(model=model, input=["a cat", "eine Katze"], encoding_format="float")
        packed = client.embeddings.create(model=model, input="a cat")
        assert len(plain.data) == 2
        assert len(plain.data[0].embedding) == len(packed.data[0].embedding) == 384
        assert (
            sum(one * two for one, two in zip(plain.data[0].embedding, packed.data[0].embedding, strict=True)) > 0.999
        )
