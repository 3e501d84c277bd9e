"""The plugin ``browser``: searches the web, fetches and renders pages, and drives a headless Chromium step by step."""

from browser.reading import browser_fetch, browser_render, browser_search
from browser.settings import BrowserSettings
from browser.state import start, stop
from browser.steps import (
    browser_click,
    browser_close,
    browser_html,
    browser_navigate,
    browser_screenshot,
    browser_scroll,
    browser_start,
    browser_type,
)
from homeagent_sdk import Plugin

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin(
    "browser",
    "1.0.0",
    tools=[
        browser_search,
        browser_fetch,
        browser_render,
        browser_start,
        browser_navigate,
        browser_html,
        browser_click,
        browser_type,
        browser_scroll,
        browser_screenshot,
        browser_close,
    ],
    settings=BrowserSettings,
    on_start=start,
    on_stop=stop,
)
