"""Several people, kept apart: a member never sees another's private chat, whatever is asked of the server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.routing import APIRoute

from homeagent.agent import events
from homeagent.agent.recalling import Why
from homeagent.memory.results import Recall
from homeagent.server.for_members import as_told, waiting
from homeagent.server.hub import Hub, Notice
from homeagent.server.memory_forms import found_form
from homeagent.server.routes import ROUTERS
from tests.server.openapi import Operation, operations
from tests.server.serving import until

if TYPE_CHECKING:
    import httpx2

    from tests.server.serving import Served

OWNERS = "zeppelin-4711-quartz"
BERTS = "marzipan-8088-opal"

FOR_MEMBERS = {
    "GET /health", "GET /ready",
    "GET /api/session", "POST /api/session", "DELETE /api/session",
    "GET /v1/models", "GET /v1/models/{model}", "POST /v1/chat/completions", "POST /v1/embeddings",
    "GET /api/chats", "POST /api/chats", "POST /api/chats/{chat}/messages", "POST /api/chats/{chat}/turns",
    "POST /api/chats/{chat}/stop", "POST /api/chats/{chat}/undo", "POST /api/chats/{chat}/clear",
    "GET /api/chats/{chat}/why", "GET /api/chats/{chat}/turns",
    "GET /api/events", "GET /api/questions", "POST /api/questions/{question}",
    "GET /api/memory/search", "GET /api/memory/pending", "GET /api/memory/turns", "GET /api/memory/chats",
    "POST /api/memory/turns", "GET /api/memory/turns/{turn}",
    "GET /api/memory/turns/{turn}/attachments/{segment}/{number}", "GET /api/memory/turns/{turn}/shares",
    "POST /api/memory/turns/{turn}/shares", "POST /api/memory/turns/{turn}/unshare",
    "POST /api/memory/forget", "POST /api/memory/undo", "GET /api/memory/export",
    "GET /api/documents", "GET /api/documents/{document}",
    "GET /api/facts", "GET /api/facts/entities", "GET /api/facts/graph",
}  # fmt: skip
"""What a member may ask at all; of everything else the answer is 403."""

FOR_ANYBODY = {"GET /health", "GET /ready", "POST /api/session"}
"""What needs no token, or asks for it in its body."""

STREAMS = {"GET /api/events"}

MOVING = {*STREAMS, "GET /api/memory/backup", "GET /api/memory/export", "GET /api/memory/status", "GET /api/usage",
          "GET /api/memory/turns", "GET /api/memory/chats", "GET /api/memory/pending", "GET /api/people",
          "GET /api/memory/search", "GET /api/documents", "GET /api/policies", "GET /api/facts", "GET /api/facts/entities", "GET /api/facts/graph"}  # fmt: skip
"""What of the owner's view moves when a member talks."""


def say(client: httpx2.Client, text: str, chat: str = "main") -> str:
    answer = client.post(f"/api/chats/{chat}/turns", json={"text": text})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["turn"])


def asked(client: httpx2.Client, operation: Operation) -> tuple[int, str]:
    sent: dict[str, Any] = {} if operation.body is None else {"json": operation.body}
    if operation.headers:
        sent["headers"] = {name: str(value) for name, value in operation.headers.items()}
    query = {name: str(value) for name, value in operation.query.items()}
    if operation.name in STREAMS:
        query["seconds"] = "0.5"
    with client.stream(operation.method, operation.path, params=query, **sent) as answer:
        return answer.status_code, answer.read().decode("utf-8", "replace")


@pytest.fixture(scope="module")
def household(served: Served) -> dict[str, str]:
    """An owner, Anna and Bert, each with something said in private; Anna's token, and ids of what the owner has."""
    anna, bert = served.member("anna"), served.member("bert")
    with served.client(bert) as client:
        say(client, f"My secret word is {BERTS}.")
    with served.client() as owner:
        turn = say(owner, f"My sister Ida lives in {OWNERS}.")
        say(owner, f"Ida's secret word is {OWNERS}.", "other")
        note = {"text": f"Ida wrote {OWNERS}.", "external_id": "letter-1"}
        assert owner.post("/api/memory/turns", json=note).status_code == 201
        document = owner.post("/api/documents", json={"title": OWNERS, "turns": [turn]}).json()["document"]
        until(lambda: owner.get("/api/facts", params={"history": True}).json()["pending"] == 0)
        owner.post("/api/facts", json={"subject": "Ida", "relation": "likes", "value": OWNERS})
        until(lambda: not owner.get("/api/documents").json()["documents"][0]["pending"])
        facts = owner.get("/api/facts", params={"history": True}).json()["facts"]
        assert OWNERS in str(facts)
        entity = next(each["subject"] for each in facts if OWNERS in each["value"])
    return {
        "token": anna, "turn": turn, "document": document, "fact": facts[0]["fact"], "entity": entity, "chat": "main",
        "segment": "0", "number": "0", "kind": "tool", "name": "cmd_run", "key": "agent.persona", "merge": "0",
    }  # fmt: skip


def pointed_at_the_owner(household: dict[str, str]) -> dict[str, object]:
    """Return what stands for the owner and what is his, by every name under which something can be asked for."""
    return {
        **household,
        "as": "owner", "person": "owner", "sender": "owner", "user": "owner",
        "channel": "api", "in_channel": "api", "in_chat": "owner/main",
        "turns": [household["turn"], "letter-1"], "source": "api/owner", "external_id": "letter-1",
        "about": "Ida", "subject": household["entity"], "into": household["entity"], "other": household["entity"],
        "q": "What is Ida's secret word?", "text": "What is Ida's secret word?", "history": "true", "current": "false",
        "messages": [{"role": "user", "content": "What is Ida's secret word?"}],
        "since": "2000-01-01T00:00:00Z", "limit": "100", "confirm": True, "last-event-id": "",
    }  # fmt: skip


def everything_of(owner: httpx2.Client) -> dict[str, str]:
    """Return all that the owner has, as it can be asked for: what changed there was changed by somebody."""
    description = owner.get("/openapi.json").json()
    kept: dict[str, str] = {}
    for operation in operations(description, {}):
        if operation.method == "GET" and operation.path == operation.template and operation.name not in MOVING:
            kept[operation.name] = asked(owner, operation)[1]
    turns = owner.get("/api/memory/turns", params={"limit": 200}).json()["turns"]
    own = [each for each in turns if each["place"]["chat"].startswith("owner/")]
    kept["own turns"] = str(own)
    documents = owner.get("/api/documents").json()["documents"]
    kept["own documents"] = str([each for each in documents if each["chat"].startswith("owner/")])
    kept["overrides"] = str(owner.get("/api/policies").json()["overrides"])
    for each in own:
        kept[each["turn"]] = owner.get(f"/api/memory/turns/{each['turn']}").text
        kept[f"{each['turn']} shares"] = owner.get(f"/api/memory/turns/{each['turn']}/shares").text
    return kept


@pytest.mark.parametrize("pointed", [False, True], ids=["the least", "all that is the owner's"])
def test_a_member_never_sees_or_changes_what_is_anothers_whatever_is_asked(
    served: Served, household: dict[str, str], pointed: bool
) -> None:
    names = pointed_at_the_owner(household) if pointed else dict(household)
    with served.client(household["token"]) as anna, served.client() as owner:
        description = owner.get("/openapi.json").json()
        before = everything_of(owner)
        done: set[str] = set()
        for operation in operations(description, names, pointed=pointed):
            status, text = asked(anna, operation)
            done.add(operation.name)
            assert OWNERS not in text, operation.name
            assert BERTS not in text, operation.name
            assert status < 500, f"{operation.name}: {text}"
            if operation.name not in FOR_MEMBERS:
                assert status == 403, f"{operation.name} is open to members: {status} {text}"
            else:
                assert (
                    status != 403 or "share" in operation.name or "forget" in operation.name or "undo" in operation.name
                )
        assert done >= FOR_MEMBERS
        after = everything_of(owner)
        assert {name: (was, after.get(name)) for name, was in before.items() if after.get(name) != was} == {}
        assert after.keys() == before.keys()


@pytest.mark.parametrize("token", ["none", "wrong", "revoked"])
def test_nothing_at_all_is_answered_without_a_token_that_holds(
    served: Served, household: dict[str, str], token: str
) -> None:
    with served.client() as owner:
        made = owner.post("/api/tokens", json={"person": "owner"}).json()
        owner.delete(f"/api/tokens/{made['id']}")
        before = everything_of(owner)
        description = owner.get("/openapi.json").json()
    used = {"none": "", "wrong": "ha_wrong-wrong-wrong-wrong", "revoked": made["value"]}[token]
    with served.client(used) as stranger:
        for operation in operations(description, pointed_at_the_owner(household), pointed=True):
            if operation.name in FOR_ANYBODY:
                continue
            status, text = asked(stranger, operation)
            assert status in (401, 429), f"{operation.name}: {status} {text}"  # of wrong ones not many are tried
            assert OWNERS not in text, operation.name
    with served.client() as owner:
        assert everything_of(owner) == before


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "POST", "GET", "TRACE"])
def test_no_method_that_is_not_described_does_anything(served: Served, household: dict[str, str], method: str) -> None:
    with served.client(household["token"]) as anna, served.client() as owner:
        description = owner.get("/openapi.json").json()
        for operation in operations(description, household):
            if method.lower() not in description["paths"][operation.template]:
                answer = anna.request(method, operation.path)
                assert answer.status_code in (403, 404, 405), f"{method} {operation.path}: {answer.status_code}"
                assert OWNERS not in answer.text


def test_what_the_description_leaves_out_is_known_by_name() -> None:
    """A route that is left out would be tried by none of these tests."""
    hidden = {
        route.path for router in ROUTERS for route in router.routes
        if not (isinstance(route, APIRoute) and route.include_in_schema)
    }  # fmt: skip
    assert hidden == {"/mcp"}  # test_mcp.py tries it


def test_another_who_used_the_same_name_is_not_told_of_and_not_in_the_way(
    served: Served, household: dict[str, str]
) -> None:
    with served.client(household["token"]) as anna, served.client(served.member("carl")) as carl:
        note = {"text": "the boat is at pier 9", "external_id": "boat"}
        turn = anna.post("/api/memory/turns", json=note).json()["turn"]
        missing = carl.get("/api/memory/turns/nothing-of-this-name").text
        assert carl.get("/api/memory/turns/boat").text == missing.replace("nothing-of-this-name", "boat")
        own = carl.post("/api/memory/turns", json={"text": "my boat sank", "external_id": "boat"}).json()["turn"]
        assert carl.get("/api/memory/turns/boat").json()["turn"] == own
        assert anna.get("/api/memory/turns/boat").json()["turn"] == turn
        taken = {"text": "not yours", "external_id": turn}
        assert carl.post("/api/memory/turns", json=taken).status_code == 201
        assert anna.get(f"/api/memory/turns/{turn}").json()["turn"] == turn
        for each, whose in ((carl, own), (anna, turn)):
            hidden = each.post("/api/memory/forget", json={"turns": ["boat"]}).json()["turns"]
            assert [one["turn"] for one in hidden] == [whose]
        with served.client() as owner:
            several = owner.post("/api/memory/undo", json={"turns": ["boat"]})
            assert several.status_code == 404
            assert "api/anna" in several.text
            one = owner.post("/api/memory/undo", json={"turns": ["boat"], "source": "api/anna"}).json()["turns"]
            assert [each["turn"] for each in one] == [turn]


def test_of_a_chat_only_as_much_is_told_as_may_be_seen(served: Served, household: dict[str, str]) -> None:
    with served.client(household["token"]) as anna, served.client() as owner:
        for text in ("one", "two", "three"):
            turn = say(owner, text, "counted")
        owner.post(f"/api/memory/turns/{turn}/shares", json={"person": "anna"})
        chats = anna.get("/api/memory/chats").json()["chats"]
        told = [(each["turns"], each["title"]) for each in chats if each["place"]["chat"] == "owner/counted"]
        assert told == [(1, "three")]  # what was said first there is not hers
        owner.post(f"/api/memory/turns/{turn}/unshare", json={"person": "anna"})


def test_a_document_that_may_not_be_seen_is_like_one_that_is_not_there(
    served: Served, household: dict[str, str]
) -> None:
    with served.client(household["token"]) as anna:
        hidden = anna.get(f"/api/documents/{household['document']}").text
        assert hidden == anna.get("/api/documents/none").text.replace("none", household["document"])


@pytest.mark.parametrize("way", ["named", "searched", "as"])
def test_a_member_can_not_take_anothers_eyes_or_words(served: Served, household: dict[str, str], way: str) -> None:
    with served.client(household["token"]) as anna:
        match way:
            case "named":
                for undo in ("forget", "undo"):
                    answer = anna.post(f"/api/memory/{undo}", json={"turns": [household["turn"]]})
                    assert answer.status_code in (403, 404)
            case "searched":
                assert anna.post("/api/memory/forget", json={"text": OWNERS}).status_code == 403
            case _:
                for person in ("owner", "bert"):
                    found = anna.get("/api/memory/search", params={"q": "secret word", "as": person}).text
                    assert OWNERS not in found
                    assert BERTS not in found


def test_the_owners_agent_does_not_recall_what_a_member_said_in_private(
    served: Served, household: dict[str, str]
) -> None:
    with served.client() as owner:
        for place in ("main", "new"):
            answer = owner.post(f"/api/chats/{place}/turns", json={"text": "What is Bert's secret word?"})
            assert BERTS not in str(answer.json())


def test_what_is_shared_on_purpose_is_seen_until_it_is_taken_back(served: Served, household: dict[str, str]) -> None:
    with served.client() as owner, served.client(household["token"]) as anna:
        turn = say(owner, "The party for grandma is on the 12th, in the pavilion.")
        assert anna.get(f"/api/memory/turns/{turn}").status_code == 404
        owner.post(f"/api/memory/turns/{turn}/shares", json={"person": "anna"})
        assert anna.get(f"/api/memory/turns/{turn}").status_code == 200
        assert "pavilion" in anna.get("/api/memory/search", params={"q": "Where is the party?"}).text
        assert "pavilion" in anna.get("/api/memory/export").text
        owner.post(f"/api/memory/turns/{turn}/unshare", json={"person": "anna"})
        assert anna.get(f"/api/memory/turns/{turn}").status_code == 404
        assert "pavilion" not in anna.get("/api/memory/search", params={"q": "Where is the party?"}).text


def test_a_member_forgets_and_brings_back_their_own_words(served: Served, household: dict[str, str]) -> None:
    with served.client(household["token"]) as anna:
        turn = say(anna, "I hid the chocolate in the piano.", "own")
        assert turn in anna.get("/api/memory/search", params={"q": "Where is the chocolate?"}).text
        assert anna.post("/api/memory/forget", json={"turns": [turn]}).json()["turns"][0]["forgotten"] is True
        assert turn not in anna.get("/api/memory/search", params={"q": "Where is the chocolate?"}).text
        anna.post("/api/memory/undo", json={"turns": [turn]})
        assert turn in anna.get("/api/memory/search", params={"q": "Where is the chocolate?"}).text


def test_events_are_heard_by_those_whose_chat_it_is_and_go_on_from_the_last(
    served: Served, household: dict[str, str]
) -> None:
    def events(client: httpx2.Client, last: str, wanted: str) -> tuple[str, str]:
        seen = ""
        with client.stream("GET", "/api/events", headers={"last-event-id": last} if last else {}) as answer:
            for piece in answer.iter_text():
                seen += piece
                if wanted in seen:
                    break
        return seen, seen.rpartition("id: ")[2].partition("\n")[0]

    with served.client() as owner, served.client(household["token"]) as anna, served.client() as listening:
        say(owner, "one")
        seen, last = events(listening, "nobody-1", "event: reset")
        assert seen.count("event: reset") == 1
        say(anna, "a message of Anna's own")
        say(owner, "words that events do not repeat")
        seen, last = events(listening, last, "turn_ended")
        assert "event: turn_started" in seen or "event: reset" in seen
        assert "a message of Anna's own" not in seen  # words are asked for by their turn: they may be erased by then
        say(anna, "another one of Anna's")
        marker = say(owner, "three")
        seen, _ = events(listening, last, marker)
        assert '"chat": "anna/' not in seen
        assert "do not repeat" not in seen
        assert '"chat": "owner/' in seen


def test_a_listener_who_did_not_read_for_long_is_told_to_look_anew_and_misses_nothing_after() -> None:
    async def listened() -> list[str]:
        hub, heard = Hub(), list[str]()
        async with aclosing(hub.follow("anna")) as notices:
            hub.publish("first", {}, ("anna",))
            waiting = asyncio.create_task(anext(notices))
            await asyncio.sleep(0)
            hub.publish("second", {}, ("anna",))
            heard.append((await waiting).kind)
            for number in range(5_000):
                hub.publish(str(number), {}, ("anna", "owner") if number % 2 else ("owner",))
            hub.publish("last", {}, ("anna",))
            while heard[-1] != "last":
                heard.append((await anext(notices)).kind)
        return heard

    heard = asyncio.run(listened())
    assert heard[0] == "second"  # what was before he listened he did not ask for
    assert heard.count("reset") == 1
    after = [int(each) for each in heard[heard.index("reset") + 1 : -1]]
    assert after == list(range(after[0], 5_000, 2))


def test_what_a_member_hears_does_not_tell_how_much_others_hear() -> None:
    async def heard() -> tuple[list[str], list[str]]:
        hub = Hub()
        for _ in range(40):
            hub.publish("turn_ended", {}, ("owner",))
        hub.publish("turn_ended", {}, ("anna", "owner"))
        first = (await _heard(hub, "anna", hub.id_of(Notice("", {}, {"anna": 0}), "anna"), 1))[0]
        for _ in range(3_000):  # more than are kept: nothing of Anna's is among them
            hub.publish("turn_ended", {}, ("owner",))
        hub.publish("turn_ended", {}, ("anna",))
        return [first], await _heard(hub, "anna", first, 1)

    first, then = asyncio.run(heard())
    assert [each.rpartition("-")[2] for each in first + then] == ["1", "2"]


async def _heard(hub: Hub, person: str, last: str, count: int) -> list[str]:
    """The ids of what somebody hears after an id; no reset is among it."""
    found: list[str] = []
    async with aclosing(hub.follow(person, last)) as notices:
        while len(found) < count:
            notice = await anext(notices)
            assert notice.kind != "reset"
            found.append(hub.id_of(notice, person))
    return found


def test_a_member_is_told_that_something_waits_and_not_how_much() -> None:
    told = as_told(events.Recalled(Why("which?", nothing=True, pending=4_711)))
    assert isinstance(told, events.Recalled)
    assert told.why.pending == 1
    found = Recall((), 0.0, nothing=True, pending=4_711)
    assert (found_form(found, is_owner=True).pending, found_form(found, is_owner=False).pending) == (4_711, 1)
    assert waiting(0, is_owner=False) == 0


def test_a_listener_who_said_for_how_long_is_let_go_although_things_happen(served: Served) -> None:
    with (
        served.client() as owner,
        served.client() as listening,
        listening.stream("GET", "/api/events", params={"seconds": 3}) as answer,
    ):
        pieces = answer.iter_text()
        assert next(pieces).startswith(":")
        say(owner, "something happens")
        heard = "".join(pieces)  # ends by itself
        assert "event: turn_ended" in heard


def test_whose_token_was_revoked_hears_no_more(served: Served) -> None:
    token = served.member("dora")
    with (
        served.client() as owner,
        served.client(token) as dora,
        served.client(served.member("dora")) as still,
        dora.stream("GET", "/api/events", params={"seconds": 60}) as answer,
    ):
        pieces = answer.iter_text()
        assert next(pieces).startswith(":")
        held = owner.get("/api/tokens").json()["tokens"]
        first = next(each["id"] for each in held if each["person"] == "dora")
        assert owner.delete(f"/api/tokens/{first}").status_code == 200
        say(still, "said after that")
        assert "event:" not in "".join(pieces)


def test_a_member_is_the_person_of_that_name_in_every_channel(served: Served) -> None:
    token = served.member("clara")
    with served.client() as owner, served.client(token) as clara:
        assert clara.get("/api/session").json() == {
            "person": "clara", "owner": False, "csrf": "", "version": "0.1.0", "model": "homeagent",
        }  # fmt: skip
        people = owner.get("/api/people").json()["people"]
        mine = next(each for each in people if each["person"] == "clara")
        assert {"channel": "api", "sender": "clara"} in mine["senders"]
