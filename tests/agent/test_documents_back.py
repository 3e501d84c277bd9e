"""Documents through the whole program: archived from the chat, found, opened, back in view at their own time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.builtin.memory import PLUGIN as MEMORY
from homeagent.memory import Place
from homeagent.models import ScriptedModel
from homeagent_sdk import MemoryPolicy, tool
from tests.agent.worlds import HERE, START, World, call, in_loop

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.memory import Document

LATE = START.replace(day=20)
SECRET = "zqhidden8831"


@tool(no_memory=True)
def peek(what: str) -> str:
    """Look at something that is nobody's business."""
    return f"{what}: {SECRET} boiler pressure protocol"


@tool(cleaner="json(content)")
def sensor(name: str) -> str:
    """Read a sensor."""
    return '{"ok": true, "etag": "zqenvelope", "content": "the ' + name + ' sensor shows sixty degrees"}'


def world_of(home: Path, script: list[object], **parts: object) -> World:
    model = ScriptedModel(lambda _request: script.pop(0))  # type: ignore[arg-type,return-value]
    return World(home, model, peek, sensor, plugins=[MEMORY], **parts)


async def talked(world: World, script: list[object]) -> None:
    """Two matters, two days apart, and then a new conversation."""
    script += [call("peek", 1, what="boiler"), "I looked.", call("sensor", 2, name="boiler"), "It is fine.", "Noted."]
    await world.say("please check the boiler in the cellar", at=START)
    await world.say("is the boiler warm enough", at=START.replace(hour=11))
    await world.say("Novak repairs the boiler on Friday", at=START.replace(hour=12))
    script += ["Nice.", "I see."]
    await world.say("we want to sail around the Lofoten islands", at=START.replace(day=3))
    await world.say("the Lofoten sailing boat costs 900 euros", at=START.replace(day=3, hour=11))
    await world.app.agent.start_anew(HERE)
    world.app.memory.distil()


def documents(world: World) -> list[Document]:
    memory = world.app.memory
    return [memory.document(row.document) for row in memory.documents()]


def output(world: World, name: str) -> str:
    found = [each.text for segments in world.raw() for each in segments if each.tool == name]
    return found[-1]


@in_loop
async def test_what_was_archived_together_is_an_event_by_matter_with_features_of_compute_text(tmp_path: Path) -> None:
    script: list[object] = []
    async with world_of(tmp_path, script) as world:
        await talked(world, script)
        boiler, sailing = documents(world)
        assert [len(each.turns) for each in (boiler, sailing)] == [3, 2]
        events = [row.kind for row in world.app.memory._log.outcomes() if row.kind == "archived"]
        assert len(events) == 2
        words = " ".join([*boiler.summary, *boiler.tags, *boiler.entities]).casefold()
        assert "boiler" in words
        assert SECRET not in words
        assert "zqenvelope" not in words
        text = world.app.memory.document_text(boiler.document)
        assert SECRET in text, "the text is a view of raw, whole"
        assert "zqenvelope" in text
        assert text.index("please check") < text.index("is the boiler warm") < text.index("Novak repairs")
        world.app.memory.rebuild()
        assert [each.document for each in documents(world)] == [boiler.document, sailing.document]


@in_loop
async def test_a_queried_document_comes_back_at_its_own_time_and_is_not_deleted(tmp_path: Path) -> None:
    script: list[object] = []
    async with world_of(tmp_path, script) as world:
        await talked(world, script)
        boiler, sailing = documents(world)
        script += ["Sure."]
        await world.say("tell me about the weather", at=LATE)
        script += [call("doc_query", 1, question="boiler repair"), "Found it."]
        await world.say("what did we do about the boiler?", at=LATE.replace(hour=11))
        assert output(world, "doc_query").startswith(f"{boiler.document}: 3 turns, 2026-05-01, cli/main")
        script += [call("doc_query", 1, document=boiler.document), "Novak, on Friday."]
        await world.say("read it to me", at=LATE.replace(hour=12))
        assert SECRET in output(world, "doc_query"), "the log holds what was handed out"
        prompt = [message.text for message in world.requests[-1].messages]
        assert [text for text in prompt if "in view again, above, at its own time" in text]
        assert sum(SECRET in text for text in prompt) == 1, "once, as it was then"
        places = [
            next(n for n, text in enumerate(prompt) if each in text)
            for each in (
                "please check the boiler",
                "Novak repairs the boiler",
                "tell me about the weather",
                "read it to me",
            )
        ]
        assert places == sorted(places)
        assert [each.document for each in documents(world)] == [boiler.document, sailing.document]
        turn = list(world.app.memory.turns())[-1]
        assert set(boiler.turns) <= {cite for each in world.raw()[-1] for cite in each.cites}
        assert SECRET not in "".join(row.text.text for row in world.app.memory.computed(turn.turn_id))
        await world.app.agent.start_anew(HERE)
        world.app.memory.distil()
        assert sum(len(each.turns) for each in documents(world)) == len(list(world.app.memory.turns())), (
            "each turn once"
        )


@in_loop
async def test_a_document_that_is_too_large_for_the_window_is_handed_out_as_text(tmp_path: Path) -> None:
    script: list[object] = []
    async with world_of(tmp_path, script, window_tokens=3_000, reply_tokens=200) as world:
        script += [f"chapter {n} " + "of the boiler story " * 60 for n in range(8)]
        for n in range(8):
            await world.say(f"boiler story {n}", at=START.replace(minute=n))
        await world.app.agent.start_anew(HERE)
        world.app.memory.distil()
        (story,) = documents(world)
        script += [call("doc_query", 1, document=story.document), "ok"]
        await world.say("read", at=LATE)
        assert "in view again" not in "".join(message.text for message in world.requests[-1].messages)
        assert "chapter 7" in output(world, "doc_query")


@in_loop
async def test_a_document_follows_policies_forgetting_and_audience(tmp_path: Path) -> None:
    script: list[object] = []
    async with world_of(tmp_path, script) as world:
        await talked(world, script)
        memory = world.app.memory
        boiler, _ = documents(world)
        assert "sixty degrees" in " ".join(row.text.text for row in memory.all_computed())
        memory.set_policies({"sensor": MemoryPolicy(no_memory=True)})
        memory.distil()
        features = memory.document(boiler.document)
        assert "sixty" not in " ".join([*features.summary, *features.tags])
        assert "sixty degrees" in memory.document_text(boiler.document)
        memory.forget(boiler.turns[2])
        assert "Novak" not in memory.document_text(boiler.document), "what is forgotten is in no document"
        memory.undo(boiler.turns[2])
        query = call("doc_query", 1, document=boiler.document)
        script += [query, "no", call("doc_query", 1, question="boiler"), "no"]
        await world.say("read it", place=Place("wa", "family"), person="chen", members=("chen",))
        assert "not among those you may see" in output(world, "doc_query")
        await world.say("boiler", place=Place("wa", "family"), person="chen", members=("chen",))
        assert "No document is about this" in output(world, "doc_query")


@in_loop
async def test_a_document_made_on_purpose_is_found_by_its_title(tmp_path: Path) -> None:
    script: list[object] = []
    async with world_of(tmp_path, script) as world:
        await talked(world, script)
        _, sailing = documents(world)
        script += [call("doc_commit", 1, title="Yacht trips", turns=list(sailing.turns)), "Done."]
        await world.say("put the sailing turns together as Summer holidays", at=LATE)
        assert "we want to sail" in world.ui.questions[0]
        assert "did not agree" in output(world, "doc_commit")
        script += [call("doc_commit", 1, title="Summer holidays", turns=[*sailing.turns, sailing.turns[0]]), "Done."]
        await world.say("put the sailing turns together as Summer holidays", at=LATE)
        assert world.ui.questions == []
        assert "holds 2 turns" in output(world, "doc_commit")
        script += [call("doc_query", 1, question="summer holidays"), "ok"]
        await world.say("and the holidays?", at=LATE)
        assert "'Summer holidays'" in output(world, "doc_query").splitlines()[0]
        assert world.app.memory.rebuild(verify=True).equal
