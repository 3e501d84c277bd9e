"""Answers of models as they are meant to look: Markdown's structure as elements, every word of it as a text node.

Nothing of an answer is ever HTML: tags in it are shown as they stand, links lead to the web or nowhere, and pictures
are named, not fetched: an answer can't make a browser ask another server for anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from homeagent.server.page.elements import Text, block, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

__all__ = ["show_markup"]

_PARSER: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["html_block", "html_inline"])
_LONGEST: Final = 60_000
_DEEPEST: Final = 40
_BLOCKS: Final = frozenset(
    ("p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "h1", "h2", "h3", "h4", "h5")
)
_INLINE: Final = frozenset(("em", "strong"))


def show_markup(words: str) -> None:
    """Show an answer here. One that is very long, or marked up deeper than anybody writes, is shown as it stands."""
    with block("div", "markup"):
        tokens = _PARSER.parse(words) if len(words) <= _LONGEST else None
        if tokens is None or _depth(tokens) > _DEEPEST:
            text("p", words, "said")
            return
        _show(iter(tokens))


def _depth(tokens: Sequence[Token]) -> int:
    """Return how deep elements stand in each other: neither we nor browsers can draw some thousands."""
    deepest = depth = 0
    for token in tokens:
        depth += token.nesting
        deepest = max(deepest, depth, depth + _depth(token.children or ()))
    return deepest


def _show(tokens: Iterator[Token]) -> None:
    """Show tokens until the one that closes what they stand in."""
    for token in tokens:
        if token.nesting < 0:
            return
        if token.type in ("fence", "code_block"):
            with block("pre", "code") as code:
                code.props["tabindex"] = "0"
                Text("code", token.content)
        elif token.type == "hr":
            block("hr")
        elif token.type == "inline":
            _show_inline(iter(token.children or ()))
        elif token.nesting > 0:
            # A heading of an answer is none of the page: what is h1 there stands far below the page's own.
            tag = token.tag if token.tag in _BLOCKS else "div"
            with block("p" if tag.startswith("h") and tag != "hr" else tag) as made:
                if tag in ("h1", "h2", "h3", "h4", "h5"):
                    made.classes("heading")
                _show(tokens)


def _show_inline(tokens: Iterator[Token]) -> None:
    for token in tokens:
        if token.nesting < 0:
            return
        match token.type:
            case "text" | "html_inline":
                Text("span", token.content)
            case "code_inline":
                Text("code", token.content)
            case "softbreak":
                Text("span", "\n")
            case "hardbreak":
                block("br")
            case "image":
                Text("span", f"[{_plain(token.children or ())}]({token.attrGet('src') or ''})")
            case "link_open":
                _show_link(str(token.attrGet("href") or ""), tokens)
            case _ if token.nesting > 0:
                with block(token.tag if token.tag in _INLINE else "span"):
                    _show_inline(tokens)


def _show_link(address: str, tokens: Iterator[Token]) -> None:
    if urlsplit(address).scheme not in ("http", "https"):
        with block("span"):
            _show_inline(tokens)
        Text("span", f" ({address})")
        return
    with block("a", "link") as made:
        made.props["href"] = address
        made.props["target"] = "_blank"
        made.props["rel"] = "noopener noreferrer nofollow"
        made.props["title"] = address
        _show_inline(tokens)


def _plain(tokens: Sequence[Token]) -> str:
    return "".join(each.content for each in tokens)
