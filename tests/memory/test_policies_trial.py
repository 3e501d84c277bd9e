"""Trying a policy out tells to the character what setting it does, and leaves both files as they were."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from homeagent.memory import Place, Turn
from tests.memory.worlds import HIDDEN, PLAIN, cleaned, opened, reply, tool, turn, user

NOTE = '{"content": "My name is Quandolino Brevik.", "key": "zq81kk77vv"}'
CHANGES = [
    *(("tool", {"look": policy}) for policy in (HIDDEN, PLAIN, None, cleaned("json(content)"), cleaned("head(20)"))),
    ("tool", {"*": HIDDEN}),
    ("tool", {"lo*": cleaned("json(nowhere)"), "look": HIDDEN, "other": HIDDEN}),
    ("tool", {"nobody": HIDDEN}),
    ("tool", {}),
    ("channel", {"cli": HIDDEN}),
    ("channel", {"cl*": cleaned("head(6)")}),
]
FIRST = [{"look": PLAIN}, {"look": HIDDEN}, {"look": cleaned("json(content)")}]


def rows_of(path):
    """A hash over every row of every table of a SQLite file."""
    digest = hashlib.sha256()
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in sorted(names):
            for row in connection.execute(f'SELECT * FROM "{name}"'):  # noqa: S608
                digest.update(repr((name, row)).encode())
    return digest.hexdigest()


def say(memory):
    memory.keep(turn(user("I live in Graz."), tool(NOTE), reply("The note says: My name is Quandolino Brevik.")))
    memory.keep(turn(user("and the key?"), reply("It is zq81kk77vv, I think."), tool(NOTE), tool("apples", "other")))
    memory.keep(turn(user("again"), reply("My name is Quandolino Brevik. The key is zq81kk77vv."), chat="b"))
    memory.keep(turn(user("look here"), tool(NOTE), reply("Here: Quandolino Brevik, zq81kk77vv."), chat="b"))
    forgotten = memory.keep(turn(user("I live in Linz."), tool(NOTE), reply("zq81kk77vv")))
    memory.keep(Turn(Place("mail", "b"), "owner", (user("I live in Wels."), tool(NOTE))))
    memory.forget(forgotten)
    going = memory.begin(turn(user("go on")))
    memory.append(going, tool(NOTE))
    memory.append(going, reply("zq81kk77vv once more"))
    memory.settle()
    memory.recall("what was begun is derived as well")


@pytest.mark.parametrize("first", FIRST, ids=repr)
@pytest.mark.parametrize(("kind", "change"), CHANGES, ids=repr)
def test_a_trial_says_what_setting_then_does(tmp_path, first, kind, change):
    with opened(tmp_path / "home") as memory:
        memory.set_policies(first)
        say(memory)
        before = (memory.digest(), rows_of(memory.home.derived), rows_of(memory.home.log))
        told = memory.overrides.trial(change, kind=kind)
        assert (memory.digest(), rows_of(memory.home.derived), rows_of(memory.home.log)) == before
        old, facts = (
            {row.segment: row for row in memory.all_computed()},
            Counter(each.fact for each in facts_of(memory)),
        )
        memory.set_policies(change, kind=kind)
        memory.settle()
        new, now = {row.segment: row for row in memory.all_computed()}, Counter(each.fact for each in facts_of(memory))
        assert memory.digest() == before[0]
        changed = [seq for seq in new if new[seq].fingerprint != old[seq].fingerprint]
        assert told.segments == len(changed)
        assert told.segments or kind == "tool"
        assert told.characters_before == sum(len(old[seq].text) for seq in changed)
        assert told.characters_after == sum(len(new[seq].text) for seq in changed)
        replies = [seq for seq in new if new[seq].role == "assistant" and new[seq].text != old[seq].text]
        assert told.replies == len(replies)
        assert told.reply_characters_before == sum(len(old[seq].text) for seq in replies)
        assert told.reply_characters_after == sum(len(new[seq].text) for seq in replies)
        assert (told.facts_going, told.facts_coming) == ((facts - now).total(), (now - facts).total())
        texts = {(old[seq].text.text, new[seq].text.text, new[seq].decision) for seq in new}
        assert {(each.before, each.after, each.decision) for each in told.examples} <= texts
        moved = [seq for seq in new if new[seq].text != old[seq].text]
        assert bool(told.examples) == bool(moved)


def facts_of(memory):
    return memory._derived.facts_in(None)


def test_a_trial_tells_how_far_it_is(tmp_path):
    with opened(tmp_path / "home") as memory:
        say(memory)
        told = []
        memory.overrides.trial({"look": HIDDEN}, progress=lambda done, left: told.append((done, left)))
        assert told[0][0] == 1
        assert told[-1][1] == 0
        assert len({done + left for done, left in told}) == 1
