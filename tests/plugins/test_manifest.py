"""A plugin is described by its manifest: a script, a folder, an installed distribution; none of its code runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import ManifestError, PluginError, describe, find_source, found_plugins, named_plugin, outline
from homeagent_sdk.versions import meets, readable

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = '''\
# /// script
# requires-python = ">=3.11"
# dependencies = ["httpx>=0.27", "homeagent-sdk"]
#
# [tool.homeagent]
# name = "night-sky"
# version = "1.2.0"
# sdk = ">=0.1, <1"
# permissions = ["net:api.example.org:443", "read:/usr/share/zoneinfo", "exec"]
# settings = { city = "where you are" }
# ///
raise SystemExit("this must never run")


@tool(no_memory=True)
def stars() -> str:
    """Say what is up tonight.

    More about it.
    """


@sdk.tool(name="moon", cleaner="json(phase)")
async def moon_phase() -> str:
    """Say how full the moon is."""


@tool(cleaner=only_times)
def rising() -> str:
    """Say when they rise."""


@tool
def setting() -> str: ...
'''


def script(folder: Path, *lines: str, name: str = "plain.py") -> Path:
    path = folder / name
    path.write_text("\n".join(["# /// script", *(f"# {line}" for line in lines), "# ///", ""]))
    return path


def problems(path: Path) -> dict[str, str]:
    with pytest.raises(ManifestError) as caught:
        describe(find_source(path))
    assert all(problem.hint for problem in caught.value.problems)
    return {problem.field: problem.reason for problem in caught.value.problems}


def test_a_script_says_what_it_is_without_being_run(tmp_path: Path) -> None:
    path = tmp_path / "whatever.py"
    path.write_text(SCRIPT)
    source = find_source(path)
    told = describe(source)
    assert (told.name, told.version, told.sdk, told.module) == ("night-sky", "1.2.0", ">=0.1, <1", "night_sky")
    assert told.dependencies == ("httpx>=0.27",)  # the SDK comes from this installation
    assert [str(each) for each in told.permissions] == ["net:api.example.org:443", "read:/usr/share/zoneinfo", "exec"]
    assert told.settings == {"city": "where you are"}
    tools = {tool.name: (tool.treatment, tool.cleaner, tool.summary) for tool in outline(source)}
    assert tools == {
        "stars": ("no_memory", "", "Say what is up tonight."),
        "moon": ("cleaner", "json(phase)", "Say how full the moon is."),
        "rising": ("cleaner", "only_times", "Say when they rise."),
        "setting": ("plain", "", ""),
    }


@pytest.mark.parametrize("manifest", ["homeagent.toml", "pyproject.toml"])
def test_a_folder_says_it_in_a_file_of_its_own_or_in_that_of_its_project(tmp_path: Path, manifest: str) -> None:
    (tmp_path / "sky").mkdir()
    (tmp_path / "sky" / "__init__.py").write_text("raise SystemExit")
    text = 'name = "sky"\nversion = "2.0"\nsdk = ">=0.1"\n'
    if manifest == "pyproject.toml":
        text = '[project]\nname = "sky"\nversion = "2.0"\ndependencies = ["a"]\n[tool.homeagent]\nsdk = ">=0.1"\n'
    (tmp_path / manifest).write_text(text)
    told = describe(find_source(tmp_path))
    assert (told.name, told.version) == ("sky", "2.0")
    assert told.dependencies == (("a",) if manifest == "pyproject.toml" else ())


def test_a_folder_must_hold_the_module_it_is_named_after(tmp_path: Path) -> None:
    (tmp_path / "homeagent.toml").write_text('name = "sky"\nversion = "1"\nsdk = ">=0.1"\n')
    assert problems(tmp_path) == {"name": "the folder holds neither sky.py nor sky/__init__.py"}


def test_a_plugin_called_like_a_module_of_python_names_another_module(tmp_path: Path) -> None:
    (tmp_path / "agenda").mkdir()
    (tmp_path / "agenda" / "__init__.py").write_text("raise SystemExit")
    manifest = tmp_path / "homeagent.toml"
    manifest.write_text('name = "calendar"\nversion = "1"\nsdk = ">=0.1"\n')
    assert problems(tmp_path) == {"name": "'calendar' is a name that Python or the program uses"}
    manifest.write_text('name = "calendar"\nmodule = "agenda"\nversion = "1"\nsdk = ">=0.1"\n')
    assert describe(find_source(tmp_path)).module == "agenda"
    for wrong in ('"calendar"', '"homeagent_sdk"', '"../agenda"', "7"):
        manifest.write_text(f'name = "calendar"\nmodule = {wrong}\nversion = "1"\nsdk = ">=0.1"\n')
        assert "module" in problems(tmp_path)


def test_an_installed_distribution_is_found_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "night_sky-3.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: night-sky\nVersion: 3.1\nRequires-Dist: homeagent-sdk (>=0.1)\n"
    )
    (info / "entry_points.txt").write_text("[homeagent.plugins]\nsky = night_sky.main:plugin\n")
    (tmp_path / "night_sky").mkdir()
    (tmp_path / "night_sky" / "__init__.py").write_text("raise SystemExit")
    (info / "RECORD").write_text("night_sky/__init__.py,,\nnight_sky/homeagent.toml,,\n")
    (tmp_path / "night_sky" / "homeagent.toml").write_text('permissions = ["net:*"]\n')
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    found = named_plugin(tmp_path / "home", "sky")
    assert found.source is not None
    assert found.source.entry == "night_sky.main:plugin"
    assert found.description is not None
    assert (found.description.version, found.description.sdk) == ("3.1", ">=0.1")
    assert [str(each) for each in found.description.permissions] == ["net:*"]


def test_every_problem_is_told_with_its_key_and_what_to_write(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        "dependencies = ['--index x', 3]",
        "[tool.homeagent]",
        "nam = 'x'",
        "name = 'Bad Name'",
        "permissions = ['net:', 'read:here', 'fly', 7]",
        "settings = 3",
    )
    found = problems(path)
    assert set(found) == {"nam", "name", "version", "sdk", "permissions", "dependencies", "settings"}
    assert found["version"] == "is missing"


@pytest.mark.parametrize("name", ["json", "import", "homeagent-sdk", "homeagent_x"])
def test_a_plugin_can_not_take_the_name_of_something_that_is_imported(tmp_path: Path, name: str) -> None:
    path = script(tmp_path, "[tool.homeagent]", f"name = '{name}'", "version = '1'", "sdk = '>=0.1'")
    assert "uses" in problems(path)["name"]


def test_a_wrong_version_of_the_sdk_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = script(tmp_path, "[tool.homeagent]", "name = 'a'", "version = '1'", "sdk = '>=7'")
    with pytest.raises(ManifestError, match=r"sdk: it wants homeagent-sdk >=7, here is .*Get a version"):
        describe(find_source(path))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("print(1)\n", "no block"),
        ("# /// script\n# dependencies = []\n# ///\n", "no block"),
        ("# /// script\n# a = 1\n# ///\n# /// script\n# b = 1\n# ///\n", "two blocks"),
        ("# /// script\n# [tool.homeagent\n# ///\n", "no TOML"),
    ],
)
def test_a_file_without_a_manifest_says_what_is_missing(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(text)
    with pytest.raises(PluginError, match=problem):
        find_source(path)


def test_a_file_that_is_no_python_is_named_with_its_line(tmp_path: Path) -> None:
    path = script(tmp_path, "[tool.homeagent]", "name = 'a'", "version = '1'", "sdk = '>=0.1'")
    path.write_text(path.read_text() + "def broken(:\n")
    with pytest.raises(PluginError, match=r"plain\.py:7: it can't be read as Python"):
        outline(find_source(path))


def test_a_plugin_that_can_not_be_used_is_listed_with_its_problem(tmp_path: Path) -> None:
    code = tmp_path / "installed" / "broken" / "code"
    code.mkdir(parents=True)
    script(code, "[tool.homeagent]", "name = 'broken'")
    (found,) = found_plugins(tmp_path)
    assert found.name == "broken"
    assert "version: is missing" in str(found.problem)


@pytest.mark.parametrize(
    ("wanted", "version", "met"),
    [
        (">=0.1", "0.1.0", True),
        (">=0.1, <0.2", "0.1.9", True),
        (">=0.1,<0.2", "0.2.0", False),
        ("~=1.4", "1.9.1", True),
        ("~=1.4", "2.0", False),
        ("~=1.4.2", "1.5.0", False),
        ("==1", "1.0.0", True),
        ("!=1.0", "1", False),
        (">0.9", "0.10.0", True),
        (">=1.2", "1.2.0rc1", True),
    ],
)
def test_versions_are_compared_by_their_numbers(wanted: str, version: str, met: bool) -> None:
    assert readable(wanted)
    assert meets(wanted, version) is met
    assert not readable("newest")
