"""What elements of pages are called, and what that says about them. Much of it is Readability's experience."""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "BAD",
    "BLOCKS",
    "GOOD",
    "HIDDEN",
    "MAYBE",
    "NEVER",
    "OF_TAG",
    "PARAGRAPHS",
    "UNLIKELY",
    "UNLIKELY_ROLES",
]

NEVER: Final = frozenset(
    (
        *("script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "audio", "video", "select"),
        *("button", "input", "textarea", "option", "datalist", "nav", "dialog", "map", "link", "meta", "title"),
    )
)
"""Elements whose text nobody reads."""

BLOCKS: Final = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "center",
            "dd",
            "details",
            "div",
            "dl",
            "dt",
            "fieldset",
        ),
        *("figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr"),
        *(
            "li",
            "main",
            "ol",
            "p",
            "pre",
            "section",
            "summary",
            "table",
            "tbody",
            "td",
            "tfoot",
            "th",
            "thead",
            "tr",
            "ul",
        ),
    )
)
"""Elements that begin a new line."""

PARAGRAPHS: Final = frozenset(("p", "pre", "td", "blockquote", "section", "h2", "h3", "h4", "h5", "h6", "dd", "li"))
"""Elements whose text gives points to those around them."""

OF_TAG: Final = {
    **dict.fromkeys(("article", "main"), 8),
    "div": 5,
    **dict.fromkeys(("pre", "td", "blockquote"), 3),
    **dict.fromkeys(("address", "ol", "ul", "dl", "dd", "dt", "li", "form", "aside"), -3),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "th", "header", "footer"), -5),
}
"""What an element is given to begin with."""

UNLIKELY: Final = re.compile(
    r"-ad-|ai2html|banner|breadcrumb|combx|comment|community|cookie|cover-wrap|disqus|extra|footer|gdpr|header|legends"
    r"|menu|related|remark|replies|rss|shoutbox|sidebar|skyscraper|social|sponsor|supplemental|ad-break|agegate"
    r"|pagination|pager|popup|yom-remote",
    re.IGNORECASE,
)
"""Names of what is not the main text, unless `MAYBE` occurs in them too."""

MAYBE: Final = re.compile(r"and|article|body|column|content|main|shadow", re.IGNORECASE)
"""Names of what may be the main text all the same."""

UNLIKELY_ROLES: Final = frozenset(
    (
        "menu",
        "menubar",
        "complementary",
        "navigation",
        "alert",
        "alertdialog",
        "dialog",
        "banner",
        "contentinfo",
        "search",
    )
)
"""Roles, for the blind, of what is not the main text."""

GOOD: Final = re.compile(r"article|body|content|entry|hentry|h-entry|main|page|post|text|blog|story", re.IGNORECASE)
"""Names that speak for an element."""

BAD: Final = re.compile(
    r"-ad-|hidden|banner|combx|comment|com-|contact|footer|gdpr|masthead|media|meta|outbrain|promo|related|scroll"
    r"|share|shoutbox|sidebar|skyscraper|sponsor|shopping|tags|widget",
    re.IGNORECASE,
)
"""Names that speak against it."""

HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
"""Styles of what is not shown."""
