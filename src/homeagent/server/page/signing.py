"""Signing in: what a browser sees that nobody let in yet."""

from fastapi import Request
from nicegui import ui

from homeagent.server.page import ROOT
from homeagent.server.page.elements import block, icon, text
from homeagent.server.page.frame import bare
from homeagent.server.page.visit import THEME, language_of
from homeagent.server.page.words import words

__all__ = ["sign_in_view"]


async def sign_in_view(request: Request) -> None:
    """Ask for a token."""
    language = language_of(request)
    bare(language, request.cookies.get(THEME, ""))

    def say(key: str) -> str:
        return words(key, language)

    ui.page_title(f"{say('sign_in')} · HomeAgent")
    problem = request.query_params.get("problem", "")
    with block("div", "sign-in"), block("form", "card") as form:
        form.props["method"] = "post"
        form.props["action"] = f"{ROOT}/sign-in"
        with block("div", "brand large"):
            icon("cottage")
            text("span", "HomeAgent")
        text("h1", say("sign_in"), "title")
        text("p", say("sign_in_about"))
        if problem in ("wrong", "often", "link", "broken"):
            text("p", say(f"sign_in_{problem}"), "alert").props["role"] = "alert"
        _field("to", request.query_params.get("to", ""), hidden=True)
        with block("label", "field"):
            text("span", say("token"))
            _field("token", "", hidden=False)
        submit = block("button", "button main wide")
        submit.props["type"] = "submit"
        with submit:
            text("span", say("sign_in"))
        text("p", say("sign_in_help"), "fine")
        other = "en" if language == "zh" else "zh"
        switch = text("a", "中文" if other == "zh" else "English", "link")
        switch.props["href"] = f"{ROOT}/choose?language={other}&to={ROOT}/sign-in"
        switch.props["lang"] = "zh-CN" if other == "zh" else "en"


def _field(name: str, value: str, *, hidden: bool) -> None:
    made = block("input")
    made.props["name"] = name
    made.props["value"] = value
    made.props["type"] = "hidden" if hidden else "password"
    if not hidden:
        made.props["required"] = True
        made.props["autocomplete"] = "current-password"
        made.props["autofocus"] = True
