"""What of the outputs enters memory: the main text of a page, the words of search results."""

from __future__ import annotations

import json
import re
from typing import Final

from browser.main_text import main_text_of, title_of
from homeagent_sdk import CleanerError, html_text, read_json

__all__ = ["main_text", "only_results"]

_FROM: Final = re.compile(r"\s*<!-- \S+ -->\n")
_LOOKS_LIKE_HTML: Final = re.compile(
    r"<(?:!doctype|html|head|body|p|div|span|article|section|table|h[1-6]|ul|a|br)\b", re.I
)
_LONGEST: Final = 200_000


def main_text(text: str) -> str:
    """Return the main text of a page that was fetched or rendered, its title first; of an error the reason.

    A page without the line that says where it comes from has no title either. What is no HTML passes: JSON with its
    letters readable, anything else as it is.
    """
    came_from = _FROM.match(text)
    page = text[came_from.end() :] if came_from else text
    if _LOOKS_LIKE_HTML.search(page):
        found = main_text_of(page) or html_text()(page)
        title = title_of(page) if came_from else ""
        return f"{title}\n{found}".strip() if title and title not in found[: len(title) + 200] else found
    if page.lstrip()[:1] not in ("{", "["):
        return page[:_LONGEST]
    try:
        value = read_json(page)
    except CleanerError:
        return page[:_LONGEST]
    match value:
        case {"error": [{"reason": str(reason)}, *_]}:
            return reason
    return json.dumps(value, ensure_ascii=False)[:_LONGEST]


def only_results(text: str) -> str:
    """Return title and words of each result of a search, without addresses and the JSON around them."""
    try:
        found = read_json(text)
    except CleanerError:
        return "" if text.lstrip()[:1] in ("{", "[") else text
    match found:
        case {"error": [{"reason": str(reason)}, *_]}:
            return reason
        case {"results": [*results]}:
            parts = [each.get(key) for each in results if isinstance(each, dict) for key in ("title", "text")]
            return "\n".join(part for part in parts if isinstance(part, str) and part.strip())
    return ""
