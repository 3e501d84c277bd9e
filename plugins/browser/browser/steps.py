"""The tools that drive a page step by step. None of what they put out is a statement: no_memory."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Final, Literal

from browser.chromium import settled, visit
from browser.fetching import REFUSED
from browser.settings import BrowserSettings
from browser.state import Parts
from homeagent_sdk import ToolContext, ToolError, tool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Locator, Page

__all__ = [
    "browser_click",
    "browser_close",
    "browser_html",
    "browser_navigate",
    "browser_screenshot",
    "browser_scroll",
    "browser_start",
    "browser_type",
]

_SHOWN: Final = 4_000
_MOST_SCREENSHOTS: Final = 200
_OPENS_SECONDS: Final = 0.4


@tool(no_memory=True, timeout=90)
async def browser_start(context: ToolContext) -> str:
    """Start the browser with an empty page; browser_navigate does it too where none is open."""
    async with context.state(Parts).chromium.page(make=True) as page:
        return f"The browser is open, at {page.url}"


@tool(no_memory=True, timeout=180)
async def browser_navigate(context: ToolContext, address: str) -> str:
    """Lead the browser to a page; returns its title and the beginning of its visible text.

    Args:
        address: The page, e.g. "https://example.org/".
    """
    parts = context.state(Parts)
    async with parts.chromium.page(make=True) as page:
        status = await visit(page, address, parts.guard, context.settings(BrowserSettings).seconds)
        return f"{status} {await _seen(page)}"


@tool(no_memory=True, timeout=90)
async def browser_html(context: ToolContext, selector: str = "") -> str:
    """Return the HTML of the open page as it is now, or of the first element that a selector finds.

    Args:
        selector: A CSS selector, e.g. "main"; the whole page if left out.
    """
    async with context.state(Parts).chromium.page() as page, _explained():
        if not selector:
            return await page.content()
        html: str = await page.locator(selector).first.evaluate("element => element.outerHTML")
        return html


@tool(no_memory=True, timeout=90)
async def browser_click(context: ToolContext, selector: str = "", text: str = "") -> str:
    """Click an element of the open page, named by a CSS selector or by the text on it.

    Args:
        selector: E.g. "button[type=submit]".
        text: E.g. "Next page"; instead of a selector.
    """
    parts = context.state(Parts)
    async with parts.chromium.page() as page, _explained():
        before = len(parts.guard.refused)
        await _element(page, selector, text).click()
        await asyncio.sleep(_OPENS_SECONDS)  # a new window, if it opens one, comes a moment later
    async with parts.chromium.page() as page:
        await settled(page)
        if len(parts.guard.refused) > before and page.url.startswith("chrome-error:"):
            raise ToolError("", parts.guard.refused[-1], REFUSED)
        return await _seen(page)


@tool(no_memory=True, timeout=90)
async def browser_type(context: ToolContext, selector: str, text: str, enter: bool = False) -> str:
    """Type into a field of the open page, in place of what is in it.

    Args:
        selector: A CSS selector of the field, e.g. "input[name=q]".
        text: What to type.
        enter: Press Enter afterwards.
    """
    async with context.state(Parts).chromium.page() as page, _explained():
        field = page.locator(selector).first
        await field.fill(text)
        if enter:
            await field.press("Enter")
            await settled(page)
        return f"Typed {len(text)} characters; the page is {page.url}"


@tool(no_memory=True, timeout=90)
async def browser_scroll(context: ToolContext, to: Literal["down", "up", "top", "bottom"] = "down") -> str:
    """Scroll the open page by one screen, or to an end of it.

    Args:
        to: Where to.
    """
    moves = {
        "down": "window.scrollBy(0, innerHeight)",
        "up": "window.scrollBy(0, -innerHeight)",
        "top": "window.scrollTo(0, 0)",
        "bottom": "window.scrollTo(0, document.documentElement.scrollHeight)",
    }
    async with context.state(Parts).chromium.page() as page, _explained():
        await page.evaluate(moves[to])
        at = await page.evaluate("[Math.round(scrollY), document.documentElement.scrollHeight]")
        return f"At {at[0]} of {at[1]} pixels"


@tool(no_memory=True, timeout=90)
async def browser_screenshot(context: ToolContext, whole: bool = False) -> str:
    """Save a picture of the open page and return its path.

    Args:
        whole: The whole page, not only what fits on a screen.
    """
    folder = context.data_folder / "screenshots"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{time.strftime('%Y-%m-%d_%H-%M-%S')}_{time.monotonic_ns() % 1000:03}.png"
    async with context.state(Parts).chromium.page() as page, _explained():
        await page.screenshot(path=path, full_page=whole)
    for old in sorted(folder.glob("*.png"))[:-_MOST_SCREENSHOTS]:
        old.unlink(missing_ok=True)
    return str(path)


@tool(no_memory=True)
async def browser_close(context: ToolContext) -> str:
    """Close the browser and forget its cookies."""
    was_open = await context.state(Parts).chromium.close()
    return "The browser is closed" if was_open else "No browser was open"


def _element(page: Page, selector: str, text: str) -> Locator:
    if bool(selector) == bool(text):
        raise ToolError("selector", "name the element by a selector or by its text", "Give one of both")
    return page.locator(selector).first if selector else page.get_by_text(text).first


async def _seen(page: Page) -> str:
    text: str = await page.evaluate("document.body ? document.body.innerText : ''")
    lines = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    more = f"\n[... {len(lines) - _SHOWN:,} more characters ...]" if len(lines) > _SHOWN else ""
    return f"{page.url}\n{await page.title()}\n\n{lines[:_SHOWN]}{more}"


@contextlib.asynccontextmanager
async def _explained() -> AsyncIterator[None]:
    """Turn what playwright raises into a ``ToolError``."""
    from playwright.async_api import Error

    try:
        yield
    except Error as error:
        reason = error.message.partition("\nCall log")[0].strip()
        raise ToolError("", reason[:500], "Look at the page with browser_html, then try another selector") from None
