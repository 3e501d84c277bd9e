"""Vectors follow the text: each passage has the one its embedder makes, whatever happens meanwhile."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from homeagent.errors import EmbedError
from homeagent.memory.derive import Deriver
from homeagent.memory.door.runner import CleanerProcess
from homeagent.memory.lease import Lease
from homeagent.memory.store.records import PolicyRow
from homeagent.memory.store.sqlite.derived import SqliteDerived
from homeagent.memory.store.sqlite.log import SqliteLog
from tests.memory.worlds import (
    HIDDEN,
    PLAIN,
    LetterEmbedder,
    compute_text,
    found,
    opened,
    tool,
    turn,
    user,
)


def vectors(memory):
    """Text and vector of every passage that has one, as the computed half stores them."""
    derived, model = memory._derived, memory.embedder.model_id
    texts = {row.passage: row.text.text for row in derived.passages_of([each.seq for each in memory.turns()])}
    return {texts[passage]: np.frombuffer(data, "<f2") for passage, _, data in derived.vectors(model, None)}


def test_every_passage_gets_the_vector_of_its_embedder(tmp_path):
    embedder = LetterEmbedder()
    with opened(tmp_path / "home", embedder) as memory:
        memory.set_policies({"look": PLAIN})
        memory.keep(turn(user("the apples are red"), tool("a picture of a tree")))
        memory.keep(turn())
        memory.settle()
        assert memory.pending() == {}
        stored = vectors(memory)
    assert set(stored) == {"the apples are red", "look\na picture of a tree"}
    for text, vector in stored.items():
        (made,) = embedder.passages([compute_text(text)])
        assert np.array_equal(vector, made.astype("<f2"))


def test_a_hidden_output_loses_its_vector_and_gets_it_back(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        memory.set_policies({"look": PLAIN})
        memory.keep(turn(user("hello"), tool("apples")))
        memory.settle()
        memory.set_policies({"look": HIDDEN})
        memory.settle()
        assert set(vectors(memory)) == {"hello"}
        memory.set_policies({"look": PLAIN})
        memory.settle()
        assert set(vectors(memory)) == {"hello", "look\napples"}
        assert memory.rebuild(verify=True).equal


def test_the_same_words_said_twice_share_a_vector_until_both_are_gone(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        one, two = memory.keep(turn(user("apples"))), memory.keep(turn(user("apples")))
        memory.settle()
        memory.forget(one)
        memory.settle()
        assert set(vectors(memory)) == {"apples"}
        memory.forget(two)
        assert vectors(memory) == {}
        assert memory.rebuild(verify=True).equal


class FailingEmbedder(LetterEmbedder):
    """An embedding server that is down until it is mended."""

    down = True

    def passages(self, texts):
        if self.down:
            raise EmbedError("http://localhost", "did not answer", "Start it")
        return super().passages(texts)


def test_words_are_found_while_the_embedder_is_down_and_vectors_come_when_it_is_up(tmp_path, caplog):
    embedder = FailingEmbedder()
    caplog.set_level(logging.CRITICAL)
    with opened(tmp_path / "home", embedder) as memory:
        memory.keep(turn(user("the apples are red"), external_id="a"))
        assert memory.pending() == {"embed": 1}
        with pytest.raises(EmbedError, match="did not answer"):
            memory.settle()
        assert memory.pending() == {"embed": 1}
        assert vectors(memory) == {}
        embedder.down = False
        memory.settle()
        assert memory.pending() == {}
        assert set(vectors(memory)) == {"the apples are red"}
        assert found(memory, "apples") == {"a"}


def test_a_kept_turn_is_pending_until_its_vectors_are_there(tmp_path):
    embedder = FailingEmbedder()
    with opened(tmp_path / "home", embedder) as memory:
        memory.keep(turn(user("the apples are red")))
    embedder.down = False
    with opened(tmp_path / "home", embedder) as memory:
        memory.settle()
        assert set(vectors(memory)) == {"the apples are red"}
        assert memory.recall("apples").pending == 0


def test_a_turn_that_changed_while_it_was_embedded_is_embedded_again(tmp_path):
    with opened(tmp_path / "home") as memory:
        kept = memory.find(memory.keep(turn(user("hello"), tool("apples and pears"))))
    log, derived = SqliteLog(memory.home.log), SqliteDerived(memory.home.derived)
    embedder, cleaners = LetterEmbedder(), CleanerProcess()
    deriver = Deriver(log, derived, embedder, cleaners, Lease(memory.home.lease))

    def meanwhile():
        log.add_policy(PolicyRow(0, "tool", "look", "override", "set", cleaner="head(6)"))
        deriver.catch_up()

    deriver.use_model()
    embedder.meanwhile = meanwhile
    while deriver.embed():
        pass
    left = derived.unembedded(embedder.model_id, [kept.seq])
    for each in (log, derived, cleaners):
        each.close()
    assert {key: text.text for key, text in left.items()} == {}


def test_another_model_embeds_everything_again(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder("letters-1")) as memory:
        memory.keep(turn(user("the apples are red")))
        memory.settle()
    with opened(tmp_path / "home", LetterEmbedder("letters-2")) as memory:
        memory.settle()
        assert set(vectors(memory)) == {"the apples are red"}
        memory.rebuild()
        assert memory.rebuild(verify=True).equal


@pytest.mark.parametrize("after", [LetterEmbedder("letters-2"), None], ids=["another model", "no model"])
def test_a_rebuild_equals_what_is_there_after_a_change_of_model(tmp_path, after):
    with opened(tmp_path / "home", LetterEmbedder("letters-1")) as memory:
        memory.keep(turn(user("the apples are red")))
        memory.settle()
    with opened(tmp_path / "home", after) as memory:
        memory.settle()
        assert memory.rebuild(verify=True).differences == ()


def test_what_was_kept_without_vectors_gets_them_when_there_is_an_embedder_again(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        memory.keep(turn(user("the apples are red")))
        memory.settle()
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("the pears are green")))
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        memory.settle()
        assert set(vectors(memory)) == {"the apples are red", "the pears are green"}
