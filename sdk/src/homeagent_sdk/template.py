"""A new plugin: a folder with ten lines that work, a recorded output, and a test that passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.manifest import describe
from homeagent_sdk.manifest_source import PluginSource
from homeagent_sdk.versions import SDK_VERSION

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_new"]

_PLUGIN: Final = '''# /// script
# dependencies = []
# [tool.homeagent]
# name = "{name}"
# version = "0.1.0"
# sdk = ">={sdk}"
# permissions = []
# ///
from homeagent_sdk import Plugin, tool


@tool(cleaner="lines(2,9)")  # only what the cleaner leaves is remembered, here from line 2 on; @tool alone: all
def {module}_hello(who: str) -> str:
    """Greet somebody by name."""
    return f"status: ok\\nHello, {{who}}!"


@tool(no_memory=True)  # nothing of the output is remembered; the model reads it all the same
def {module}_letters(text: str) -> str:
    """List the letters of a text with their numbers in Unicode."""
    return "\\n".join(f"{{letter}} U+{{ord(letter):04X}}" for letter in text)


plugin = Plugin("{name}", "0.1.0", tools=[{module}_hello, {module}_letters])
'''

_TEST: Final = """from pathlib import Path

from {module} import {module}_hello, {module}_letters

from homeagent_sdk.testing import check_cleaner, run_tool

SAMPLE = Path(__file__).with_name("samples") / "{module}_hello.txt"


def test_it_greets() -> None:
    assert run_tool({module}_hello, who="Ada").text == SAMPLE.read_text("utf-8")


def test_the_greeting_is_remembered_and_the_status_is_not() -> None:
    cleaner = {module}_hello.policy.cleaner
    assert check_cleaner(cleaner, [SAMPLE.read_text("utf-8")]) == []
    assert cleaner is not None
    assert cleaner(SAMPLE.read_text("utf-8")) == "Hello, Ada!"


def test_the_letters_are_listed_and_not_remembered() -> None:
    assert run_tool({module}_letters, text="é").text == "é U+00E9"
    assert {module}_letters.policy.no_memory
"""

_SAMPLE: Final = "status: ok\nHello, Ada!"


def write_new(name: str, folder: Path) -> tuple[Path, ...]:
    """Write a plugin called ``name`` into ``folder``, which must not be there; return the files, the plugin first.

    Raises `ManifestError` for a name that can't be one, and `DeclarationError` when the folder is there.
    """
    module, sdk = name.replace("-", "_"), ".".join(SDK_VERSION.split(".")[:2])
    table = {"name": name, "version": "0.1.0", "sdk": f">={sdk}"}
    describe(PluginSource("file", folder, folder, table))
    try:
        folder.mkdir(parents=True)
        (folder / "samples").mkdir()
    except FileExistsError:
        problem = "it is there already"
        raise DeclarationError(str(folder), problem, "Choose another name, or take it away first") from None
    except OSError as error:
        problem = f"it can't be made ({error.strerror})"
        raise DeclarationError(str(folder), problem, "Go to a folder of yours") from error
    texts = {
        folder / f"{module}.py": _PLUGIN,
        folder / f"test_{module}.py": _TEST,
        folder / "samples" / f"{module}_hello.txt": _SAMPLE,
    }
    for path, text in texts.items():
        path.write_text(text.format(name=name, module=module, sdk=sdk), "utf-8")
    return tuple(texts)
