"""Who may be shown what: held against a slow and obvious reading of the rule."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.memory.store.protocols import Scope, chat_key
from homeagent.memory.turn import OWNER, Place, Viewer
from tests.memory.worlds import LetterEmbedder, found, opened, shown, temporary_memory, tool, turn, user

PEOPLE = ("ann", "ben", "cat", OWNER)
CHANNELS = ("chat", "cli", "page")
PLACES = [Place(channel, name) for channel in CHANNELS for name in ("one", "two", "three")]


@dataclass(frozen=True)
class Said:
    """A turn as far as visibility goes; its number is its name."""

    place: Place
    sender: str
    members: tuple[str, ...]


def person(channel, sender, links):
    """A sender is who he was last linked to, the owner at his own terminal, else a person of that channel alone."""
    at_home = sender == OWNER and channel in ("cli", "page")
    return links.get((channel, sender), OWNER if at_home else f"{channel}:{sender}")


def audience(said, links):
    return {person(said.place.channel, each, links) for each in (said.sender, *said.members)}


def present(viewer, everything, links):
    """Who is there where the question is asked: whom the channel names, else everybody who was there before."""
    here = {person(viewer.place.channel, each, links) for each in (viewer.person, *viewer.members)}
    if not viewer.members:
        here |= {each for said in everything if said.place == viewer.place for each in audience(said, links)}
    return here


def may_see(viewer, said, everything, links):
    return said.place == viewer.place or present(viewer, everything, links) <= audience(said, links)


MEMBERS = st.lists(st.sampled_from(PEOPLE), max_size=3).map(tuple)
TURNS = st.lists(st.builds(Said, st.sampled_from(PLACES), st.sampled_from(PEOPLE), MEMBERS), min_size=1, max_size=7)
VIEWERS = st.lists(
    st.builds(Viewer, st.sampled_from(PEOPLE), st.sampled_from([*PLACES, Place("chat", "new")]), MEMBERS),
    min_size=1,
    max_size=3,
)
LINKS = st.lists(
    st.tuples(st.sampled_from(CHANNELS), st.sampled_from(PEOPLE), st.sampled_from(["chat:ann", "cat", OWNER, None])),
    max_size=4,
)


def link_all(memory, links):
    """Say who is who to the memory; return what then holds."""
    known = {}
    for channel, sender, name in links:
        if name is None:
            memory.unlink(channel, sender)
            known.pop((channel, sender), None)
        else:
            memory.link(channel, sender, name)
            known[channel, sender] = name
    return known


@given(TURNS, VIEWERS, LINKS, st.sampled_from([None, LetterEmbedder()]))
@settings(max_examples=20, deadline=None)
def test_a_viewer_is_shown_what_all_who_are_present_were_there_for_and_nothing_else(turns, viewers, links, embedder):
    with temporary_memory(embedder) as memory:
        for number, said in enumerate(turns):
            words = user(f"the zebra said word{number}x"), tool(f"zebra page word{number}x")
            memory.keep(
                turn(*words, chat=said.place.chat, channel=said.place.channel, sender=said.sender, members=said.members,
                     external_id=str(number))
            )  # fmt: skip
        known = link_all(memory, links)
        memory.settle()
        for viewer in viewers:
            allowed = {str(n) for n, said in enumerate(turns) if may_see(viewer, said, turns, known)}
            assert shown(memory, "what did the zebra say", viewer=viewer, limit=50) <= allowed
            for number in range(len(turns)):
                seen = found(memory, f"word{number}x", viewer=viewer, limit=50)
                assert seen <= allowed
                assert str(number) in seen or str(number) not in allowed
        assert found(memory, "zebra", limit=50) == {str(number) for number in range(len(turns))}


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home") as memory:
        yield memory


ANN_ALONE = Viewer("ann", Place("cli", "ann alone"))
BEN_ALONE = Viewer("ben", Place("cli", "ben alone"))
GROUP = Viewer("ann", Place("cli", "group"), ("ann", "ben"))


def fill(memory):
    memory.keep(turn(user("zebra note of mine"), chat="ann alone", sender="ann", external_id="note"))
    memory.keep(
        turn(user("zebra plan of ours"), chat="group", sender="ben", members=("ann", "ben"), external_id="plan")
    )
    memory.keep(turn(user("zebra joke"), chat="ben alone", sender="ben", external_id="joke"))


def test_a_private_note_never_surfaces_in_a_group(memory):
    fill(memory)
    assert shown(memory, "zebra", viewer=GROUP) == {"plan"}


def test_what_was_said_in_a_group_is_recalled_in_private_by_who_was_there(memory):
    fill(memory)
    assert shown(memory, "zebra", viewer=ANN_ALONE) == {"note", "plan"}
    assert shown(memory, "zebra", viewer=BEN_ALONE) == {"joke", "plan"}


def test_two_guests_chats_never_meet(memory):
    fill(memory)
    guest = Viewer("guest", Place("cli", "guest alone"))
    assert shown(memory, "zebra", viewer=guest) == set()
    memory.keep(turn(user("zebra of the guest"), chat="guest alone", sender="guest", external_id="guest"))
    assert shown(memory, "zebra", viewer=guest) == {"guest"}
    assert "guest" not in shown(memory, "zebra", viewer=ANN_ALONE)


def test_a_chats_own_turns_are_visible_in_it_to_newcomers_too(memory):
    fill(memory)
    newcomer = Viewer("cat", Place("cli", "group"), ("ann", "ben", "cat"))
    assert shown(memory, "zebra", viewer=newcomer) == {"plan"}


def test_where_a_channel_names_no_members_all_who_were_there_count_as_present(memory):
    fill(memory)
    memory.keep(turn(user("zebra walk"), chat="club", sender="ann", external_id="walk"))
    memory.keep(turn(user("hello"), chat="club", sender="ben", external_id="hello"))
    assert found(memory, "zebra", viewer=Viewer("ann", Place("cli", "club"))) == {"walk", "plan"}


def test_the_same_name_in_two_channels_is_two_people_until_they_are_linked(memory):
    fill(memory)
    by_mail = Viewer("ann@example.org", Place("mail", "inbox"))
    assert shown(memory, "zebra", viewer=by_mail) == set()
    memory.link("mail", "ann@example.org", "ann")
    assert shown(memory, "zebra", viewer=by_mail) == set()
    memory.link("cli", "ann", "ann")
    assert shown(memory, "zebra", viewer=by_mail) == {"note", "plan"}
    memory.unlink("mail", "ann@example.org")
    assert shown(memory, "zebra", viewer=by_mail) == set()


def test_a_wrong_link_can_be_mended_and_changes_no_word_of_raw(memory):
    fill(memory)
    before = memory.digest()
    memory.link("cli", "ben", "cli:ann")
    assert shown(memory, "zebra", viewer=BEN_ALONE) == {"note", "plan", "joke"}
    memory.unlink("cli", "ben")
    assert shown(memory, "zebra", viewer=BEN_ALONE) == {"joke", "plan"}
    assert memory.digest() == before


def test_the_owner_is_one_person_in_his_own_channels_and_without_a_viewer_sees_everything(memory):
    fill(memory)
    memory.keep(turn(user("zebra of the owner"), channel="page", chat="inbox", external_id="mine"))
    assert shown(memory, "zebra", viewer=Viewer(OWNER, Place("cli", "owner alone"))) == {"mine"}
    assert shown(memory, "zebra") == {"mine", "note", "plan", "joke"}


def test_a_stranger_who_calls_himself_owner_is_a_stranger_until_the_owner_links_him(memory):
    fill(memory)
    memory.keep(turn(user("zebra of the owner"), channel="page", chat="inbox", external_id="mine"))
    stranger = Viewer(OWNER, Place("mail", "anybody"))
    assert shown(memory, "zebra", viewer=stranger) == set()
    memory.link("mail", OWNER, OWNER)
    assert shown(memory, "zebra", viewer=stranger) == {"mine"}


def test_neighbours_of_a_hit_are_of_its_own_chat_and_as_visible_as_it_is(memory):
    fill(memory)
    for number in range(4):
        memory.keep(
            turn(user(f"plain words {number}"), chat="group", sender="ann",
                 members=("ann", "ben") if number % 2 else (), external_id=f"n{number}")
        )  # fmt: skip
    for number in range(4):
        assert shown(memory, f"plain words {number}", viewer=BEN_ALONE) <= {"n1", "n3", "plan", "joke"}
        assert shown(memory, f"plain words {number}", viewer=GROUP) <= {"n0", "n1", "n2", "n3", "plan"}


def test_forgotten_turns_are_shown_to_nobody_and_come_back(memory):
    fill(memory)
    memory.forget("plan")
    assert "plan" not in shown(memory, "zebra") | shown(memory, "zebra", viewer=GROUP)
    memory.undo("plan")
    assert "plan" in shown(memory, "zebra", viewer=GROUP)


def test_odd_names_make_no_other_person_and_no_other_chat(memory):
    names = ["ann", "Ann", "ann ", "ａｎｎ", "ann\0", "ann\ud800", "\ud83d\ude00", "😀", "", '"ann"', "ann,ben"]
    for name in names:
        memory.keep(turn(user("zebra"), chat=f"chat {name}", sender=name, external_id=f"of-{names.index(name)}"))
    for name in names:
        seen = shown(memory, "zebra", viewer=Viewer(name, Place("cli", "elsewhere")), limit=50)
        assert seen == {f"of-{names.index(name)}"}
        seen = shown(memory, "zebra", viewer=Viewer("nobody", Place("cli", f"chat {name}")), limit=50)
        assert seen == {f"of-{names.index(name)}"}


def test_a_separator_in_a_name_makes_no_other_chat_and_no_other_audience():
    assert chat_key(Place("a\x1fb", "c")) != chat_key(Place("a", "b\x1fc"))
    place = Place("a", "b")
    assert Scope.of(place, ["x\x1fy"]).audience != Scope.of(place, ["x", "y"]).audience
