"""Whatever is said and however often its policies are turned around: hidden at once, and in the end as if never so."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.memory.worlds import HIDDEN, PLAIN, cleaned, opened, reply, temporary_home, tool, turn, user

POLICIES = {
    "hidden": HIDDEN,
    "plain": PLAIN,
    "none": None,
    "field": cleaned("json(content)"),
    "head": cleaned("head(12)"),
    "fails": cleaned("json(nowhere)"),
}
NAMES = ["look", "read", "l*", "*"]
OUTPUTS = [
    '{"content": "The gate code is zq81kk77vv."}',
    "The gate code is zq81kk77vv.\nAda Kovacs lives in Graz.",
    "Ada Kovacs lives in Graz and works at Brevik.",
]
REPLIES = [
    "As it says: The gate code is zq81kk77vv.",
    "I found: Ada Kovacs lives in Graz.",
    "It is zq81kk77vv, and Ada Kovacs lives in Graz and works at Brevik.",
    "I could not tell.",
]
WORDS = ["I live in Linz.", "Where does she live?", "The gate code is zq81kk77vv."]
WORD = st.one_of(
    st.tuples(st.just("user"), st.sampled_from(WORDS), st.booleans()),
    st.tuples(st.just("tool"), st.sampled_from(OUTPUTS), st.sampled_from(["look", "read"])),
    st.tuples(st.just("reply"), st.sampled_from(REPLIES)),
)
CHANGE = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(sorted(POLICIES)), min_size=1, max_size=2)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("keep"), st.lists(WORD, min_size=1, max_size=4), st.sampled_from("ab")),
        st.tuples(st.just("keep"), st.lists(WORD, min_size=1, max_size=4), st.sampled_from("ab")),
        st.tuples(st.sampled_from(["note", "set", "trial"]), st.just("tool"), CHANGE),
        st.tuples(
            st.sampled_from(["note", "set", "trial"]),
            st.just("channel"),
            st.dictionaries(st.just("cli"), st.sampled_from(["hidden", "plain", "head", "none"]), min_size=1),
        ),
        st.tuples(st.sampled_from(["forget", "undo"]), st.integers(0, 9)),
        st.tuples(st.sampled_from(["restart", "archive", "rebuild", "settle"])),
    ),
    min_size=3,
    max_size=14,
)


class World:
    """One home and what is done to it."""

    def __init__(self, home):
        self.home = home
        self.kept = []
        self.memory = opened(home)

    def do(self, step):
        match step:
            case ("keep", words, chat):
                segments = [self.segment(*word) for word in words]
                self.kept.append(self.memory.keep(turn(*segments, chat=chat)))
            case ("note" | "set" as how, kind, change):
                policies = {name: POLICIES[policy] for name, policy in change.items()}
                act = self.memory.overrides.note if how == "note" else self.memory.set_policies
                act(policies, kind=kind)
                self.check_hidden()
            case ("trial", kind, change):
                self.check_trial({name: POLICIES[policy] for name, policy in change.items()}, kind)
            case ("forget" | "undo" as what, number) if self.kept:
                getattr(self.memory, what)(self.kept[number % len(self.kept)])
            case ("restart",):
                self.memory.shutdown()
                self.memory = opened(self.home)
            case ("archive" | "rebuild" | "settle" as what,):
                getattr(self.memory, what)()

    def segment(self, role, text, more=None):
        match role:
            case "user":
                return user(text, no_memory=more)
            case "tool":
                return tool(text, more)
            case _:
                return reply(text)

    def hidden(self):
        """The segments of which, by the policies in force, nothing may be computed."""
        treatment = {(row.kind, row.name): row.treatment for row in self.memory.overrides.in_force()}
        for row in self.memory.turns():
            for each in self.memory.segments(row):
                segment = each.segment
                key = ("tool", segment.tool) if segment.role == "tool" else ("channel", row.place.channel)
                if segment.no_memory or (segment.role != "assistant" and treatment.get(key) == "hidden"):
                    yield each.seq

    def check_hidden(self):
        """Nothing that is computed, found or claimed rests on a hidden segment, however much still waits."""
        hidden = set(self.hidden())
        assert not [row for row in self.memory.all_computed() if row.segment in hidden and row.text]
        for row in self.memory.turns():
            passages = self.memory._derived.passages_of([row.seq])
            assert not {span.segment for passage in passages for span in passage.text.spans} & hidden
        for fact in self.memory._derived.facts_in(None):
            for text in (fact.evidence, fact.value, fact.subject.name):
                assert not {span.segment for span in text.spans} & hidden

    def check_trial(self, policies, kind):
        """The numbers of a trial are those of doing it."""
        self.memory.settle()
        facts = self.facts()
        old = {row.segment: row for row in self.memory.all_computed()}
        told = self.memory.overrides.trial(policies, kind=kind)
        assert {row.segment: row for row in self.memory.all_computed()} == old
        self.memory.overrides.note(policies, kind=kind)
        self.memory.settle()
        new, now = {row.segment: row for row in self.memory.all_computed()}, self.facts()
        touched = [seq for seq in new if new[seq].fingerprint != old[seq].fingerprint]
        replies = [seq for seq in new if new[seq].role == "assistant" and new[seq].text != old[seq].text]
        assert (told.segments, told.replies) == (len(touched), len(replies))
        assert told.characters_after - told.characters_before == sum(
            len(new[seq].text) - len(old[seq].text) for seq in touched
        )
        assert told.reply_characters_after - told.reply_characters_before == sum(
            len(new[seq].text) - len(old[seq].text) for seq in replies
        )
        assert (told.facts_going, told.facts_coming) == ((facts - now).total(), (now - facts).total())

    def facts(self):
        return Counter(fact.fact for fact in self.memory._derived.facts_in(None))


@given(steps=STEPS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_policies_that_come_and_go_leave_what_the_last_ones_give(steps):
    with ExitStack() as stack:
        world = World(stack.enter_context(temporary_home()))
        stack.callback(lambda: world.memory.shutdown())
        for step in steps:
            before = world.memory.digest()
            world.do(step)
            assert step[0] == "keep" or world.memory.digest() == before
        world.memory.settle()
        world.check_hidden()
        assert world.memory.rebuild(verify=True).differences == ()
