"""The transcripts in ``docs/`` are what the program prints now."""

from __future__ import annotations

import pytest

from dev.transcripts.pages import PAGES, same_words, without_what_differs, written
from homeagent.cli.messages import MESSAGES


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_first_five_minutes_are_what_the_program_prints_now(page) -> None:
    found = same_words(written(PAGES[page]))
    assert found == same_words(page.read_text("utf-8")), "run python -m dev.transcripts, and look at what has changed"


def test_what_is_compared_leaves_out_figures_and_nothing_else() -> None:
    assert same_words("meaning +1.2, 45%") == same_words("meaning +3.4, 61%")
    assert same_words("- a") != same_words("- b")


@pytest.mark.parametrize("key", ["step_model", "step_model_ready"])
def test_a_page_does_not_say_that_the_model_was_made_at_its_first_use(key) -> None:
    for words in MESSAGES[key]:
        assert without_what_differs(f"> a question\n  {words} 40%\nan answer\n") == "> a question\nan answer\n"
