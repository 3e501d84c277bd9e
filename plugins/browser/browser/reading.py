"""The tools whose pages are worth remembering: ``browser_search``, ``browser_fetch`` and ``browser_render``."""

from __future__ import annotations

import asyncio
import json
from typing import Final
from urllib.parse import quote

from browser.cleaning import main_text, only_results
from browser.fetching import Page, fetched
from browser.results import found_results
from browser.settings import BrowserSettings
from browser.state import Parts
from homeagent_sdk import ToolContext, ToolError, ToolResult, tool

__all__ = ["browser_fetch", "browser_render", "browser_search"]

_SHOWN: Final = 16_000
_SHORT: Final = 4_000


@tool(cleaner=only_results, timeout=120, parallel=True)
async def browser_search(context: ToolContext, words: str) -> str:
    """Search the web; JSON with title, address and a few words of each result.

    Args:
        words: What to look for.
    """
    if not words.strip():
        raise ToolError("words", "are empty", "Say what to look for")
    settings, guard = context.settings(BrowserSettings), context.state(Parts).guard
    address = settings.search.replace("{words}", quote(words.strip(), safe=""))
    page = await asyncio.to_thread(fetched, address, guard, settings.seconds)
    results = await asyncio.to_thread(found_results, page)
    answer = {"words": words, "results": [each._asdict() for each in results]}
    return json.dumps(answer, ensure_ascii=False)


@tool(cleaner=main_text, timeout=120, parallel=True)
async def browser_fetch(context: ToolContext, address: str) -> ToolResult:
    """Fetch a page of the web without running its scripts, and read its text.

    Args:
        address: The page, e.g. "https://example.org/article".
    """
    settings, guard = context.settings(BrowserSettings), context.state(Parts).guard
    return await _read(await asyncio.to_thread(fetched, address, guard, settings.seconds))


@tool(cleaner=main_text, timeout=180, parallel=True)
async def browser_render(context: ToolContext, address: str) -> ToolResult:
    """Open a page in a browser, let its scripts run, and read its text. Slower than browser_fetch.

    Args:
        address: The page, e.g. "https://example.org/app".
    """
    place, html = await context.state(Parts).chromium.rendered(address)
    return await _read(Page(place, html, "text/html"))


async def _read(page: Page) -> ToolResult:
    """Return a page as it came; what the model reads of a long one is its text, not thousands of tags."""
    output = f"<!-- {page.address.replace('--', '%2D%2D')} -->\n{page.text}"
    if len(output) <= _SHORT or "html" not in page.media_type:
        return ToolResult(output)
    text = await asyncio.to_thread(main_text, output)
    more = f"\n[... {len(text) - _SHOWN:,} more characters ...]" if len(text) > _SHOWN else ""
    return ToolResult(output, receipt=f"{page.address}\n{text[:_SHOWN]}{more}")
