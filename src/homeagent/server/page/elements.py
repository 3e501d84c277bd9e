"""What views are made of. Text goes in as text, and attributes one by one: nothing is parsed, nothing becomes HTML."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from inspect import isawaitable
from typing import TYPE_CHECKING

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement
from pydantic import ValidationError

from homeagent.errors import HomeAgentError
from homeagent.masking import masked
from homeagent.server.errors import AccessError
from homeagent.server.page import ROOT
from homeagent.server.page.held import HELD, Select, held, take
from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nicegui.element import Element
    from nicegui.events import GenericEventArguments

    from homeagent.server.page.visit import Visit

__all__ = [
    "Act",
    "Text",
    "attempting",
    "block",
    "button",
    "chip",
    "choice",
    "disclosure",
    "empty",
    "entry",
    "heading",
    "icon",
    "lines_entry",
    "link",
    "named",
    "problem_lines",
    "show_problem",
    "text",
]

Act = Callable[[], object]
"""What a button does; a coroutine is awaited."""


class Text(TextElement):
    """An element of any tag with text in it, as a text node."""

    def __init__(self, tag: str, text: str = "") -> None:
        super().__init__(tag=tag, text=text)


def text(tag: str, words: str, classes: str = "") -> Text:
    """Put text here."""
    made = Text(tag, words)
    if classes:
        made.classes(classes)
    return made


def block(tag: str = "div", classes: str = "", label: str = "") -> Element:
    """Put an element here that holds others; ``label`` is its name for those who do not see it."""
    made = ui.element(tag)
    if classes:
        made.classes(classes)
    return named(made, label) if label else made


def named(element: Element, label: str) -> Element:
    """Give an element the name by which screen readers call it."""
    element.props["aria-label"] = label
    return element


def heading(words: str, about: str = "") -> None:
    """Put the title of a view here, and a sentence about it."""
    text("h1", words, "title")
    if about:
        text("p", about, "about")


def icon(name: str) -> Text:
    """Put a symbol here that says nothing of its own."""
    made = text("span", name, "material-icons icon")
    made.props["aria-hidden"] = "true"
    return made


def button(words: str, act: Act | None, kind: str = "plain", symbol: str = "", *, label: str = "") -> Element:
    """Put a button here, which does ``act`` with what the fields held when it was pressed.

    ``kind`` is ``main``, ``plain``, ``quiet`` or ``danger``.
    """
    made = ui.element("button").classes(f"button {kind}")
    made.props["type"] = "button"
    if label:
        named(made, label)
    with made:
        if symbol:
            icon(symbol)
        if words:
            Text("span", words)
    if act is None:
        return made

    async def pressed(event: GenericEventArguments) -> None:
        await take(event.args)
        done = act()
        if isawaitable(done):
            await done

    made.on("click", pressed, js_handler=f"() => emit({HELD})")
    return made


def link(words: str, address: str, classes: str = "link", symbol: str = "") -> Element:
    """Put a link to an address of this page here."""
    made = ui.element("a").classes(classes)
    made.props["href"] = f"{ROOT}{address}"
    with made:
        if symbol:
            icon(symbol)
        Text("span", words)
    return made


def chip(words: str, kind: str = "") -> Text:
    """Put a short word in a frame here."""
    return text("span", words, f"chip is-{kind}" if kind else "chip")


def choice(label: str, options: Mapping[str, str], value: str, act: Callable[[str], object]) -> Element:
    """Put a list to choose from here: values with what they are called; ``act`` is told the value."""
    with block("label", "choice") as whole:
        Text("span", label)
        with Select(frozenset(options), value, act):
            for each, words in options.items():
                option = Text("option", words)
                option.props["value"] = each
                if each == value:
                    option.props["selected"] = True
    return whole


def entry(
    label: str, value: object = "", *, placeholder: str = "", password: bool = False, kind: str = "", grow: bool = False
) -> ui.input:
    """Put a line to write in here, with its label above it. ``kind`` is ``date`` or ``number``."""
    with block("div", "entry-field grow" if grow else "entry-field"):
        text("span", label, "entry-label").props["aria-hidden"] = "true"
        made = ui.input(value="" if value is None else str(value), placeholder=placeholder, password=password)
        made.props("outlined dense")
        made.props["autocomplete"] = "off"
        if kind:
            made.props["type"] = kind
        named(made, label)
        held(made)
    return made


def lines_entry(label: str, lines: Sequence[str]) -> ui.textarea:
    """Put a box to write several lines in here, with its label above it."""
    with block("div", "entry-field grow"):
        text("span", label, "entry-label").props["aria-hidden"] = "true"
        made = ui.textarea(value="\n".join(lines))
        made.props("outlined dense autogrow")
        named(made, label)
        held(made)
    return made


@contextmanager
def disclosure(words: str, classes: str = "", *, opened: bool = False) -> Iterator[Element]:
    """Put something here that is shown when its summary is chosen."""
    with block("details", f"disclosure {classes}") as made:
        if opened:
            made.props["open"] = True
        text("summary", words)
        with block("div", "inner"):
            yield made


def empty(visit: Visit, key: str, *, symbol: str = "inbox", address: str = "") -> None:
    """Say that there is nothing here yet and what to do; ``KEY_do`` names the way to ``address``."""
    with block("div", "empty"):
        icon(symbol)
        text("p", visit.say(key), "lead")
        text("p", visit.say(f"{key}_next"))
        if address:
            link(visit.say(f"{key}_do"), address, "button main")


@contextmanager
def attempting(visit: Visit) -> Iterator[None]:
    """Say what goes wrong inside in the person's language, where it can be read, and go on."""
    try:
        yield
    except (HomeAgentError, SdkError) as error:
        show_problem(visit, error)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        ui.notify(visit.say("unfit", field=field, problem=first["msg"]), type="negative")


def problem_lines(visit: Visit, error: HomeAgentError | SdkError) -> tuple[str, str]:
    """Return what is wrong and what to do, in the person's language."""
    parts = (masked(visit.told(each)) for each in (error.where, error.problem, error.next_step))
    where, problem, step = parts
    between = "：" if visit.language == "zh" else ": "
    return f"{where}{between}{problem}", step


def show_problem(visit: Visit, error: HomeAgentError | SdkError) -> None:
    """Say what is wrong; who is no longer signed in is asked to sign in."""
    if isinstance(error, AccessError) and error.status == 401:
        ui.navigate.to("/sign-in")
        return
    problem, step = problem_lines(visit, error)
    ui.notify(
        f"{problem}\n{step}",
        type="negative",
        multi_line=True,
        close_button=visit.say("close"),
        timeout=12_000,
        classes="problem",
    )
