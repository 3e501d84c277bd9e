"""Whatever an error of this program can say, it can say in Chinese: the catalogue is held against the code.

The templates are read out of the code by `dev.error_texts`. What needs no Chinese is listed here, with the reason; what
stands in a list and needn't fails too, so that the lists can only shrink.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from dev.error_texts import Text, constants, error_texts, found_templates
from dev.ratchet import ROOT
from homeagent.cli.chinese import ERRORS, REASONS, Template, error_in_chinese, read_pairs, reason_in_chinese

if TYPE_CHECKING:
    from pathlib import Path

AS_THEY_ARE = {
    "--after-days", "--at", "--cleaner", "--from", "--limit", "--place", "--to", "-", "/attach", "/memory", "TEXT",
    "homeagent mcp add",
    "{0} [mcp.{1}]", "{0} headers", "{0} [mcp.{1}.policies] {2}", "{0} [mcp]", "{0}.policies]",
    "mcp.{0}.policies.{1}", "mcp.{0}", "config.toml [mcp.{0}] cwd",
    "memory backup", "memory erase", "memory merge",
    "config.toml [channels.webhook]", "{0} [channels]", "{0} [channels.{1}]", "{0} key_file", "{0}, can", "{0}, connect",
    "config.toml [plugins.{0}]", "models.{0}", "policies.{0}.{1}", "{0} [memory] {1}", "{0} [models.{1}]",
    "{0} [models]", "{0} [plugins.{1}]", "{0} [plugins]", "{0} [policies.{1}]", "{0} [policies]", "{0} base_url",
    "{0} cleaner", "{0} no_memory", "{0}-wal", "context.{0}", "@stage.{0}.{1}", "MemoryPolicy",
    "ansi", "head", "head({0})", "html", "read_json", "json({0})", "lines", "lines({0},{1})", "regex", "regex({0},{1})",
    'homeagent ask "..."', "/attach photo.jpg", "/memory last", "--limit 5",
}  # fmt: skip
"""Options, keys, commands and code: the same in every language."""

FOR_THE_MODEL = {
    "not done: {0}", "Do something else, or tell the person what is in the way",
    "the tool returned {0} characters; nothing of them was kept", "Ask for less",
    "there is no tool {0}", "the tool failed: {0}",
    "the arguments are not JSON: {0}", "Send one JSON object",
    "the arguments are {0}, not an object", 'Send e.g. {{"name": "value"}}',
}  # fmt: skip
"""What a model is told about a call of its own."""

WRITTEN_OUT = {
    "See {0}": ("See /{0}",),
    "{0} is {1}": ("parallel is {0}", "returns_memory is {0}"),
    "{0} is no {1}": ("{0} is no Tool", "{0} is no StageHandler", "'{0}' is no {1}"),
}
"""Templates of so few words that they would fit many a text: translated with what their holes can be."""

COMPOSED = {
    "a number above {0}",
    "a number of at least {0}",
    "there is no such section",
    "its cleaner was stopped: it took too long",
    "Put a valid key into the environment variable {0}",
    "See /{0}",
    "{0} is no Tool",
    "{0} is no StageHandler",
    "parallel is {0}",
    "returns_memory is {0}",
    "its process ended (exit code {0})",
    "its process ended (signal {0})",
}
"""English that the code puts together from parts, so that it stands nowhere in one piece."""

UNCHECKED = "system"
"""What the system, SQLite and Python say is not in our code."""


@cache
def said() -> tuple[Text, ...]:
    return tuple(error_texts())


@cache
def pairs(*names: str) -> dict[str, str]:
    return dict(chain.from_iterable(read_pairs(name) for name in names))


@cache
def reasons() -> frozenset[str]:
    """Return the templates of why something is computed: of the policies, the door, and rows that wait or are forgotten."""
    memory = "src/homeagent/memory"
    return frozenset(
        chain(
            found_templates(f"{memory}/policy/book.py", "EffectivePolicy", 1),
            found_templates(f"{memory}/door/door.py", "hidden", 0),
            found_templates(f"{memory}/door/door.py", "_kept", 1),
            found_templates(f"{memory}/door/door.py", "_computed", 1),
            found_templates(f"{memory}/door/runner.py", "_refused", 0),
            found_templates(f"{memory}/derive.py", "replace", "reason"),
            found_templates(f"{memory}/policy/trial.py", "replace", "reason"),
            found_templates(f"{memory}/explain.py", "SegmentExplanation", "reason"),
        )
    )


def legs() -> set[str]:
    """Return the names of what can speak for a hit, as the code of the ranking has them."""
    tree = ast.parse((ROOT / "src/homeagent/memory/recall/score.py").read_text("utf-8"))
    found: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name in ("_legs", "_priors", "rank_turns"):
            for node in ast.walk(function):
                keys = node.keys if isinstance(node, ast.Dict) else ()
                found |= {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
                if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                    found.add(str(node.slice.value))
    return found


def test_every_error_can_be_said_in_chinese() -> None:
    known = {*pairs(*ERRORS), *AS_THEY_ARE, *FOR_THE_MODEL, *WRITTEN_OUT}
    missing = [f"{each.path}:{each.line} {each.part}: {each.template}" for each in said() if each.template not in known]
    assert missing == []


def test_every_reason_can_be_said_in_chinese() -> None:
    assert {"no policy", "its cleaner failed: "} <= reasons()
    known = tuple(
        pairs(*REASONS)
    )  # of what a cleaner did, the code gives the beginning: the rest depends on the cleaner
    missing = [text for text in sorted(reasons()) if reason_in_chinese(text) == text]
    assert [text for text in missing if not any(each.startswith(text) for each in known)] == []


def test_everything_that_speaks_for_a_hit_has_chinese_words() -> None:
    assert {"words", "meaning", "neighbours"} <= legs()
    assert [name for name in sorted(legs()) if reason_in_chinese(f"{name} +1.2: a b") == f"{name} +1.2: a b"] == []


@pytest.mark.parametrize(
    "listed", [AS_THEY_ARE, FOR_THE_MODEL, set(WRITTEN_OUT)], ids=["as_is", "model", "written_out"]
)
def test_no_list_holds_what_is_said_no_more_or_is_translated(listed: set[str]) -> None:
    templates = {each.template for each in said()}
    assert sorted(listed - templates) == []
    assert sorted(listed & pairs(*ERRORS).keys()) == []


def test_what_is_written_out_is_translated() -> None:
    assert [one for ones in WRITTEN_OUT.values() for one in ones if one not in pairs(*ERRORS)] == []


def test_no_translation_is_left_of_what_the_code_says_no_more() -> None:
    templates = {each.template for each in said()} | reasons()
    code = constants()
    for name in (*ERRORS, *REASONS):
        for english in pairs(name) if name != UNCHECKED else ():
            parts = [part.strip(" :,.;()'\"") for part in Template.of(english).fixed]
            assert english in templates or english in COMPOSED or all(part in code for part in parts), english


@pytest.mark.parametrize("name", [*ERRORS, *REASONS])
def test_each_pair_keeps_its_holes_and_is_chinese(name: str) -> None:
    found = list(read_pairs(name))
    assert len({english for english, _ in found}) == len(found)
    for english, chinese in found:
        holes, kept = (set(re.findall(r"(?<!\{)\{(\d)", text)) for text in (english, chinese))
        assert kept == holes or (name == UNCHECKED and kept < holes), english
        assert re.search(r"[\u3000-\u9fff\uff00-\uffef]", chinese) or not re.search(
            "[a-z]", "".join(Template.of(english).fixed)
        ), english
        assert not chinese.endswith(("。", ".", " ")), chinese  # the message around it ends the sentence


def test_no_text_is_translated_twice() -> None:
    assert len(pairs(*ERRORS)) == sum(len(pairs(name)) for name in ERRORS)


def test_the_collector_sees_an_error_however_its_text_is_given(tmp_path: Path) -> None:
    folder = tmp_path / "src/homeagent"
    folder.mkdir(parents=True)
    (folder / "one.py").write_text(
        'class OneError(HomeAgentError): ...\n_STEP = "do a thing"\n'
        "def f(x):\n"
        '    problem = f"is {x!r}" if x else "is {empty}"\n'
        '    raise OneError("place", problem, _STEP)\n'
        'def g(step): raise OneError(str(g), "plain" " words", step)\n'
        'def h(): g("from the caller")\n'
    )
    found = {(each.part, each.template) for each in error_texts(tmp_path)}
    assert found == {
        ("where", "place"),
        ("problem", "is {0}"),
        ("problem", "is {{empty}}"),
        ("problem", "plain words"),
        ("next_step", "do a thing"),
        ("next_step", "from the caller"),
    }


def test_what_is_in_no_catalogue_stays_as_it_is() -> None:
    assert error_in_chinese("a sentence of a plugin that nobody translated") == (
        "a sentence of a plugin that nobody translated"
    )
