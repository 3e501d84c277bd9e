"""What stands in the fields of a view goes along with the button that sends it.

While a page is not connected yet, what happens on it waits and arrives in any order: a click may come before the words
that were written before it. So every click brings what the fields held at that moment.
"""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING, Final

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.value_element import ValueElement

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HELD", "Select", "held", "take"]

_MARK: Final = "data-field"

HELD: Final = (
    f"[...document.querySelectorAll('[{_MARK}]')].map(each => [Number(each.getAttribute('{_MARK}')), "
    "each.getAttribute('role') === 'switch' ? each.dataset.wanted === 'true' : each.value])"
)
"""An expression of the browser: every field of the view with what it holds."""


class Select(Element):
    """A list to choose from; ``act`` is told a choice once, by whichever event brings it first."""

    def __init__(self, options: frozenset[str], value: str, act: Callable[[str], object]) -> None:
        super().__init__(tag="select")
        self._options, self._value, self._act = options, value, act
        held(self)
        self.on("change", lambda event: self.take(event.args), js_handler="(event) => emit(event.target.value)")

    def take(self, value: object) -> object:
        """Take what the browser says was chosen; what is no option is nobody's choice."""
        if not isinstance(value, str) or value not in self._options or value == self._value:
            return None
        self._value = value
        return self._act(value)


def held(field: Element) -> None:
    """Let what a field holds go along with every button of the view."""
    field.props[_MARK] = str(field.id)
    if isinstance(field, ui.switch):  # it turns only when the server has heard of it
        field.props["data-wanted"] = "true" if field.value else "false"
        wanted = f"document.getElementById('{field.html_id}').dataset.wanted"
        field.on("update:model-value", js_handler=f"(value) => {{ {wanted} = value; }}")


async def take(told: object) -> None:
    """Take what the fields of the view held when a button was pressed: the value of `HELD`."""
    elements = ui.context.client.elements
    for each in told if isinstance(told, list) else ():
        match each:
            case [int(number), (str() | bool()) as value]:
                field = elements.get(number)
            case _:
                continue
        if field is None or _MARK not in field.props:
            continue
        if isinstance(field, Select):
            done = field.take(value)
            if isawaitable(done):
                await done
        elif isinstance(field, ValueElement) and field.value != value and isinstance(field.value, bool | str | None):
            field.set_value(value)
