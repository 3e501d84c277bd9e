"""What a member's agent may do: it reads, runs and sends nothing in the owner's name, whoever agrees to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dev.model_server import Call, ModelServer, Say
from tests.server.serving import Served, configured, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx2

DIARY = "zeppelin-4711-quartz"
WORD = "marzipan-8088-opal"


def home_with(tmp_path: Path, model: ModelServer, more: str = "") -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "diary.txt").write_text(f"Dear diary, {DIARY}.")
    return configured(
        tmp_path / "home",
        f'[memory]\nembedder = "none"\ndistil = "rules"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
        f'[plugins.files]\nroots = ["{docs}"]\n{more}',
    )


def agreeing(client: httpx2.Client, answering: httpx2.Client, text: str) -> tuple[list[str], str]:
    """Say something and agree to everything that is asked; return what was asked, and all that the stream said."""
    asked, said = [], ""
    with client.stream("POST", "/api/chats/x/messages", json={"text": text}) as stream:
        assert stream.status_code == 200, stream.read()
        kind = ""
        for line in stream.iter_lines():
            said += f"{line}\n"
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: ") and kind == "question":
                question = json.loads(line.removeprefix("data: "))
                asked.append(question["text"])
                answering.post(f"/api/questions/{question['question']}", json={"agree": True})
    return asked, said


@pytest.fixture
def does(tmp_path: Path) -> list[Call | Say]:
    pwned = tmp_path / "pwned"
    return [
        Call("files_read", {"path": str(tmp_path / "docs" / "diary.txt")}),
        Call("cmd_run", {"command": f"touch {pwned}"}),
        Call("terminal_create", {"command": f"touch {pwned}"}),
        Call("files_write", {"path": str(tmp_path / "docs" / "new.txt"), "content": "mine"}),
        Call("memory_commit", {"subject": "Ida", "relation": "likes", "value": "me"}),
        Say("done"),
    ]


@pytest.mark.parametrize("more", ["", '[channels.api]\nguest_tools = ["*"]\n'], ids=["as it is", "all allowed"])
def test_a_member_can_not_agree_to_what_a_tool_does_in_the_owners_home(
    tmp_path: Path, does: list[Call | Say], more: str
) -> None:
    with ModelServer(does) as model, Served(home_with(tmp_path, model, more)) as served:
        token = served.member("anna")
        with served.client(token) as anna, served.client(token) as answering:
            asked, said = agreeing(anna, answering, "Do it.")
        assert asked == []
        assert (DIARY in said) == bool(more)  # the owner allowed reading, and then reading needs no question
        assert not (tmp_path / "pwned").exists()
        assert [path.name for path in (tmp_path / "docs").iterdir()] == ["diary.txt"]
        with served.client() as owner:
            assert owner.get("/api/facts", params={"history": True}).json()["facts"] == []
        offered = {each["function"]["name"] for each in model.requests[0].get("tools", [])}  # type: ignore[attr-defined]
        assert ("cmd_run" in offered) == bool(more)
        assert "memory_recall" in offered


def test_the_owner_is_asked_and_agrees(tmp_path: Path) -> None:
    pwned = tmp_path / "made"
    with (
        ModelServer([Call("cmd_run", {"command": f"touch {pwned}"}), Say("done")]) as model,
        Served(home_with(tmp_path, model)) as served,
        served.client() as owner,
        served.client() as answering,
    ):
        asked, _ = agreeing(owner, answering, "Do it.")
        assert len(asked) == 1
        assert pwned.exists()


@pytest.fixture
def reminding() -> Iterator[ModelServer]:
    remind = {"text": "What is the owner's secret word?", "minutes": 0.01}
    with ModelServer([Call("clock_remind", remind), Say("I will."), Say("Here it is.")]) as model:
        yield model


def test_a_members_reminder_comes_in_the_members_name_and_recalls_nothing_of_the_owners(
    tmp_path: Path, reminding: ModelServer
) -> None:
    more = '[channels.api]\nguest_tools = ["clock_*"]\n'
    with Served(home_with(tmp_path, reminding, more)) as served, served.client(served.member("anna")) as anna:
        with served.client() as owner:
            owner.post("/api/memory/turns", json={"text": f"The owner's secret word is {WORD}."})
        anna.post("/api/chats/x/turns", json={"text": "Remind me."})

        def turns() -> list[dict[str, object]]:
            return list(anna.get("/api/chats/x/turns").json()["turns"])

        until(lambda: len(turns()) == 2 and turns()[0]["status"] == "done", 60)
        assert turns()[0]["sender"] == "anna"
        assert WORD not in str(turns())
        assert WORD not in str(reminding.requests)
        offered = {each["function"]["name"] for each in reminding.requests[2].get("tools", [])}  # type: ignore[attr-defined]
        assert offered
        assert all(name.startswith("clock_") for name in offered)


def test_the_owners_own_reminder_recalls_what_is_the_owners(tmp_path: Path, reminding: ModelServer) -> None:
    with Served(home_with(tmp_path, reminding)) as served, served.client() as owner:
        owner.post("/api/memory/turns", json={"text": f"The owner's secret word is {WORD}."})
        owner.post("/api/chats/x/turns", json={"text": "Remind me."})
        until(lambda: len(owner.get("/api/chats/x/turns").json()["turns"]) == 2, 60)
        until(lambda: WORD in str(reminding.requests), 60)


def test_a_member_is_told_nothing_of_the_owners_models(tmp_path: Path) -> None:
    """Neither when they answer, nor when one fails and another stands in, nor when none answers."""
    gone = 'base_url = "http://127.0.0.1:9/v1"\nmodel = "zq-model"\nretries = 0\n'
    with ModelServer([Say("I am here.")], model="zq-small") as model:
        text = (
            f'[memory]\nembedder = "none"\ndistil = "rules"\n[models.zqfirst]\n{gone}'
            f'[models.zqsecond]\nbase_url = "{model.url}"\nmodel = "zq-small"\nprompt_price = 1.0\ncompletion_price = 1.0\n'
        )
        home = configured(tmp_path / "home", text)
        with Served(home) as served, served.client(served.member("anna")) as anna, served.client() as owner:
            assert "zq" not in _all_that_is_told(anna)
            assert "zqsecond" in _all_that_is_told(owner)
            assert "zqsecond" in owner.get("/api/usage").text
            (home / "config.toml").write_text(f'[memory]\nembedder = "none"\n[models.zqfirst]\n{gone}')
            until(lambda: "zqsecond" not in owner.get("/api/settings").text, 60)
            told = _all_that_is_told(anna)
            assert "gave no answer" in told
            assert "zq" not in told
            assert "127.0.0.1:9" not in told
            assert "zqfirst" in _all_that_is_told(owner)


def _all_that_is_told(client: httpx2.Client) -> str:
    said = {"messages": [{"role": "user", "content": "Are you there?"}]}
    with client.stream("GET", "/api/events", params={"seconds": 2}) as events:
        pieces = events.iter_text()
        found = next(pieces)
        found += client.post("/v1/chat/completions", json=said).text
        found += client.post("/v1/chat/completions", json={**said, "stream": True}).text
        found += client.post("/api/chats/x/messages", json={"text": "Are you there?"}).text
        found += client.post("/api/chats/x/turns", json={"text": "Are you there?"}).text
        found += "".join(pieces)
    for path in (
        "/api/chats/x/turns",
        "/api/chats/x/why",
        "/api/session",
        "/v1/models",
        "/ready",
        "/api/memory/export",
    ):
        found += client.get(path).text
    return found
