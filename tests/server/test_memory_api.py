"""The memory over HTTP: raw beside computed, policies tried and set, erasing with proof, out and in again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dev.model_server import Call, ModelServer, Say
from tests.server.serving import Served, configured, homeagent, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx2


def say(client: httpx2.Client, text: str, chat: str = "main") -> str:
    answer = client.post(f"/api/chats/{chat}/turns", json={"text": text})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["turn"])


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    """A server with a turn in which a tool was run whose output is no memory, and the turn's id."""
    folder = tmp_path_factory.mktemp("noisy")
    (folder / "notes.txt").write_text("the boiler pressure is 1.7 bar, serial HX-99812-K\n" * 3)
    does = [Call("files_read", {"path": str(folder / "notes.txt")}), Say("Your notes speak of the boiler's pressure.")]
    with ModelServer(does) as model:
        text = (
            f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
            f'[plugins.files]\nroots = ["{folder}"]\n'
        )
        with Served(configured(folder / "home", text)) as served, served.client() as client:
            yield served, say(client, "What do my notes say?")


def test_a_turn_is_shown_raw_beside_computed_with_every_reason(noisy: tuple[Served, str]) -> None:
    served, turn = noisy
    with served.client() as client:
        whole = client.get(f"/api/memory/turns/{turn}").json()
        segments = {each["tool"] or each["role"]: each for each in whole["segments"]}
        words = segments["user"]
        assert words["decision"] == "whole"
        assert words["raw"] == words["computed"] == "What do my notes say?"
        assert words["left_out"] == []
        output = segments["files_read"]
        assert "HX-99812-K" in output["raw"]
        assert all(each["reason"] for each in whole["segments"])
        assert whole["tools"] == ["files_read"]


def test_a_policy_is_tried_to_the_character_set_and_taken_back_and_raw_never_moves(noisy: tuple[Served, str]) -> None:
    served, turn = noisy
    with served.client() as client:

        def decision() -> tuple[str, str]:
            segments = client.get(f"/api/memory/turns/{turn}").json()["segments"]
            found = next(each for each in segments if each["tool"] == "files_read")
            return found["decision"], found["computed"]

        before, computed = decision()
        digest = client.get("/api/memory/status").json()["raw_digest"]
        tried = client.post("/api/policies/try", json={"kind": "tool", "name": "files_read", "no_memory": True}).json()
        assert tried["segments"] == 1
        assert tried["characters_before"] > tried["characters_after"]
        assert decision() == (before, computed)
        changed = client.put("/api/policies/tool/files_read", json={"no_memory": True}).json()
        mine = next(each for each in changed["policies"] if each["name"] == "files_read")
        assert (mine["treatment"], mine["origin"]) == ("hidden", "override")
        until(lambda: decision() == ("hidden", ""))
        assert client.get("/api/memory/search", params={"q": "HX-99812-K"}).json()["nothing"] is True
        assert "files_read" in (served.home / "config.toml").read_text()
        client.delete("/api/policies/tool/files_read")
        until(lambda: decision() == (before, computed))
        assert client.get("/api/memory/status").json()["raw_digest"] == digest
        assert client.delete("/api/policies/tool/files_read").status_code == 404
        assert client.put("/api/policies/tool/x", json={"cleaner": "nonsense("}).status_code == 400


def test_the_time_line_is_paged_without_a_gap_or_a_double(served: Served) -> None:
    with served.client() as client:
        said = [say(client, f"page filler {number}", "pages") for number in range(7)]
        seen: list[str] = []
        before: int | None = None
        while True:
            query: dict[str, object] = {"limit": 3, "in_channel": "api", "in_chat": "owner/pages"}
            page = client.get("/api/memory/turns", params=query | ({"before": before} if before else {})).json()
            seen += [each["turn"] for each in page["turns"]]
            before = page["next"]
            if before is None:
                break
        assert seen == list(reversed(said))


def test_what_is_erased_is_gone_from_every_file_and_that_is_proved(tmp_path: Path) -> None:
    with Served(configured(tmp_path / "home", '[memory]\nembedder = "none"\n')) as served, served.client() as client:
        turn = say(client, "The combination of the safe is quillon-33-farthing-81.")
        stays = say(client, "The cat likes tuna.")
        asked = client.post("/api/chats/ask/turns", json={"text": "What opens the safe?"}).json()
        assert "quillon" in str(asked)
        assert "quillon" in client.get("/api/chats/ask/why").text
        preview = client.post("/api/memory/erase/preview", json={"turns": [turn]}).json()
        assert [each["turn"] for each in preview["turns"]] == [turn]
        assert preview["forgotten"] == []
        assert [each["turn"] for each in preview["survivors"]] == [asked["turn"]]  # its reply says it again
        client.post("/api/memory/forget", json={"turns": [stays]}).raise_for_status()
        hidden = client.post("/api/memory/erase/preview", json={"text": "likes tuna"}).json()
        assert (hidden["turns"], [each["turn"] for each in hidden["forgotten"]]) == ([], [stays])
        client.post("/api/memory/undo", json={"text": "likes tuna"}).raise_for_status()
        assert client.post("/api/memory/erase/preview", json={"text": "likes nothing"}).status_code == 404
        doomed = [turn, asked["turn"]]
        assert client.post("/api/memory/erase", json={"turns": doomed}).status_code == 409
        done = client.post("/api/memory/erase", json={"turns": doomed, "confirm": True}).json()
        assert done["turns"] == doomed
        assert done["proof"]["found"] == 0
        assert done["proof"]["files"] > 0
        assert client.get(f"/api/memory/turns/{turn}").status_code == 404
        assert client.get(f"/api/memory/turns/{stays}").status_code == 200
        assert "quillon" not in client.get("/api/chats/ask/why").text
        for path in served.home.rglob("*"):
            if path.is_file():
                assert b"quillon-33" not in path.read_bytes(), path


def test_what_is_exported_is_imported_into_another_home_byte_for_byte(served: Served, tmp_path: Path) -> None:
    with served.client() as client:
        say(client, "Half a pair: \\ud83d and a whole one 🎻, 提琴")
        lines = client.get("/api/memory/export").content
        digest_of = [json.loads(line)["segments"] for line in lines.splitlines()]
    with Served(configured(tmp_path / "home", '[memory]\nembedder = "none"\n')) as other, other.client() as client:
        done = client.post("/api/memory/import", content=lines)
        assert done.status_code == 200, done.text
        assert done.json()["kept"] == len(digest_of)
        assert client.post("/api/memory/import", content=lines).json() == {
            "kept": 0, "known": len(digest_of), "changed": 0, "skipped": 0,
        }  # fmt: skip
        again = [json.loads(line)["segments"] for line in client.get("/api/memory/export").content.splitlines()]
        assert again == digest_of
        assert client.post("/api/memory/import", content=b"no json").status_code == 400


def test_a_backup_is_the_log_and_can_be_restored(served: Served, tmp_path: Path) -> None:
    with served.client() as client:
        turn = say(client, "Back this up, please.")
        (tmp_path / "log.db").write_bytes(client.get("/api/memory/backup").content)
    homeagent(tmp_path / "restored", "memory", "restore", str(tmp_path / "log.db"))
    assert "Back this up" in homeagent(tmp_path / "restored", "memory", "show", turn)
    assert not list(served.home.glob(".backup-*"))


def test_facts_have_their_evidence_and_make_a_graph(served: Served) -> None:
    with served.client() as client:
        turn = say(client, "My brother Tobias lives in Graz.", "facts")
        until(lambda: client.get("/api/facts").json()["pending"] == 0)
        facts = client.get("/api/facts", params={"subject": "Tobias", "history": True}).json()["facts"]
        lives = next(each for each in facts if each["value"] == "Graz")
        assert lives["said"][0]["turn"] == turn
        assert lives["said"][0]["text"] in "My brother Tobias lives in Graz."
        graph = client.get("/api/facts/graph", params={"about": "Tobias"}).json()
        names = {each["entity"]: each["names"] for each in graph["nodes"]}
        edge = next(each for each in graph["edges"] if each["label"] == "Graz")
        assert "Tobias" in names[edge["source"]]
        fixed = client.post(f"/api/facts/{lives['fact']}/correct", json={"value": "Linz"}).json()["fact"]
        now = client.get("/api/facts", params={"subject": "Tobias"}).json()["facts"]
        assert fixed in [each["fact"] for each in now]
        assert "Graz" not in [each["value"] for each in now]


def test_documents_are_made_listed_and_read(served: Served) -> None:
    with served.client() as client:
        turns = [say(client, f"The garden plan, part {number}: roses.", "garden") for number in range(2)]
        made = client.post("/api/documents", json={"title": "Garden plan", "turns": turns}).json()
        assert made["turns"] == turns
        found = client.get("/api/documents", params={"q": "garden plan"}).json()["documents"]
        assert made["document"] in [each["document"] for each in found]
        whole = client.get(f"/api/documents/{made['document']}").json()
        assert "part 1: roses" in whole["text"]


def test_a_stream_of_a_turn_tells_all_that_happens_and_ends_with_its_outcome(served: Served) -> None:
    with served.client() as client:
        say(client, "The ladder is in the barn.", "streamed")
        words = {"text": "Where is the ladder?"}
        with client.stream("POST", "/api/chats/streamed2/messages", json=words) as answer:
            text = answer.read().decode()
        kinds = [line.removeprefix("event: ") for line in text.splitlines() if line.startswith("event: ")]
        assert kinds[0] == "turn_started"
        assert {"recalled", "delta", "said", "turn_ended"} <= set(kinds)
        assert kinds[-1] == "outcome"
        outcome = json.loads(text.splitlines()[[*text.splitlines()].index("event: outcome") + 1].removeprefix("data: "))
        assert "barn" in outcome["reply"]
        assert any("ladder" in each["text"] for each in outcome["why"]["passages"])
        why = client.get("/api/chats/streamed2/why").json()["why"]
        assert why["question"] == "Where is the ladder?"


def test_a_turn_is_stopped_taken_back_and_its_chat_begun_anew(tmp_path: Path) -> None:
    with ModelServer([Say("word " * 400, 0.05)]) as model:
        text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
        with Served(configured(tmp_path / "home", text)) as served, served.client() as client, served.client() as other:
            with client.stream("POST", "/api/chats/long/messages", json={"text": "Tell me everything."}) as answer:
                lines = answer.iter_lines()
                while not next(lines).startswith("event: delta"):
                    pass
                assert other.get("/api/chats").json()["chats"][0]["running"] is True
                assert other.post("/api/chats/long/stop").json()["stopped"] == 1
                rest = "\n".join(lines)
            assert '"status": "interrupted"' in rest
            turn = client.get("/api/chats/long/turns").json()["turns"][0]
            assert turn["status"] == "interrupted"
            assert turn["reply"].startswith("word")
            assert client.post("/api/chats/long/undo").json()["turn"] == turn["turn"]
            assert client.get("/api/chats/long/turns").json()["turns"][0]["forgotten"] is True
            assert client.post("/api/chats/long/clear").json()["turns"] == 0


def test_a_tool_asks_in_the_stream_and_does_what_is_agreed_to(tmp_path: Path) -> None:
    target = tmp_path / "made"
    with ModelServer([Call("cmd_run", {"command": f"touch {target}"}), Say("Done.")]) as model:
        text = f'[memory]\nembedder = "none"\n[models.small]\nbase_url = "{model.url}"\nmodel = "small"\n'
        with Served(configured(tmp_path / "home", text)) as served, served.client() as client, served.client() as other:
            with client.stream("POST", "/api/chats/main/messages", json={"text": "Make that file."}) as answer:
                for line in answer.iter_lines():
                    if line.startswith("event: question") and "closed" not in line:
                        asked = other.get("/api/questions").json()["questions"]
                        assert str(target) in asked[0]["text"]
                        assert other.post(f"/api/questions/{asked[0]['id']}", json={"agree": True}).status_code == 200
            assert target.exists()
            assert other.post("/api/questions/none", json={"agree": True}).status_code == 404


def test_what_is_private_leaves_nothing_and_is_seen_by_nobody(served: Served) -> None:
    with served.client() as client:
        answer = client.post("/api/chats/quiet/turns", json={"text": "A secret: turnip-771.", "private": True}).json()
        assert (answer["turn"], answer["status"]) == ("", "done")
        assert "turnip-771" not in client.get("/api/memory/export").text
    for path in served.home.rglob("*"):
        if path.is_file():
            assert b"turnip-771" not in path.read_bytes(), path


def test_a_source_is_added_with_its_key_and_used_at_once_and_counted(tmp_path: Path) -> None:
    with (
        ModelServer([Say("Hello from the source.")], key="sk-very-private-4711") as model,
        Served(configured(tmp_path / "home", '[memory]\nembedder = "none"\n')) as served,
        served.client() as client,
    ):
        assert client.get("/api/sources").json() == {"model": "offline", "sources": []}
        wanted = {"base_url": model.url, "model": "small", "key": "sk-very-private-4711"}
        added = client.put("/api/sources/mine", json=wanted)
        assert added.status_code == 200, added.text
        assert added.json()["sources"][0]["has_key"] is True
        assert (
            "sk-very" not in added.text + client.get("/api/settings").text + (served.home / "config.toml").read_text()
        )
        assert (served.home / "keys" / "mine.key").stat().st_mode & 0o077 == 0
        checks = client.post("/api/sources/check").json()["checks"]
        assert [(each["name"], each["ok"]) for each in checks] == [("mine", True)]
        answer = client.post("/api/chats/main/turns", json={"text": "Hello?"}).json()
        assert answer["reply"] == "Hello from the source."
        used = client.get("/api/usage").json()["used"]
        assert [(each["source"], each["turns"], each["prompt_tokens"]) for each in used] == [("mine", 1, 100)]
        client.delete("/api/sources/mine")
        assert not (served.home / "keys" / "mine.key").exists()
        assert client.get("/api/sources").json()["model"] == "offline"
        wrong = client.put("/api/sources/bad", json={"base_url": "no url", "model": "m"})
        assert wrong.status_code == 400
        assert client.get("/api/sources").json()["sources"] == []


def test_settings_are_shown_set_and_refused_with_what_to_write(served: Served) -> None:
    with served.client() as client:
        fields = {each["key"]: each for each in client.get("/api/settings").json()["fields"]}
        assert fields["memory.recall_limit"]["example"]
        done = client.put("/api/settings/agent.persona", json={"value": "You are Pip."}).json()
        assert done["values"]["agent"]["persona"] == "You are Pip."
        wrong = client.put("/api/settings/memory.recall_limit", json={"value": "many"})
        assert wrong.status_code == 400
        assert "recall_limit" in wrong.json()["error"]["next_step"]
        client.delete("/api/settings/agent.persona")
        assert client.get("/api/settings").json()["values"]["agent"]["persona"] == ""


def test_a_plugin_is_shown_agreed_to_run_and_turned_off(served: Served, tmp_path: Path) -> None:
    with served.client() as client:
        listed = client.get("/api/plugins").json()["plugins"]
        assert {each["name"]: each["state"] for each in listed}["files"] == "built_in"
        files = client.get("/api/plugins/files").json()
        assert "roots" in files["settings"]
        assert {tool["name"] for tool in files["tools"]} >= {"files_read", "files_write"}
        assert client.post("/api/plugins/files/disable").status_code == 400
        assert client.get("/api/plugins/nobody").status_code == 400
