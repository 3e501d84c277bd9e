"""Asking the person before something is done, in words that hide nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from homeagent_sdk import ToolContext

__all__ = ["Question", "ask_first", "visible"]


class Question(NamedTuple):
    """What the person is asked: the same in both languages, since a plugin does not know which one they speak."""

    english: str
    chinese: str


async def ask_first(context: ToolContext, question: Question, detail: str, field: str) -> None:
    """Ask the person and show them ``detail``. Raises ``ToolError`` about ``field`` when they don't agree."""
    if not await context.ask(f"{question.english} {question.chinese}\n{visible(detail)}"):
        raise ToolError(field, "the person did not agree to this", "Don't try it another way: ask what they want")


def visible(text: str) -> str:
    r"""Return ``text`` with everything that a screen would not show as it is written out, as ``\x1b`` or ``\u202e``.

    Otherwise what is asked could overwrite or turn around its own words. Line breaks stay.
    """
    return "".join(each if each.isprintable() or each == "\n" else _written_out(each) for each in text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
