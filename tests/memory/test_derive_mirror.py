"""The copy in memory that recall reads is of one moment, though another process derives while it is read."""

from __future__ import annotations

from contextlib import closing
from threading import Thread

import pytest

from homeagent.memory.recall.mirror import Mirror
from homeagent.memory.store.sqlite.derived import SqliteDerived
from tests.memory.worlds import HIDDEN, PLAIN, LetterEmbedder, found, opened, tool, turn, user


class BusyDerived(SqliteDerived):
    """A computed half that another process writes to just before the read that is named in ``before``."""

    before = ""
    meanwhile = None

    def _busy(self, name):
        if name == self.before:
            self.before = ""
            self.meanwhile()

    def outlines(self, turns):
        self._busy("outlines")
        return super().outlines(turns)

    def sizes(self, turns):
        self._busy("sizes")
        return super().sizes(turns)

    def vectors(self, model, turns):
        self._busy("vectors")
        return super().vectors(model, turns)


def held(mirror):
    """What the copy says of itself, by another way than it keeps it."""
    passages = {passage for seq in mirror.turns for passage in mirror.passages_of(seq)}
    return passages, {size.turn for size in mirror.sizes.values()} - mirror.turns.keys()


A_MOMENT = 1.0
CASES = [
    (act, first, before)
    for act in ("keep", "keep elsewhere", "hide", "erase")
    for first in (True, False)
    for before in ("outlines", "sizes", "vectors")
]


@pytest.mark.parametrize(("act", "first", "before"), CASES)
def test_it_is_whole_whatever_is_derived_while_it_is_read(tmp_path, act, first, before):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        memory.set_policies({"look": PLAIN})
        memory.keep_all([turn(user("apples"), tool(f"tree {n}"), external_id=str(n)) for n in range(3)])
        memory.settle()
        acts = {
            "keep": lambda: memory.keep(turn(user("pears"))),
            "keep elsewhere": lambda: memory.keep(turn(user("pears"), chat="elsewhere")),
            "hide": lambda: memory.set_policies({"look": HIDDEN}),
            "erase": lambda: memory.erase("1"),
        }
        with closing(BusyDerived(memory.home.derived)) as derived:
            mirror = Mirror(derived, memory.embedder.model_id)
            if not first:
                mirror.refresh()
                memory.keep(turn(user("plums"), external_id="plums"))
                memory.settle()
            other = Thread(target=lambda: (acts[act](), memory.settle()))
            derived.before, derived.meanwhile = before, lambda: (other.start(), other.join(A_MOMENT))
            mirror.refresh()
            other.join()  # an erasure ends only when nobody reads the pages it emptied
            passages, strangers = held(mirror)
            assert strangers == set()
            assert passages == mirror.sizes.keys()
            mirror.refresh()
            fresh = Mirror(derived, memory.embedder.model_id)
            fresh.refresh()
            assert (mirror.sizes, mirror.turns, mirror.scopes) == (fresh.sizes, fresh.turns, fresh.scopes)
            assert held(mirror) == held(fresh) == (fresh.sizes.keys(), set())
            assert mirror.totals(None) == fresh.totals(None)
            assert len(mirror.vectors) == len(fresh.vectors) == len(fresh.sizes)


def test_it_follows_whatever_another_memory_does(tmp_path):
    with opened(tmp_path / "home") as memory, opened(tmp_path / "home") as other:
        memory.set_policies({"look": PLAIN})
        for number in range(3):
            memory.keep(turn(user(f"apple {number}"), tool(f"tree {number}"), external_id=str(number)))
        assert found(other, "tree") == {"0", "1", "2"}
        memory.set_policies({"look": HIDDEN})
        assert found(other, "tree") == set()
        memory.set_policies({"look": PLAIN})
        memory.forget("0")
        memory.erase("1")
        assert found(other, "tree") == {"2"}
        memory.undo("0")
        memory.rebuild()
        memory.keep(turn(user("a tree too"), external_id="3"))
        assert found(other, "tree") == {"0", "2", "3"}
