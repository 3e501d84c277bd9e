"""Whatever happens to a home, no fact, name or document piece rests on what is hidden, cut, forgotten or erased."""

from __future__ import annotations

import contextlib
from datetime import datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homeagent.errors import NotFoundError
from homeagent.memory.distil.model import ModelFact
from homeagent.memory.erasing.targets import Target
from homeagent.memory.knowledge.graph import Graph
from homeagent.memory.knowledge.writing import hidden_writes
from homeagent.memory.turn import Place, Viewer
from tests.memory.worlds import HIDDEN, PLAIN, cleaned, reply, temporary_memory, tool, turn, user

START = datetime.fromisoformat("2026-01-01T08:00:00+08:00")
SENTENCES = [
    "My name is Ada {}.",
    "我对芒果{}过敏",
    "备用钥匙在柜子{}里",
    "服务器 SSH 端口是 22{}",
    "SSH 改走 33{}",
    "I live in Graz{}.",
    "I don't drink tea{} anymore.",
    "hello there {}",
]
PEOPLE = ["owner", "ana", "bo"]

steps = st.lists(
    st.one_of(
        st.tuples(st.just("keep"), st.integers(0, 7), st.integers(0, 2), st.integers(0, 1)),
        st.tuples(st.just("tool"), st.integers(0, 7), st.integers(0, 2), st.integers(0, 1)),
        st.tuples(st.just("policy"), st.sampled_from(["hide", "plain", "clean"])),
        st.tuples(st.sampled_from(["forget", "undo", "erase"]), st.integers(0, 9)),
        st.tuples(st.just("archive")),
        st.tuples(st.just("distil")),
        st.tuples(st.sampled_from(["commit", "write", "edit", "purge", "bring back"]), st.integers(0, 9)),
        st.tuples(st.just("extract")),
        st.tuples(st.just("rebuild")),
    ),
    max_size=14,
)
POLICIES = {"hide": HIDDEN, "plain": PLAIN, "clean": cleaned("json(content)")}


class Greedy:
    """A model that takes every word of some length for a thing that the speaker has."""

    model_id = "greedy-1"

    def extract(self, text, relations):
        assert "has" in relations
        return [ModelFact("", "has", word, text.text) for word in text.text.split() if len(word) > 3]


class World:
    """A memory, and which turns it should still speak of."""

    def __init__(self, memory):
        self.memory = memory
        self.kept = []
        self.claimed = []
        self.number = 0

    def correct(self, deed, fact):
        forgetting, target = self.memory.forgetting, Target(fact=fact)
        with contextlib.suppress(NotFoundError):  # forgotten already, or not forgotten
            if deed == "edit":
                self.memory.graph.edit_fact(fact, None)
            else:
                (forgetting.forget if deed == "purge" else forgetting.undo)(target)

    def said(self, sentence):
        self.number += 1
        return SENTENCES[sentence].format(f"{self.number:03}")

    def keep(self, segments, person, chat):
        at = START + timedelta(hours=self.number)
        where = ("group", tuple(PEOPLE)) if chat else (PEOPLE[person], ())
        self.kept.append(
            self.memory.keep(turn(*segments, sender=PEOPLE[person], chat=where[0], members=where[1], at=at))
        )

    def do(self, step):
        match step:
            case ("keep", sentence, person, chat):
                self.keep([user(self.said(sentence)), reply("好的。")], person, chat)
            case ("tool", sentence, person, chat):
                text = self.said(sentence)
                self.keep([user("look"), tool(f'{{"content": "{text}"}}'), reply(f"It says: {text}")], person, chat)
            case ("policy", name):
                self.memory.set_policies({"look": POLICIES[name]})
            case ("forget" | "undo" | "erase" as deed, at) if self.kept:
                getattr(self.memory, deed)(self.kept[at % len(self.kept)])
                if deed == "erase":
                    self.kept.pop(at % len(self.kept))
            case ("commit", at) if self.kept:
                chosen = self.memory.find(self.kept[at % len(self.kept)])
                self.memory.graph.commit_fact("me", "likes", f"plum{self.number:03}", turn=chosen)
            case ("write", at):
                self.claimed.append(self.memory.graph.commit_fact("Ada", "likes", f"pear{at}"))
            case ("edit" | "purge" | "bring back" as deed, at) if self.claimed:
                self.correct(deed, self.claimed[at % len(self.claimed)])
            case ("extract",):
                self.memory.graph.extract(Greedy())
            case ("archive" | "distil" | "rebuild" as deed,):
                getattr(self.memory, deed)()
            case _:
                pass


def let_through(memory):
    """By segment, the ranges of raw that the door lets through now, and all text of segments without ranges."""
    ranges, texts = {}, {}
    for row in memory.all_computed():
        texts[row.segment] = row.text.text
        for span in row.text.spans:
            if span.raw_start is not None:
                ranges.setdefault(span.segment, []).append((span.raw_start, span.raw_end))
    return ranges, texts


def check_evidence(memory):
    derived = memory._derived
    ranges, texts = let_through(memory)
    alive = {row.seq for row in memory.turns()} | {row.seq for row in memory._log.writes()}
    hidden = hidden_writes(memory._log.writes(), memory._log.forgotten()) | memory._log.forgotten()
    for fact in derived.facts_in(None):
        assert fact.source in alive
        assert fact.source not in hidden
        pieces = [fact.evidence, fact.value]
        for piece in pieces:
            for span in piece.spans:
                assert piece.text[span.start : span.end] in texts[span.segment]
                if span.raw_start is not None:
                    assert any(low <= span.raw_start and span.raw_end <= high for low, high in ranges[span.segment])
        assert fact.voice == "explicit" or fact.evidence.spans
        assert fact.value.text in fact.evidence.text
    said = "\n".join([*texts.values(), *(row.payload for row in memory._log.writes()), *PEOPLE])
    assert all(ref.name.text in said for ref, _ in derived.mentions())
    for row in derived.documents():
        made = derived.features(row.document)
        for piece in made.summary if made else ():
            assert any(piece.text in text for text in texts.values())


def check_audience(memory):
    """The slow, obvious reference: a viewer sees a fact only from turns of his chat, or that all present heard."""
    for person, chat, members in (("ana", "ana", ("ana",)), ("bo", "group", tuple(PEOPLE)), ("owner", "owner", ())):
        viewer = Viewer(person, Place("cli", chat), members)
        present = {person, *members}
        for fact in memory.graph.history(viewer=viewer):
            for saying in fact.said:
                if saying.turn is None:
                    continue
                row = memory.find(saying.turn)
                heard = {row.sender, *row.members}
                assert row.place.chat == chat or present <= heard


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps)
def test_no_fact_rests_on_what_may_not_be_computed_and_a_rebuild_gives_the_same(todo):
    with temporary_memory() as memory:
        world = World(memory)
        for step in todo:
            world.do(step)
            check_evidence(memory)
        memory.settle()
        check_evidence(memory)
        check_audience(memory)
        assert isinstance(memory.graph, Graph)
        report = memory.rebuild(verify=True)
        assert report.differences == ()
