"""A real browser on the page: signing in, going from view to view, and pictures of them."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

    from tests.server.serving import Served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PICTURES = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
WIDE, NARROW = 1280, 390

_LATER = """(count) => {
    const socket = window.socket, emit = socket.emit.bind(socket), kept = [];
    socket.emit = (...sent) => {
        if (sent[0] !== 'event') return emit(...sent);
        if (kept.length < count) { kept.push(sent); return; }
        socket.emit = emit;
        emit(...sent);
        kept.forEach(each => emit(...each));
    };
}"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium."""
    assert CHROMIUM, "there is no chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        # Without a sandbox of its own, which root in a container can't have; it only ever opens our own server.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """Somebody in front of a browser. ``problems`` are what the browser complained of."""

    def __init__(self, browser: Browser, served: Served, *, width: int = WIDE, zh: bool = False, dark: bool = False):
        self.served = served
        self.problems: list[str] = []
        self.elsewhere: list[str] = []
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": 740},
            locale="zh-CN" if zh else "en-US",
            color_scheme="dark" if dark else "light",
            timezone_id="Asia/Shanghai",
            device_scale_factor=1,
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self._console)
        self.page.on("request", self._asked)

    def _console(self, message) -> None:  # type: ignore[no-untyped-def]
        if message.type == "error":
            self.problems.append(message.text)

    def _asked(self, request) -> None:  # type: ignore[no-untyped-def]
        if not request.url.startswith((self.served.url, self.served.url.replace("http", "ws"), "data:", "blob:")):
            self.elsewhere.append(request.url)

    def sign_in(self, token: str = "") -> Page:
        """Sign in with the form, as the owner unless a token is given."""
        self.page.goto(f"{self.served.url}/")
        self.page.fill("input[name=token]", token or self.served.token)
        self.page.click("button[type=submit]")
        self.page.wait_for_url(lambda url: "sign-in" not in url)
        return self.page

    def open(self, address: str) -> Page:
        """Open a view and wait until it is there and connected."""
        self.page.goto(f"{self.served.url}/page{address}")
        self.ready()
        return self.page

    def ready(self) -> None:
        """Wait until the page answers to what is done on it."""
        self.page.wait_for_function("() => window.did_handshake === true")
        self.page.wait_for_selector(".view")

    def delay_events(self, count: int) -> None:
        """Let the next events of the page arrive after the one that follows them, as before it is connected."""
        self.page.evaluate(_LATER, count)

    def picture(self, name: str, *, whole: bool = False) -> None:
        """Keep a picture of what is on view for the documentation."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.mouse.move(0, 0)
        self.page.wait_for_timeout(350)  # what fades in has come
        self.page.screenshot(path=PICTURES / f"{name}.png", full_page=whole)

    def fits(self) -> bool:
        """Whether nothing sticks out to the side."""
        return bool(self.page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth"))
