from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING

import pytest

from homeagent_sdk import DeclarationError, function_cleaner, head, import_function_cleaner, parse_cleaner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import ModuleType

SOURCE = "def shout(text: str) -> str:\n    return text.upper()\n"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Write and import the package ``loud_plugin`` with the given source of its module ``text``."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    folder = tmp_path / "loud_plugin"
    folder.mkdir()
    (folder / "__init__.py").write_text("")

    def load(source: str) -> ModuleType:
        _forget()
        (folder / "text.py").write_text(source)
        importlib.invalidate_caches()
        return importlib.import_module("loud_plugin.text")

    yield load
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name.startswith("loud_plugin")]:
        del sys.modules[name]


def upper(text: str) -> str:
    return text.upper()


def untyped(text):  # type: ignore[no-untyped-def]
    return text


def two(text: str, count: int) -> str:
    return text * count


async def later(text: str) -> str:
    return text


def test_a_function_becomes_a_stage_wherever_a_cleaner_is_joined() -> None:
    assert (head(3) | upper)("abcdef") == "ABC"
    assert (upper | head(3))("abcdef") == "ABC"
    assert (upper | head(3)).spec == f"{__name__}:upper | head(3)"


def test_the_identity_names_function_version_and_source(plugin: Callable[[str], ModuleType]) -> None:
    module = plugin(SOURCE)
    identity = function_cleaner(module.shout).identity
    assert re.fullmatch(r"loud_plugin\.text:shout@1#sha256:[0-9a-f]{64}", identity)
    assert function_cleaner(module.shout).identity == identity
    assert function_cleaner(module.shout, version=2).identity == identity.replace("@1", "@2")
    assert function_cleaner(module.shout, 3, plugin_version="1.2").identity == ("loud_plugin.text:shout@3#plugin:1.2")


def test_the_identity_changes_with_any_file_of_the_package(plugin: Callable[[str], ModuleType], tmp_path: Path) -> None:
    before = function_cleaner(plugin(SOURCE).shout).identity
    assert function_cleaner(plugin(SOURCE + "# other\n").shout).identity != before
    assert function_cleaner(plugin(SOURCE).shout).identity == before
    (tmp_path / "loud_plugin" / "words.py").write_text("x = 1\n")
    assert function_cleaner(plugin(SOURCE).shout).identity != before


def test_a_stored_spec_is_read_back_with_a_loader(plugin: Callable[[str], ModuleType]) -> None:
    cleaner = function_cleaner(plugin(SOURCE).shout, version=2) | head(2)
    assert cleaner.spec == "loud_plugin.text:shout@2 | head(2)"
    again = parse_cleaner(cleaner.spec, load_function=import_function_cleaner)
    assert again == cleaner
    assert again("abc") == "AB"


def test_a_function_that_is_gone_says_so(plugin: Callable[[str], ModuleType]) -> None:
    plugin(SOURCE)
    with pytest.raises(DeclarationError) as caught:
        import_function_cleaner("loud_plugin.text:whisper")
    assert str(caught.value) == (
        "loud_plugin.text:whisper: can't be imported: module 'loud_plugin.text' has no attribute 'whisper'. "
        "Install the plugin again or change the policy"
    )
    with pytest.raises(DeclarationError, match="No module named 'gone_plugin'"):
        import_function_cleaner("gone_plugin:whisper")


def _inner() -> Callable[[str], str]:
    def clean(text: str) -> str:
        return text

    return clean


FIX = "Move it to the top level of a module: def clean(text: str) -> str"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda text: text, f"a lambda can't be imported by the process that runs cleaners. {FIX}"),
        (_inner(), f"an inner function can't be imported by the process that runs cleaners. {FIX}"),
        (len, f"a cleaner must be a plain function or a Cleaner. {FIX}"),
        ("x".join, f"a cleaner must be a plain function or a Cleaner. {FIX}"),
        (later, "a cleaner can't be async or a generator. Write def, and return the text"),
        (
            untyped,
            "the signature is untyped(text). Write def untyped(text: str) -> str; use | to add stages with arguments",
        ),
        (
            two,
            (
                "the signature is two(text: 'str', count: 'int') -> 'str'. Write def two(text: str) -> str; "
                "use | to add stages with arguments"
            ),
        ),
    ],
)
def test_a_function_that_another_process_can_not_run_is_refused(function: Callable[[str], str], message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        function_cleaner(function)
    assert str(caught.value).endswith(f": {message}")


def test_the_place_of_a_refused_function_is_its_file_and_line() -> None:
    with pytest.raises(DeclarationError) as caught:
        function_cleaner(two)  # type: ignore[arg-type]
    assert caught.value.where == f"{__file__}:{two.__code__.co_firstlineno} cleaner two"


def test_a_version_counts_from_one() -> None:
    with pytest.raises(DeclarationError, match=r"version is 0\. Write a whole number from 1 on"):
        function_cleaner(upper, 0)
