"""Nothing here depends on one registry's address, on one machine's folders, or on a lock file that holds them."""

from __future__ import annotations

import re

import pytest

from dev.ratchet import ROOT
from dev.tracked import tracked_files

# Put together here, so that this file does not name what it looks for.
HOSTS = [
    re.compile(r"\b" + re.escape(".".join(parts)), re.IGNORECASE)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
        ("aliyun", "com"),
        ("tuna", "tsinghua"),
        ("proxy", "golang", "org"),
        ("crates", "io"),
    )
]
LOCKS = {"Pipfile.lock", "npm-shrinkwrap.json", "package-lock.json", "pdm.lock", "poetry.lock", "uv.lock", "yarn.lock"}
PINNED = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!_-]+")


def hosts_in(text: str) -> list[str]:
    """Return the names of registry hosts in a text, and the option that names one."""
    found = [match.group() for pattern in HOSTS for match in pattern.finditer(text)]
    return found + re.findall(r"--(?:extra-)?index" + r"-url\b", text)


def test_no_tracked_file_names_a_registry() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): hosts
        for path in tracked_files()
        if (hosts := hosts_in(path.read_bytes().decode("utf-8", "replace")))
    }
    assert found == {}


def test_no_lock_file_is_tracked() -> None:
    assert [path.name for path in tracked_files() if path.name in LOCKS] == []


def test_the_constraints_are_names_with_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    wrong = [line for line in lines if not line.startswith("#") and not PINNED.fullmatch(line)]
    assert lines
    assert wrong == []


@pytest.mark.parametrize("text", ["https://" + "pypi." + "org/simple", "npm config: registry." + "npmjs." + "org"])
def test_the_name_of_a_registry_is_found(text: str) -> None:
    assert hosts_in(f"see {text} for more")
