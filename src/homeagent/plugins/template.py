"""A new plugin: a folder with ten lines that work and a test that passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.plugins.boundary import PluginError
from homeagent.plugins.description import describe
from homeagent.plugins.sdk_version import SDK_VERSION
from homeagent.plugins.source import PluginSource

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


@tool  # all of the output is remembered; @tool(no_memory=True): none; @tool(cleaner="head(400)"): the first 400 letters
def {module}_hello(who: str) -> str:
    """Greet somebody by name."""
    return f"Hello, {{who}}!"


plugin = Plugin("{name}", "0.1.0", tools=[{module}_hello])
'''

_TEST: Final = """from {module} import {module}_hello

from homeagent_sdk.testing import run_tool


def test_it_greets() -> None:
    assert run_tool({module}_hello, who="Ada").text == "Hello, Ada!"
"""


def write_new(name: str, folder: Path) -> tuple[Path, ...]:
    """Write a plugin called ``name`` into ``folder``, which must not be there; return the files, the plugin first.

    Raises `ManifestError` for a name that can't be one, and `PluginError` when the folder is there.
    """
    module, sdk = name.replace("-", "_"), ".".join(SDK_VERSION.split(".")[:2])
    table = {"name": name, "version": "0.1.0", "sdk": f">={sdk}"}
    describe(PluginSource("file", folder, folder, table))
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise PluginError(str(folder), "it is there already", "Choose another name, or take it away first") from None
    except OSError as error:
        raise PluginError(str(folder), f"it can't be made ({error.strerror})", "Go to a folder of yours") from error
    written = (folder / f"{module}.py", folder / f"test_{module}.py")
    for path, text in zip(written, (_PLUGIN, _TEST), strict=True):
        path.write_text(text.format(name=name, module=module, sdk=sdk), "utf-8")
    return written
