"""Writes docs/reference.md: every public name with its signature and docstring, as the code has them.

``python -m dev.reference`` writes it, ``python -m dev.reference --check`` exits with 1 when it is not what it would
write.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from typing import TYPE_CHECKING

from dev.ratchet import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

__all__ = ["PAGE", "PUBLIC", "names_on", "reference"]

PAGE = ROOT / "docs" / "reference.md"
"""Where the page is."""

PUBLIC = ("homeagent.memory", "homeagent_sdk", "homeagent_sdk.testing")
"""The packages whose ``__all__`` is the public interface. What is in no ``__all__`` may change at any time."""

_HEAD = """\
# Reference

Everything that other programs may use, taken from the code by `python -m dev.reference`; do not edit it by hand.
Names that are not here are not public.
"""


def reference() -> str:
    """Return the whole page."""
    parts = [_HEAD]
    for name in PUBLIC:
        package = importlib.import_module(name)
        parts.append(f"## {name}\n\n{inspect.getdoc(package) or ''}\n")
        parts += [_entry(package, public) for public in sorted(package.__all__, key=str.casefold)]
    return "\n".join(parts)


def names_on(page: str) -> dict[str, list[str]]:
    """Return the names that a page documents, by package."""
    found: dict[str, list[str]] = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        package = section.partition("\n")[0].strip()
        found[package] = re.findall(r"^### `([A-Za-z_]\w*)`", section, re.MULTILINE)
    return found


def _entry(package: ModuleType, name: str) -> str:
    thing: object = getattr(package, name)
    if inspect.isclass(thing):
        lines = [_code(f"class {name}{_signature(thing)}"), inspect.getdoc(thing) or "", *_members(thing)]
    elif inspect.isroutine(thing):
        lines = [_code(f"{name}{_signature(thing)}"), inspect.getdoc(thing) or ""]
    elif isinstance(thing, str | int | float):
        lines = [_code(f"{name} = {thing!r}"), _words_below(package, name)]
    else:
        lines = [_words_below(package, name) or f"A type: `{getattr(thing, '__supertype__', thing)}`."]
    return f"### `{name}`\n\n" + "\n".join(line + "\n" for line in lines if line)


def _members(thing: type) -> Iterator[str]:
    """Yield the public methods and properties that the class itself defines, in the order of the source."""
    for name, member in vars(thing).items():
        if name.startswith("_"):
            continue
        inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if inspect.isroutine(inner):
            decorator = "classmethod " if isinstance(member, classmethod) else ""
            yield f"**`{decorator}{name}{_signature(inner)}`**  \n{inspect.getdoc(inner) or ''}"
        elif isinstance(member, property):
            yield f"**`{name}`** (read only)  \n{inspect.getdoc(member) or ''}"


def _signature(thing: object) -> str:
    try:
        signature = inspect.signature(thing)  # type: ignore[arg-type]  # anything may be asked; what has none raises
    except (TypeError, ValueError):
        return ""
    shown: list[str] = []
    before: inspect.Parameter | None = None
    for parameter in signature.parameters.values():
        if parameter.name in {"self", "cls"}:
            continue
        if before is not None and before.kind is parameter.POSITIONAL_ONLY and parameter.kind is not before.kind:
            shown.append("/")
        if parameter.kind is parameter.KEYWORD_ONLY and (before is None or before.kind not in _STARS):
            shown.append("*")
        shown.append(_parameter(parameter))
        before = parameter
    if before is not None and before.kind is before.POSITIONAL_ONLY:
        shown.append("/")
    returned = (
        "" if signature.return_annotation in {signature.empty, "None", None} else _type(signature.return_annotation)
    )
    return f"({', '.join(shown)})" + (f" -> {returned}" if returned else "")


_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY)


def _parameter(parameter: inspect.Parameter) -> str:
    text = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "") + parameter.name
    if parameter.annotation is not parameter.empty:
        text += f": {_type(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        default = "..." if "factory" in repr(parameter.default) else repr(parameter.default)
        text += f" = {default}" if ": " in text else f"={default}"
    return text


def _type(annotation: object) -> str:
    return annotation.strip("'\"") if isinstance(annotation, str) else str(inspect.formatannotation(annotation))


def _words_below(package: ModuleType, name: str) -> str:
    """Return the string literal below an assignment, which Python itself does not keep."""
    for module in {package.__name__: package, **sys.modules}.values():
        if not getattr(module, "__name__", "").startswith(package.__name__):
            continue
        source = inspect.getsource(module) if getattr(module, "__file__", None) else ""
        found = re.search(rf'^{name}\b[^\n]*=[^\n]*\n"""(.+?)"""', source, re.MULTILINE | re.DOTALL)
        if found:
            return found[1]
    return ""


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def main() -> int:
    """Write the page, or check it."""
    page = reference()
    if "--check" in sys.argv:
        return int(not PAGE.exists() or PAGE.read_text("utf-8") != page)
    PAGE.write_text(page, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
