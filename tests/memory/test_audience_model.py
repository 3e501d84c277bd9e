"""Whatever happens, recall shows what the rule of audiences says: held against a reading of it that is slow and plain.

The model keeps a list of what was said and answers each question by going through all of it, from the words of the
rule alone: a chat sees its own; elsewhere, what all who are present were there for, or were shown on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule

from homeagent.memory.erasing.targets import Target
from homeagent.memory.turn import OWNER, Place, Viewer
from tests.memory.worlds import LetterEmbedder, found, opened, shown, temporary_home, tool, turn, user

SENDERS = ("ann", "ben", "cat", OWNER)
PLACES = [Place(channel, chat) for channel in ("cli", "chat", "mail") for chat in ("one", "two")]
PERSONS = ("chat:ann", "mail:ben", "Ann", "Ben", OWNER)
OWN_CHANNELS = ("cli", "api", "page")

places = st.sampled_from(PLACES)
senders = st.sampled_from(SENDERS)
persons = st.sampled_from(PERSONS)
members = st.lists(senders, max_size=3).map(tuple)


@dataclass
class Said:
    """One turn as the model remembers it. ``with_`` are persons and places it was shared with."""

    name: str
    place: Place
    ids: tuple[str, ...]
    with_: set[object] = field(default_factory=set)
    forgotten: bool = False


class Model:
    """The rule, word by word."""

    def __init__(self):
        self.said: list[Said] = []
        self.who: dict[tuple[str, str], str] = {}

    def person(self, channel, sender):
        if (channel, sender) in self.who:
            return self.who[channel, sender]
        if sender == OWNER and channel in OWN_CHANNELS:
            return OWNER
        return f"{channel}:{sender}"

    def there(self, said):
        return {self.person(said.place.channel, each) for each in said.ids}

    def present(self, viewer):
        here = {self.person(viewer.place.channel, each) for each in (viewer.person, *viewer.members)}
        if viewer.members:
            return here
        for said in self.said:
            if said.place == viewer.place:
                here |= self.there(said)
        return here

    def sees(self, viewer, said):
        if said.forgotten:
            return False
        if said.place == viewer.place or viewer.place in said.with_:
            return True
        return all(each in self.there(said) or each in said.with_ for each in self.present(viewer))

    def visible(self, viewer):
        return {said.name for said in self.said if self.sees(viewer, said)}


class Audience(RuleBasedStateMachine):
    """Turns are said, links and shares come and go, turns are forgotten and erased, the memory is opened again."""

    turns = Bundle("turns")

    @initialize(embedded=st.booleans())
    def begin(self, embedded):
        self.folder = temporary_home()
        self.home = self.folder.__enter__()
        self.embedder = LetterEmbedder() if embedded else None
        self.memory = opened(self.home, self.embedder)
        self.model = Model()
        self.links = []
        self.count = 0

    def teardown(self):
        if hasattr(self, "memory"):
            self.memory.shutdown()
            self.folder.__exit__(None, None, None)

    @rule(target=turns, place=places, sender=senders, members=members)
    def say(self, place, sender, members):
        self.count += 1
        name = f"n{self.count}"
        words = user(f"the zebra said word{self.count}x"), tool(f"zebra page word{self.count}x")
        self.memory.keep(
            turn(*words, chat=place.chat, channel=place.channel, sender=sender, members=members, external_id=name)
        )
        said = Said(name, place, (sender, *members))
        self.model.said.append(said)
        self._ask(Viewer(sender, PLACES[self.count % len(PLACES)], members))
        return said

    @rule(channel=st.sampled_from(("cli", "chat", "mail")), sender=senders, person=st.none() | persons)
    def link(self, channel, sender, person):
        if person is None:
            self.memory.unlink(channel, sender)
        else:
            self.memory.link(channel, sender, person)
        self.links.append(((channel, sender), self.model.who.get((channel, sender))))
        self._set(channel, sender, person)

    @rule()
    def undo_the_last_link(self):
        if self.links:
            (channel, sender), before = self.links[-1]
            now = self.model.who.get((channel, sender))
            self.memory.people.undo()
            self.links.append(((channel, sender), now))
            self._set(channel, sender, before)

    def _set(self, channel, sender, person):
        self.model.who.pop((channel, sender), None)
        if person is not None:
            self.model.who[channel, sender] = person

    @rule(said=turns, whom=persons | places)
    def share(self, said, whom):
        if said in self.model.said:
            self.memory.sharing.share(self.memory.find(said.name), **_whom(whom))
            said.with_.add(whom)
            self._ask_as(whom)

    @rule(said=turns, data=st.data())
    def unshare(self, said, data):
        if said in self.model.said and said.with_:
            whom = data.draw(st.sampled_from(sorted(said.with_, key=repr)))
            self.memory.sharing.unshare(self.memory.find(said.name), **_whom(whom))
            said.with_.discard(whom)
            self._ask_as(whom)

    @rule(said=turns)
    def forget_or_bring_back(self, said):
        if said in self.model.said:
            act = self.memory.forgetting.undo if said.forgotten else self.memory.forgetting.forget
            act(Target((said.name,)))
            said.forgotten = not said.forgotten

    @rule(said=turns)
    def erase(self, said):
        if said in self.model.said:
            self.memory.erase(said.name)
            self.model.said.remove(said)

    @rule(rebuild=st.booleans())
    def open_again(self, rebuild):
        if rebuild:
            self.memory.rebuild()
        self.memory.shutdown()
        self.memory = opened(self.home, self.embedder)

    @rule(person=senders, place=places | st.just(Place("chat", "new")), members=members)
    def ask(self, person, place, members):
        self._ask(Viewer(person, place, members))

    def _ask_as(self, whom):
        """Ask as those whom a share is about: in that chat, or as that person alone somewhere new."""
        if isinstance(whom, Place):
            self._ask(Viewer("zoe", whom))
            return
        for channel in ("cli", "chat", "mail"):
            for sender in SENDERS:
                if self.model.person(channel, sender) == whom:
                    self._ask(Viewer(sender, Place(channel, "alone")))

    def _ask(self, viewer):
        visible = self.model.visible(viewer)
        self.memory.settle()
        assert shown(self.memory, "what did the zebra say", viewer=viewer, limit=50) <= visible
        for said in self.model.said:
            hits = found(self.memory, f"word{said.name[1:]}x", viewer=viewer, limit=50)
            assert hits <= visible
            assert (said.name in hits) is (said.name in visible)

    @rule()
    def ask_as_owner_of_the_home(self):
        everything = {said.name for said in self.model.said if not said.forgotten}
        assert found(self.memory, "zebra", limit=50) == everything


def _whom(whom):
    return {"place": whom} if isinstance(whom, Place) else {"person": whom}


Audience.TestCase.settings = settings(
    max_examples=50, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestAudience = Audience.TestCase
