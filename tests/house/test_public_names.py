"""What is public is what the reference page lists, in the words of the code."""

from __future__ import annotations

import importlib

import pytest

from dev.reference import PAGE, PUBLIC, names_on, reference

REFRESH = "the page is old: run  .venv/bin/python -m dev.reference  and commit docs/reference.md"


@pytest.mark.parametrize("package", PUBLIC)
def test_the_reference_lists_exactly_the_public_names(package: str) -> None:
    public: list[str] = importlib.import_module(package).__all__
    assert sorted(names_on(PAGE.read_text("utf-8"))[package]) == sorted(public), REFRESH


def test_the_reference_says_what_the_code_says() -> None:
    assert PAGE.read_text("utf-8") == reference(), REFRESH


def test_the_names_of_a_page_are_read_by_package() -> None:
    page = "# R\n\n## one\n\n### `A`\n\ntext `B`\n\n### `C`\n\n## two\n\n### `D`\n"
    assert names_on(page) == {"one": ["A", "C"], "two": ["D"]}
