"""What the errors of this program say, read out of its code: every template of a where, a problem and a next step.

A template is the text with numbered holes, ``{0}``, ``{1}``; braces that are meant stand doubled, as in `str.format`.
A text that is handed on by name is followed: to the constant, to what the function assigned, to what its callers gave,
to what another function of the module returns. What can't be followed (a path, what the system said) has no template.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dev.ratchet import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["PARTS", "Text", "constants", "error_texts", "found_templates"]

PARTS = ("where", "problem", "next_step")
"""What an error is made of, in the order of its arguments."""

_ROOTS = ("src/homeagent", "sdk/src/homeagent_sdk")
_BASES = frozenset({"HomeAgentError", "SdkError"})
_PARTS_OF = {"Problem": ("", "problem", "next_step"), "UnsupportedTypeError": ("problem", "next_step")}
"""What is no error itself but becomes a part of one: what its arguments are."""
_NOT_FOR_PEOPLE = frozenset({"ArgumentsError", "FrameError", "NotTextError", "ToolError", "WireError"})
"""What no person is told: a tool's error is for the model, a frame's or a wire's for the process at its other end."""
_DEEPEST = 6
"""How many names a text is followed through."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Text:
    """One template: which part of an error it is, and a place in the code that says it."""

    part: str
    template: str
    path: str
    line: int


@dataclass
class _Module:
    """The syntax tree of one file, with the functions around each node."""

    path: str
    tree: ast.Module
    around: dict[ast.AST, tuple[_Function, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._enter(self.tree, ())

    def _enter(self, node: ast.AST, around: tuple[_Function, ...]) -> None:
        self.around[node] = around
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            around = (node, *around)
        for child in ast.iter_child_nodes(node):
            self._enter(child, around)

    def functions(self, name: str) -> list[_Function]:
        """Return the functions and methods of this name."""
        return [node for node in self.around if isinstance(node, _FUNCTIONS) and node.name == name]

    def calls(self, names: frozenset[str]) -> list[ast.Call]:
        """Return the calls of what has one of these names."""
        return [node for node in self.around if isinstance(node, ast.Call) and _called(node) in names]


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def error_texts(root: Path = ROOT) -> list[Text]:
    """Return every template that an error of the program or of its SDK is made with, each once."""
    files = [file for folder in _ROOTS for file in sorted((root / folder).rglob("*.py"))]
    found = [_Module(str(file.relative_to(root)), ast.parse(file.read_text("utf-8"))) for file in files]
    names = _error_names(found) - _NOT_FOR_PEOPLE
    texts: dict[tuple[str, str], Text] = {}
    for module in found:
        for call in module.calls(names | _PARTS_OF.keys()):
            for part, argument in _arguments(call):
                for template in dict.fromkeys(_templates(module, argument, _DEEPEST)) if part else ():
                    texts.setdefault((part, template), Text(part, template, module.path, call.lineno))
    return list(texts.values())


def found_templates(path: str, called: str, argument: int | str) -> list[str]:
    """Return the templates that calls in one file give as one argument, by its place or its name."""
    module = _Module(path, ast.parse((ROOT / path).read_text("utf-8")))
    found: list[str] = []
    for call in module.calls(frozenset({called})):
        given = [word.value for word in call.keywords if word.arg == argument]
        if isinstance(argument, int):
            given += call.args[argument : argument + 1]
        found += (template for node in given for template in _templates(module, node, _DEEPEST))
    return found


def constants(root: Path = ROOT) -> str:
    """Return every piece of text in the code of the program and its SDK, one a line."""
    files = [file for folder in _ROOTS for file in sorted((root / folder).rglob("*.py"))]
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    return "\n".join(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _error_names(found: list[_Module]) -> frozenset[str]:
    """Return the names of the classes below the roots of errors."""
    classes = [node for module in found for node in module.around if isinstance(node, ast.ClassDef)]
    names = set(_BASES)
    while more := {each.name for each in classes if names & {_named(base) for base in each.bases}} - names:
        names |= more
    return frozenset(names)


def _arguments(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    yield from zip(_PARTS_OF.get(_called(call), PARTS), call.args, strict=False)
    yield from ((word.arg, word.value) for word in call.keywords if word.arg in PARTS)


def _called(call: ast.Call) -> str:
    return _named(call.func)


def _named(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _named(value)
    return ""


def _templates(module: _Module, node: ast.expr, depth: int) -> Iterator[str]:
    """Yield what an expression can be, as far as the code tells."""
    if depth == 0:
        return
    match node:
        case ast.Constant(value=str() as text):
            yield text.replace("{", "{{").replace("}", "}}")
        case ast.JoinedStr(values=values):
            template = _joined(values)
            if any(character.isalpha() for character in template):
                yield template
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            for first in _templates(module, left, depth):
                for second in _templates(module, right, depth):
                    yield first + second
        case ast.IfExp(body=one, orelse=other):
            yield from _templates(module, one, depth)
            yield from _templates(module, other, depth)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _templates(module, value, depth)
        case ast.Name(id=name):
            for value in _values_of(module, node, name):
                yield from _templates(module, value, depth - 1)
        case ast.Subscript(value=ast.Name(id=name)):
            yield from _of_table(module, node, name, depth)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name)):
            for value in _returned(module, name):
                yield from _templates(module, value, depth - 1)


def _joined(values: list[ast.expr]) -> str:
    parts: list[str] = []
    holes = 0
    for value in values:
        if isinstance(value, ast.Constant):
            parts.append(str(value.value).replace("{", "{{").replace("}", "}}"))
        else:
            parts.append(f"{{{holes}}}")
            holes += 1
    return "".join(parts)


def _values_of(module: _Module, node: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield what a name was given: in the functions around, by their callers, in the module."""
    for function in module.around[node]:
        given = [*_assigned(module, function, name), *_handed(module, function, name)]
        if given:
            yield from given
            return
    for statement in module.tree.body:
        yield from _bound(statement, name)
        if isinstance(statement, ast.ImportFrom) and name in {each.name for each in statement.names}:
            yield from _imported(statement, name)


def _imported(statement: ast.ImportFrom, name: str) -> Iterator[ast.expr]:
    """Yield what another module of the program gave to a constant that is imported from it."""
    parts = (statement.module or "").split(".")
    for folder in (ROOT / "src", ROOT / "sdk/src"):
        file = folder.joinpath(*parts).with_suffix(".py")
        if file.is_file():
            for node in ast.parse(file.read_text("utf-8")).body:
                yield from _bound(node, name)


def _assigned(module: _Module, function: _Function, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if module.around[node][:1] == (function,):
            yield from _bound(node, name)


def _bound(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield the values that this statement gives to a name, also as one of several."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _picked(target, value, name)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            yield from _picked(target, value, name)


def _picked(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    match target, value:
        case ast.Name(id=found), _ if found == name:
            yield value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values):
            for one, given in zip(targets, values, strict=False):
                yield from _picked(one, given, name)
        case ast.Tuple(), ast.IfExp(body=one, orelse=other):
            yield from _picked(target, one, name)
            yield from _picked(target, other, name)


def _handed(module: _Module, function: _Function, name: str) -> Iterator[ast.expr]:
    """Yield what the callers in this module give for a parameter, and its default."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    names = [each.arg for each in plain]
    if name not in [*names, *(each.arg for each in arguments.kwonlyargs)]:
        return
    for parameter, default in zip(reversed(plain), reversed(arguments.defaults), strict=False):
        if parameter.arg == name:
            yield default
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    for call in module.calls(frozenset({function.name})):
        yield from (given for parameter, given in zip(names, call.args, strict=False) if parameter == name)
        yield from (word.value for word in call.keywords if word.arg == name)


def _of_table(module: _Module, node: ast.expr, name: str, depth: int) -> Iterator[str]:
    for value in _values_of(module, node, name):
        if isinstance(value, ast.Dict):
            for each in value.values:
                yield from _templates(module, each, depth - 1)


def _returned(module: _Module, name: str) -> Iterator[ast.expr]:
    for function in module.functions(name):
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None and module.around[node][:1] == (function,):
                yield node.value
