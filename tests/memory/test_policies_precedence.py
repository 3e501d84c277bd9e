"""Whose word counts: declared or overridden, exact or by glob, of a tool that is gone or has another name."""

from __future__ import annotations

import sys

import pytest

from homeagent.errors import PolicyError
from homeagent.memory.policy.book import RETURNS_MEMORY
from homeagent.memory.store.records import PolicyRow
from homeagent.memory.store.sqlite.log import SqliteLog
from homeagent_sdk import DeclarationError, MemoryPolicy, function_cleaner, head
from tests.memory.worlds import HIDDEN, PLAIN, cleaned, computed_texts, decisions, opened, reply, tool, turn, user

TEXT = "0123456789"


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home") as memory:
        yield memory


def first(count):
    return cleaned(f"head({count})")


def computed(memory, name):
    """What is computed of an output of this tool: its text, or '' when it is hidden."""
    kept = memory.keep(turn(tool(TEXT, name)))
    assert memory.rebuild(verify=True).equal
    (text,) = computed_texts(memory, kept)
    return text.removeprefix(name).removeprefix("\n")


def test_what_its_plugin_declares_holds_for_a_tool(memory):
    memory.declare_policies({"hide": HIDDEN, "plain": PLAIN, "cut": first(3)})
    assert [computed(memory, name) for name in ("hide", "plain", "cut")] == ["", TEXT, TEXT[:3]]
    memory.declare_policies({"hide": first(1)})
    assert computed(memory, "hide") == TEXT[:1]


@pytest.mark.parametrize("order", [1, -1])
def test_the_owner_overrides_the_whole_policy_whoever_speaks_first(memory, order):
    steps = [lambda: memory.declare_policies({"look": first(3)}), lambda: memory.set_policies({"look": PLAIN})]
    for step in steps[::order]:
        step()
    assert computed(memory, "look") == TEXT
    memory.set_policies({"look": None})
    assert computed(memory, "look") == TEXT[:3]


@pytest.mark.parametrize("backwards", [False, True])
def test_an_exact_name_beats_a_glob_and_a_longer_glob_a_shorter_one_in_any_order(memory, backwards):
    overrides = [("*", first(1)), ("look*", first(2)), ("look_*", first(3)), ("look_up", first(4))]
    for name, policy in overrides[::-1] if backwards else overrides:
        memory.set_policies({name: policy})
    assert [computed(memory, name) for name in ("other", "looks", "look_in", "look_up")] == [
        *(TEXT[:1], TEXT[:2], TEXT[:3], TEXT[:4])
    ]
    memory.set_policies({"look_up": None, "look_*": None})
    assert computed(memory, "look_up") == TEXT[:2]


def test_of_two_globs_of_one_length_the_newer_counts(memory):
    memory.set_policies({"look*": first(1)})
    memory.set_policies({"*k_up": first(2)})
    assert computed(memory, "look_up") == TEXT[:2]
    memory.set_policies({"look*": first(3)})
    assert computed(memory, "look_up") == TEXT[:3]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_glob_that_says_more_letters_beats_one_that_is_only_longer(memory, backwards):
    overrides = [("mcp.notes.*", first(1)), ("mcp.*.????_????_????", first(2))]
    for name, policy in overrides[::-1] if backwards else overrides:
        memory.set_policies({name: policy})
    assert computed(memory, "mcp.notes.read_long_note") == TEXT[:1]


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("l??k", "look", True),
        ("l??k", "loook", False),
        ("Look*", "look", False),
        ("[ab]x", "ax", True),
        ("[!ab]x", "ax", False),
        ("[ab]x", "[ab]x", True),
        ("a.c", "abc", False),
        ("*", "查询\n", True),
    ],
)
def test_globs_match_as_in_a_shell_and_a_name_always_matches_itself(memory, pattern, name, matches):
    memory.declare_policies({name: PLAIN})
    memory.set_policies({pattern: HIDDEN})
    assert (computed(memory, name) == "") is matches


def test_channels_have_overrides_and_globs_of_their_own(memory):
    memory.set_policies({"cl*": HIDDEN})
    assert computed_texts(memory, memory.keep(turn(user("hello")))) == ["hello"]
    memory.set_policies({"cl*": first(2), "cli": HIDDEN}, kind="channel")
    assert computed_texts(memory, memory.keep(turn(user("hello")))) == [""]
    memory.set_policies({"cli": None}, kind="channel")
    assert computed_texts(memory, memory.keep(turn(user("hello"), reply("yes")))) == ["he", "yes"]
    assert memory.rebuild(verify=True).equal


@pytest.mark.parametrize("name", sorted(RETURNS_MEMORY))
def test_no_policy_makes_a_tool_that_returns_memory_remembered(memory, name):
    memory.declare_policies({name: PLAIN})
    memory.set_policies({name: PLAIN, "*": PLAIN})
    assert computed(memory, name) == ""


def test_a_tool_flagged_as_returning_memory_is_hidden_under_every_name_it_has(memory):
    memory.declare_policies({"recollect": PLAIN}, returns_memory=["recollect"])
    memory.rename_tool("recollect", "reminisce")
    assert computed(memory, "recollect") == computed(memory, "reminisce") == ""


def test_a_tool_that_no_longer_returns_memory_is_remembered_again(memory):
    memory.declare_policies({"look": PLAIN}, returns_memory=["look"])
    memory.declare_policies({"look": PLAIN})
    assert computed(memory, "look") == TEXT


def test_a_tool_that_is_only_flagged_is_hidden_or_refused(memory):
    try:
        memory.declare_policies({}, returns_memory=["look"])
    except PolicyError:
        return
    assert computed(memory, "look") == ""


def test_a_removed_tool_keeps_its_last_policy_for_old_and_late_outputs(memory):
    memory.declare_policies({"look": first(3)})
    kept = memory.keep(turn(tool(TEXT)))
    memory.remove_tool("look")
    assert computed_texts(memory, kept) == [f"look\n{TEXT[:3]}"]
    assert computed(memory, "look") == TEXT[:3]
    memory.declare_policies({"look": HIDDEN})
    assert computed_texts(memory, kept) == [""]
    memory.remove_tool("look")
    assert computed(memory, "look") == ""


def test_a_renamed_tool_keeps_its_policy_under_every_name_it_ever_had(memory):
    memory.declare_policies({"a": HIDDEN})
    kept = memory.keep(turn(tool(TEXT, "a"), tool(TEXT, "c")))
    memory.rename_tool("a", "b")
    memory.rename_tool("b", "c")
    assert [computed(memory, name) for name in "abc"] == ["", "", ""]
    assert computed_texts(memory, kept) == ["", ""]
    memory.declare_policies({"c": first(2)})
    assert [computed(memory, name) for name in "abc"] == [TEXT[:2]] * 3
    memory.set_policies({"b": first(4)})
    assert [computed(memory, name) for name in "abc"] == [TEXT[:4]] * 3


def test_a_rename_before_any_declaration_counts_too(memory):
    memory.rename_tool("a", "b")
    memory.declare_policies({"b": HIDDEN})
    assert [computed(memory, name) for name in "ab"] == ["", ""]


def test_a_tool_is_not_renamed_to_itself(memory):
    with pytest.raises(PolicyError, match="itself"):
        memory.rename_tool("a", "a")


def test_names_that_go_round_in_a_circle_are_one_tool(memory):
    memory.declare_policies({"a": first(2)})
    memory.rename_tool("a", "b")
    try:
        memory.rename_tool("b", "a")
    except PolicyError:
        return
    assert [computed(memory, name) for name in "ab"] == [TEXT[:2]] * 2


def test_policies_hold_after_a_restart(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.declare_policies({"a": HIDDEN, "b": first(1)}, returns_memory=["b"])
        memory.set_policies({"c*": HIDDEN})
        memory.rename_tool("a", "d")
        listed = memory.policies()
    with opened(tmp_path / "home") as memory:
        assert memory.policies() == listed
        assert [computed(memory, name) for name in ("a", "b", "c1", "d")] == [""] * 4


def test_every_tool_that_ever_spoke_is_listed_with_its_policy_and_why(memory):
    memory.declare_policies({"declared": first(1)})
    memory.set_policies({"own*": HIDDEN})
    memory.keep(turn(tool("x", "owned"), tool("x", "mcp_tool")))
    listed = {each["tool"]: (each["treatment"], each["cleaner"], each["why"]) for each in memory.policies()}
    assert listed == {
        "declared": ("cleaner", "head(1)", "head(1): declared by its plugin"),
        "mcp_tool": ("default", "", "nobody declared it, so the default cleaner is used"),
        "owned": ("hidden", "", "no_memory: the owner's policy for 'own*'"),
    }


def test_declaring_the_same_again_adds_nothing_to_the_log(memory):
    memory.declare_policies({"a": HIDDEN, "b": first(2)}, returns_memory=["a"])
    before = memory.counts()
    memory.declare_policies({"a": HIDDEN, "b": first(2)}, returns_memory=["a"])
    assert memory.counts() == before


def test_no_memory_and_a_cleaner_together_are_an_error_when_declared():
    with pytest.raises(DeclarationError, match="contradict"):
        MemoryPolicy(no_memory=True, cleaner=head(1))


def test_a_stored_cleaner_that_can_not_be_read_any_more_leaves_its_outputs_out_with_a_reason(memory):
    log = SqliteLog(memory.home.log)
    log.add_policy(PolicyRow(0, "tool", "look", "declared", "set", cleaner="summary(3)"))
    log.close()
    kept = memory.keep(turn(user("hello"), tool(TEXT)))
    assert computed_texts(memory, kept) == ["hello", "look"]
    ((_, _), (decision, reason)) = decisions(memory, kept)
    assert decision == "failed"
    assert "summary(3)" in reason


# -- trying a policy out -------------------------------------------------------------------------------------------

CHANGES = [
    {"look": HIDDEN},
    {"look": first(4)},
    {"lo*": PLAIN, "other": HIDDEN},
    {"look": cleaned("json(content)")},
    {"look": None},
    {"nobody": HIDDEN},
    {},
]


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_trying_a_policy_changes_nothing_and_tells_what_setting_it_would_do(memory, change):
    memory.declare_policies({"look": PLAIN, "other": first(2)})
    memory.keep(turn(user("hello"), tool(TEXT), tool('{"content": 1}'), tool(TEXT, "other"), tool(TEXT, "third")))
    memory.keep(turn(user("hello"), tool(TEXT), reply(f"I saw {TEXT}.")))
    before = (memory.counts(), memory.digest(), list(memory.all_computed()), memory.policies(), memory.pending())
    told = memory.try_policies(change)
    assert (
        memory.counts(),
        memory.digest(),
        list(memory.all_computed()),
        memory.policies(),
        memory.pending(),
    ) == before
    assert memory.rebuild(verify=True).equal
    memory.set_policies(change)
    old, new = ({row.segment: row for row in rows if row.role == "tool"} for rows in (before[2], memory.all_computed()))
    changed = [segment for segment in new if new[segment].fingerprint != old[segment].fingerprint]
    assert told.segments == len(changed)
    assert told.characters_before == sum(len(old[segment].text) for segment in changed)
    assert told.characters_after == sum(len(new[segment].text) for segment in changed)
    assert [each.decision for each in told.examples] == [new[segment].decision for segment in changed][:5]


# -- function cleaners ---------------------------------------------------------------------------------------------


@pytest.fixture
def plugin(tmp_path):
    """A module with a cleaner, as a plugin would bring it; its name is its own, for modules stay imported."""
    folder = tmp_path / "plugin"
    folder.mkdir()
    (folder / "plugin_of_precedence.py").write_text("def shout(text: str) -> str:\n    return text.upper()\n")
    sys.path.append(str(folder))
    yield folder
    sys.path.remove(str(folder))
    sys.modules.pop("plugin_of_precedence", None)


def test_a_function_of_a_plugin_can_be_the_cleaner_of_its_tool(memory, plugin):
    import plugin_of_precedence

    memory.declare_policies({"look": MemoryPolicy(cleaner=function_cleaner(plugin_of_precedence.shout))})
    assert computed_texts(memory, memory.keep(turn(tool("apples")))) == ["look\nAPPLES"]


def test_what_a_cleaner_made_that_is_gone_is_carried_over_by_a_rebuild(tmp_path, plugin):
    with opened(tmp_path / "home") as memory:
        log = SqliteLog(memory.home.log)
        log.add_policy(PolicyRow(0, "tool", "look", "declared", "set", cleaner="plugin_of_precedence:shout"))
        log.close()
        kept = memory.keep(turn(tool("apples")))
        assert computed_texts(memory, kept) == ["look\nAPPLES"]
    (plugin / "plugin_of_precedence.py").unlink()
    with opened(tmp_path / "home") as memory:
        assert computed_texts(memory, kept) == ["look\nAPPLES"]
        memory.rebuild()
        assert computed_texts(memory, kept) == ["look\nAPPLES"]


def test_an_error_skips_the_json_stage_beside_a_function_too(memory, plugin):
    log = SqliteLog(memory.home.log)
    log.add_policy(
        PolicyRow(0, "tool", "look", "declared", "set", cleaner="json(content) | plugin_of_precedence:shout")
    )
    log.close()
    kept = memory.keep(turn(tool('{"content": "apples"}'), tool("no such file", error=True)))
    assert computed_texts(memory, kept) == ["look\nAPPLES", "look\nNO SUCH FILE"]
