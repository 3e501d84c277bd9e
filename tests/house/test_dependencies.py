"""What we depend on is used, described, and under a licence that leaves ours alone."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from dev.closure import closure
from dev.ratchet import ROOT, Module, modules

if TYPE_CHECKING:
    from collections.abc import Iterable

OURS = {"homeagent", "homeagent_sdk"}
COPYLEFT = re.compile(r"\bA?GPL|GNU (?:Affero )?General Public", re.IGNORECASE)


def name_of(requirement: str) -> str:
    """Return the name of a requirement as registries compare names."""
    found = re.match(r"[\w.-]+", requirement)
    assert found, requirement
    return re.sub(r"[-_.]+", "-", found.group()).lower()


def declared(*extras: str) -> set[str]:
    """Return what pyproject.toml asks for, without our own SDK; with ``extras`` only those."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [each for extra in extras for each in project["optional-dependencies"][extra]] or project["dependencies"]
    return {name for each in wanted if (name := name_of(each)) != "homeagent-sdk"}


def imported(code: Iterable[Module]) -> set[str]:
    """Return the packages from elsewhere that a program imports, also late, or asks for by name."""
    found: set[str] = set()
    for module in code:
        for node in module.nodes():
            match node:
                case ast.Import(names=aliases):
                    found.update(alias.name.partition(".")[0] for alias in aliases)
                case ast.ImportFrom(module=str(name), level=0):
                    found.add(name.partition(".")[0])
                case ast.Call(
                    func=ast.Attribute(attr="find_spec" | "files" | "distribution"),
                    args=[ast.Constant(value=str(name)), *_],
                ):
                    found.add(name.partition(".")[0])
    return found - sys.stdlib_module_names - OURS


def distributions(packages: Iterable[str]) -> set[str]:
    known = metadata.packages_distributions()
    return {name_of(name) for package in packages for name in known.get(package, [package])}


def licence(distribution: metadata.Distribution) -> str:
    """Return what a distribution says of its licence: the field that is filled in, and the classifiers."""
    about = distribution.metadata
    stated = about.get("License-Expression") or (about.get("License") or "").partition("\n")[0]
    return " ".join([stated, *(each for each in about.get_all("Classifier") or [] if "License" in each)])


LOOKED_FOR = {"pip"}
"""Asked for by name and done without where they are not: pip belongs to the environment, not to a program in it."""


FREE_AS_INSTALLED = {"docutils"}
"""Named GPL for a part that is not installed (an Emacs mode); the rest is public domain and BSD."""


@cache
def used() -> frozenset[str]:
    """Return the distributions that the program imports."""
    return frozenset(distributions(imported(modules("src"))))


def test_every_import_is_declared() -> None:
    assert used() - declared() - LOOKED_FOR == set()


def test_every_dependency_is_used() -> None:
    assert declared() - used() == set()


def test_every_dependency_is_described() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    described = {name_of(name) for name in re.findall(r"^\| `([^`]+)`", page, re.MULTILINE)}
    assert described == declared() | declared("test")


def test_every_dependency_has_its_version_in_the_constraints() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert declared() | declared("test") <= {name_of(line) for line in lines if not line.startswith("#")}


def test_no_dependency_is_under_a_licence_that_binds_ours() -> None:
    needed = closure(declared())
    assert len(needed) > len(declared())
    assert {
        each.name: licence(each)
        for each in needed
        if name_of(each.name) not in FREE_AS_INSTALLED and COPYLEFT.search(licence(each))
    } == {}


def test_an_import_is_seen_wherever_it_stands() -> None:
    source = "def late():\n    import numpy.linalg\nfrom rich import print\nimport os\nfind.find_spec('turbovec')\n"
    assert imported([Module("a.py", source)]) == {"numpy", "rich", "turbovec"}
    assert COPYLEFT.search("GPL-2.0-or-later")
    assert not COPYLEFT.search("LGPL-3.0 MIT")
