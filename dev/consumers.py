"""Finds everything that takes compute text or a question, and writes a program that hands each of them raw text.

The tests let mypy read that program: every line marked ``raw`` has to be refused, every line marked ``fine`` accepted.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dev.ratchet import Module, modules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Consumer", "consumers", "program"]

_TYPES = re.compile(r"\b(?:ComputeText|QueryText|Computable)\b")
_NOT_CONSUMERS = ("homeagent/memory/door/", "homeagent/memory/compute.py", "homeagent/memory/store/sqlite/")
_RAW = ("raw", "row.segment.text", "row.segment", "row")

_HEAD = """\
from typing import Any
from homeagent.memory.compute import ComputeText, DoorKey, QueryText
from homeagent.memory.store.records import SegmentRow
anything: Any = None
def tried(raw: str, row: SegmentRow, admitted: ComputeText, question: QueryText) -> None:
"""


@dataclass(frozen=True, slots=True)
class Consumer:
    """A function, method or record field that takes compute text or a question.

    ``owner`` is its class, or empty. ``others`` are the parameters besides it that must be given.
    """

    module: str
    owner: str
    name: str
    parameter: str
    annotation: str
    others: tuple[str, ...]

    @property
    def label(self) -> str:
        """Its name as a person says it: ``text.terms.passage_terms(text)``."""
        path = ".".join(part for part in (self.module.removeprefix("homeagent.memory."), self.owner, self.name) if part)
        return f"{path}({self.parameter})"

    def call(self, value: str) -> str:
        """Return the text of a call that hands ``value`` to it."""
        value = _shaped(ast.parse(self.annotation, mode="eval").body, value)
        given = ", ".join([f"{self.parameter}={value}", *(f"{other}=anything" for other in self.others)])
        alias = self.module.replace(".", "_")
        if not self.owner:
            return f"{alias}.{self.name}({given})"
        return f"{alias}.{self.owner}.{self.name}(anything, {given})" if self.name else f"{alias}.{self.owner}({given})"


def consumers(root: Path) -> list[Consumer]:
    """Return every consumer in the memory whose source lies below ``root``."""
    found: list[Consumer] = []
    for module in modules("src/homeagent/memory", root=root):
        if not any(part in module.name for part in _NOT_CONSUMERS):
            found.extend(_of_module(module))
    return found


def program(found: list[Consumer]) -> str:
    """Return the source of a program that hands raw text, and then the right type, to every consumer."""
    imports = sorted({f"import {each.module} as {each.module.replace('.', '_')}" for each in found})
    lines: list[str] = []
    for each in found:
        lines += [f"    {each.call(value)}  # raw: {each.label}" for value in _RAW]
        right = (
            "question" if "ComputeText" not in each.annotation and "Computable" not in each.annotation else "admitted"
        )
        lines.append(f"    {each.call(right)}  # fine: {each.label}")
        if right == "admitted" and "QueryText" not in each.annotation and "Computable" not in each.annotation:
            lines.append(f"    {each.call('question')}  # raw: {each.label} of a question")
    lines += [
        f"    {call}  # raw: a ComputeText without its key"
        for call in ('ComputeText("raw")', 'ComputeText(None, "raw")')
    ]
    lines.append('    ComputeText(DoorKey(), "raw")  # fine: only the door has the key, see the AST test')
    return (
        "\n".join([*imports, _HEAD.rstrip(), *lines, "class Mine(ComputeText): ...  # raw: a ComputeText of one's own"])
        + "\n"
    )


def _shaped(annotation: ast.expr, value: str) -> str:
    """Return an expression of the annotation's shape with ``value`` where the annotation says compute text."""
    match annotation:
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[inner, ast.Constant(value=rest)])) if (
            rest is ...
        ):
            return f"({_shaped(inner, value)},)"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=parts)):
            return f"({', '.join(_shaped(part, value) for part in parts)})"
        case ast.Subscript(value=ast.Name(id="Mapping" | "dict"), slice=ast.Tuple(elts=[key, inner])):
            return f"{{{_shaped(key, value)}: {_shaped(inner, value)}}}"
        case ast.Subscript(value=ast.Name(id="Sequence" | "Iterable" | "Collection" | "list"), slice=inner):
            return f"[{_shaped(inner, value)}]"
        case _:
            return value if _TYPES.search(ast.unparse(annotation)) else "anything"


def _of_module(module: Module) -> Iterator[Consumer]:
    name = module.name.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    for node in module.tree.body:
        if isinstance(node, ast.FunctionDef):
            yield from _of_function(name, "", node)
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield from _of_function(name, node.name, inner)
            yield from _of_record(name, node)


def _of_function(module: str, owner: str, node: ast.FunctionDef) -> Iterator[Consumer]:
    given = [argument for argument in (*node.args.args, *node.args.kwonlyargs) if argument.arg not in {"self", "cls"}]
    optional = len(node.args.defaults)
    needed = [argument.arg for argument in (node.args.args[:-optional] if optional else node.args.args)]
    needed += [
        each.arg for each, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if default is None
    ]
    for argument in given:
        annotation = ast.unparse(argument.annotation) if argument.annotation is not None else ""
        if _TYPES.search(annotation) and not annotation.startswith("Callable"):
            others = tuple(name for name in needed if name not in {"self", "cls", argument.arg})
            yield Consumer(module, owner, node.name, argument.arg, annotation, others)


def _of_record(module: str, node: ast.ClassDef) -> Iterator[Consumer]:
    """Yield the fields of a dataclass that hold compute text."""
    if not any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list):
        return
    fields = [inner for inner in node.body if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name)]
    names = [(ast.unparse(inner.target), ast.unparse(inner.annotation), inner.value is None) for inner in fields]
    for name, annotation, _ in names:
        if _TYPES.search(annotation):
            others = tuple(other for other, _, needed in names if needed and other != name)
            yield Consumer(module, node.name, "", name, annotation, others)
