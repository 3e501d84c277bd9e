"""One headless Chromium, driven by playwright: started when it is needed, reached by the guard's rules alone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from browser.fetching import REFUSED, web_address
from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser, BrowserContext, Page, Playwright

    from browser.guard import Guard
    from browser.settings import BrowserSettings

__all__ = ["Chromium", "find_chromium", "settled", "visit"]

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SETTLE_MS: Final = 4_000
_LOOK_SECONDS: Final = 10.0
_OPTIONS: Final = (
    "--proxy-bypass-list=<-loopback>",  # this machine too is reached through the guard, which refuses it
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-breakpad",
    "--no-first-run",
)


def find_chromium(settings: BrowserSettings) -> str:
    """Return the path of Chromium. Raises ``ToolError`` when there is none."""
    found = settings.chromium or next(filter(None, map(shutil.which, _NAMES)), "")
    if not found or not Path(found).exists():
        hint = "Install it, e.g. apt-get install chromium, or set plugins.browser.chromium to its path"
        raise ToolError("", "there is no Chromium on this machine", hint)
    return found


class Chromium:
    """The browser. `page` is the one that is driven step by step; `rendered` opens others for a moment."""

    def __init__(self, settings: BrowserSettings, guard: Guard, folder: Path) -> None:
        self._settings = settings
        self._guard = guard
        self._folder = folder
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._page: Page | None = None
        self._starting = asyncio.Lock()
        self._used = time.monotonic()
        self._busy = 0
        self._watcher: asyncio.Task[None] | None = None
        self._held = -1

    @contextlib.asynccontextmanager
    async def page(self, *, make: bool = False) -> AsyncIterator[Page]:
        """Hand out the page that is driven; with ``make`` it is opened where none is. Raises ``ToolError``."""
        async with self._in_use():
            if make:
                await self._open_page()
            if self._page is None or self._page.is_closed():
                raise ToolError("", "no page is open", "Open one with browser_navigate")
            yield self._page

    async def rendered(self, address: str) -> tuple[str, str]:
        """Return address and HTML of a page when its scripts have run. Raises ``ToolError``."""
        async with self._in_use():
            browser = await self._open()
            context = await self._context(browser)
            try:
                page = await context.new_page()
                await visit(page, address, self._guard, self._settings.seconds)
                return page.url, await page.content()
            finally:
                await context.close()

    async def close(self) -> bool:
        """Close the browser; return whether one was open."""
        if self._watcher is not None and self._watcher is not asyncio.current_task():
            self._watcher.cancel()
        browser, self._browser, self._page, self._watcher = self._browser, None, None, None
        playwright, self._playwright = self._playwright, None
        if browser is not None:
            await browser.close()
        if playwright is not None:
            await playwright.stop()
        if self._held >= 0:
            os.close(self._held)
            self._held = -1
        return browser is not None

    def _temporary(self) -> str:
        """Return a short name of the folder for temporary files.

        Chromium puts a socket there, whose name may have 107 bytes; homes of people have longer ones.
        """
        folder = tempfile.gettempdir()
        if sys.platform == "linux":
            self._held = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            short = f"/proc/{os.getpid()}/fd/{self._held}"
            return short if Path(short).is_dir() else folder
        return folder

    @contextlib.asynccontextmanager
    async def _in_use(self) -> AsyncIterator[None]:
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            self._used = time.monotonic()

    async def _open_page(self) -> None:
        browser = await self._open()
        if self._page is None or self._page.is_closed():
            context = await self._context(browser)
            self._page = await context.new_page()
            context.on("page", self._took_over)

    def _took_over(self, page: Page) -> None:
        self._page = page  # a link that opens another window: that is what the person would look at

    async def _context(self, browser: Browser) -> BrowserContext:
        context = await browser.new_context(
            accept_downloads=False, viewport={"width": 1280, "height": 900}, locale="zh-CN", service_workers="block"
        )
        context.set_default_timeout(self._settings.seconds * 1000)
        return context

    async def _open(self) -> Browser:
        async with self._starting:
            if self._browser is not None and self._browser.is_connected():
                return self._browser
            await self.close()
            from playwright.async_api import Error, async_playwright  # late: it takes .3 s

            path = find_chromium(self._settings)
            self._playwright = await async_playwright().start()
            try:
                self._browser = await self._playwright.chromium.launch(
                    executable_path=path,
                    headless=True,
                    chromium_sandbox=self._settings.sandbox and os.getuid() != 0,  # as root it refuses to have one
                    proxy={"server": f"http://127.0.0.1:{self._guard.port}"},
                    args=list(_OPTIONS),
                    env={**os.environ, "HOME": str(self._folder), "TMPDIR": self._temporary()},
                )
            except Error as error:
                await self.close()
                hint = "Look whether it runs by itself; see the setting sandbox"
                raise ToolError("", f"Chromium did not start ({error.message.strip()[:300]})", hint) from error
            self._watcher = asyncio.create_task(self._close_when_idle())
            return self._browser

    async def _close_when_idle(self) -> None:
        while self._busy or time.monotonic() - self._used < self._settings.idle_minutes * 60:
            await asyncio.sleep(_LOOK_SECONDS)
        await self.close()


async def visit(page: Page, address: str, guard: Guard, seconds: float) -> int:
    """Lead a page to an address and wait until it has settled; return the status. Raises ``ToolError``."""
    from playwright.async_api import Error

    before = len(guard.refused)
    try:
        answer = await page.goto(web_address(address), wait_until="load", timeout=seconds * 1000)
    except Error as error:
        if len(guard.refused) > before:
            raise ToolError("address", guard.refused[-1], REFUSED) from None
        reason = error.message.partition("\n")[0].removeprefix("Page.goto: ")
        raise ToolError(
            "address", f"it can't be opened ({reason[:300]})", "Look whether the address is right"
        ) from None
    match answer.headers.get("x-guard") if answer is not None else None:
        case "refused":
            raise ToolError("address", guard.refused[-1], REFUSED)
        case "failed":
            raise ToolError("address", "the server can't be reached", "Look whether the address is right")
    await settled(page)
    return answer.status if answer is not None else 0


async def settled(page: Page) -> None:
    """Wait until nothing more is loaded, some seconds at most: some pages never come to rest."""
    from playwright.async_api import Error

    with contextlib.suppress(Error):
        await page.wait_for_load_state("networkidle", timeout=_SETTLE_MS)
