"""Every text of the page, in English and in Chinese, by key; one table for each part of it."""

from __future__ import annotations

from typing import Final

from homeagent.server.page.words.built_in import BUILT_IN, IN_CHINESE
from homeagent.server.page.words.forgetting import FORGETTING
from homeagent.server.page.words.frame import FRAME
from homeagent.server.page.words.home import HOME
from homeagent.server.page.words.knowledge import KNOWLEDGE
from homeagent.server.page.words.memory import MEMORY
from homeagent.server.page.words.policies import POLICIES
from homeagent.server.page.words.talk import TALK

__all__ = ["WORDS", "built_in_words", "words"]

WORDS: Final[dict[str, tuple[str, str]]] = {
    **FRAME, **TALK, **MEMORY, **KNOWLEDGE, **FORGETTING, **POLICIES, **HOME, **BUILT_IN,
}  # fmt: skip
"""Key, then English, then Chinese."""


def words(key: str, language: str) -> str:
    """Return a text in ``en`` or ``zh``; the key itself where there is none."""
    found = WORDS.get(key)
    return key if found is None else found[language == "zh"]


def built_in_words(english: str, language: str) -> str:
    """Return in ``en`` or ``zh`` what a built-in plugin says of a tool or a setting."""
    return IN_CHINESE.get(english, english) if language == "zh" else english
