"""What the house measures about its own code: lengths, parameters, `Any`, broad excepts, state, mocks, documentation.

Each check takes the text of one module and returns findings; ``tests/house/test_ratchet.py`` holds them against the
ceilings. ``python -m dev.ratchet`` prints the longest of everything, to see where the next cut should be.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Finding",
    "Module",
    "any_uses",
    "broad_excepts",
    "function_lengths",
    "globals_used",
    "missing_all",
    "mocks",
    "modules",
    "mutable_state",
    "parameter_counts",
    "short_test_names",
    "undocumented",
]

Function = ast.FunctionDef | ast.AsyncFunctionDef

ROOT = Path(__file__).resolve().parent.parent
"""The root of the repository."""

_MUTABLE_CALLS = frozenset(
    {"bytearray", "defaultdict", "deque", "dict", "list", "set"}
    | {"ChainMap", "Counter", "OrderedDict", "WeakKeyDictionary", "WeakSet", "WeakValueDictionary"}
)
_MUTABLE_LITERALS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MUTATORS = frozenset(
    {"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault"}
    | {"sort", "update"}
)
_CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*")
_BROAD = frozenset({"Exception", "BaseException"})
_MOCKS = frozenset({"AsyncMock", "MagicMock", "Mock", "NonCallableMock", "PropertyMock", "create_autospec"})


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing measured: how much, and where (``path:name``)."""

    amount: int
    where: str


@dataclass(frozen=True)
class Module:
    """The source of one module, parsed when it is first looked into. ``name`` is its path from the root."""

    name: str
    source: str

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.source.splitlines())

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.source, self.name)

    def nodes(self, *words: str) -> Iterator[ast.AST]:
        """Yield every node of its tree; none where its source holds none of the words that one looked for would say."""
        if not words or any(word in self.source for word in words):
            yield from ast.walk(self.tree)

    def has_comment(self, node: ast.stmt) -> bool:
        """Whether a comment stands right above the statement, or on one of its lines."""
        lines = self.source.splitlines()[max(0, node.lineno - 2) : node.end_lineno]
        return lines[0].lstrip().startswith("#") or any(re.search(r"  # [a-z]", line, re.IGNORECASE) for line in lines)

    @cached_property
    def public(self) -> tuple[str, ...] | None:
        """The names in its ``__all__``, or None when it has none."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
            ):
                return tuple(ast.literal_eval(node.value))
        return None


def modules(*folders: str, root: Path = ROOT) -> list[Module]:
    """Return every module below the folders, which are named from ``root``; a folder that is not there has none."""
    return [
        Module(path.relative_to(root).as_posix(), path.read_text("utf-8"))
        for folder in folders
        for path in sorted((root / folder).rglob("*.py"))
    ]


def function_lengths(module: Module) -> list[Finding]:
    """Return the length of each function in lines, decorators not counted."""
    return [
        Finding((node.end_lineno or node.lineno) - node.lineno + 1, f"{module.name}:{name}")
        for name, node in _functions(module.tree)
    ]


def parameter_counts(module: Module) -> list[Finding]:
    """Return how many parameters each function takes, without ``self`` and ``cls``."""
    return [Finding(_parameters(node), f"{module.name}:{name}") for name, node in _functions(module.tree)]


def any_uses(module: Module) -> int:
    """Return how often ``Any`` is written in it, imports not counted."""
    return sum(
        (isinstance(node, ast.Name) and node.id == "Any") or (isinstance(node, ast.Attribute) and node.attr == "Any")
        for node in module.nodes("Any")
    )


def broad_excepts(module: Module) -> int:
    """Return how many handlers swallow everything: bare ``except``, ``except Exception``, ``except BaseException``.

    One that ends in ``raise`` swallows nothing.
    """
    return sum(
        isinstance(node, ast.ExceptHandler)
        and (node.type is None or bool(_names(node.type) & _BROAD))
        and not (isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None)
        for node in module.nodes("except")
    )


def globals_used(module: Module) -> list[str]:
    """Return where a ``global`` statement stands."""
    return [f"{module.name}:{node.lineno}" for node in module.nodes("global") if isinstance(node, ast.Global)]


def mutable_state(module: Module) -> list[str]:
    """Return the module-level names that hold something that can change.

    Allowed are ``__all__`` and tables: a dict with a name in capitals that nothing in the module changes.
    """
    changed = _changed_names(module.tree)
    containers = _container_classes(module.tree)
    found: list[str] = []
    for name, value in _assignments(module.tree):
        if name == "__all__" or not _is_mutable(value, containers):
            continue
        table = isinstance(value, ast.Dict | ast.DictComp) and _CONSTANT.fullmatch(name) and name not in changed
        if not table:
            found.append(f"{module.name}:{name}")
    return found


def mocks(module: Module) -> list[str]:
    """Return where something is replaced by a mock: ``unittest.mock``, ``MagicMock``, ``monkeypatch.setattr``..."""
    found: list[str] = []
    for node in module.nodes("mock", "Mock", "setattr", *_MOCKS):
        match node:
            case ast.Import(names=names) if any(name.name.startswith("unittest.mock") for name in names):
                found.append(f"{module.name}:{node.lineno}")
            case ast.ImportFrom(module="unittest.mock" | "mock" | "pytest_mock"):
                found.append(f"{module.name}:{node.lineno}")
            case ast.ImportFrom(module="unittest", names=names) if any(name.name == "mock" for name in names):
                found.append(f"{module.name}:{node.lineno}")
            case ast.Name(id=name) if name in _MOCKS or name == "mocker":
                found.append(f"{module.name}:{node.lineno}")
            case ast.arg(arg="mocker"):
                found.append(f"{module.name}:{node.lineno}")
            case ast.Call(func=ast.Attribute(value=ast.Name(id="monkeypatch"), attr="setattr"), args=args):
                if isinstance(args[-1], ast.Lambda | ast.Name | ast.Attribute):  # a value or a stream may be set
                    found.append(f"{module.name}:{node.lineno}")
    return found


def missing_all(module: Module) -> bool:
    """Whether the module holds code and does not say what of it is public."""
    code = [node for node in module.tree.body if not _is_text(node)]
    return bool(code) and module.public is None and not module.name.endswith("__main__.py")


def undocumented(module: Module) -> list[str]:
    """Return the public names (in ``__all__``) defined here without a docstring, and their public methods.

    A constant or a type is documented by a string below it, a comment above it or beside it, or by being named in the
    module's docstring. In a module whose own name begins with ``_`` nothing is public.
    """
    public = set() if re.search(r"/_[^_]", module.name) else set(module.public or ())
    about = ast.get_docstring(module.tree) or ""
    found = [] if about and "TODO" not in about else [module.name]
    body = module.tree.body
    for place, node in enumerate(body):
        following = body[place + 1] if place + 1 < len(body) else None
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name in public:
                found += [] if _has_words(node) or _is_overload(node) else [f"{module.name}:{name}"]
            case ast.ClassDef(name=name) if name in public:
                found += [] if _has_words(node) else [f"{module.name}:{name}"]
                found += [f"{module.name}:{name}.{method}" for method in _silent_methods(node)]
            case ast.Assign() | ast.AnnAssign():
                names = {name for name, _ in _assignments(ast.Module([node], []))} & public
                if names and not _is_text(following) and not module.has_comment(node):
                    found += [f"{module.name}:{name}" for name in sorted(names) if not _speaks(name, about)]
    return found


def short_test_names(module: Module) -> list[str]:
    """Return the tests whose names are no sentence: fewer than two words after ``test``."""
    return [
        f"{module.name}:{name}"
        for name, _ in _functions(module.tree)
        if (last := name.rsplit(".", 1)[-1]).startswith("test_") and len(last.split("_")) < 3
    ]


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
            yield from _functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
        else:
            yield from _functions(node, prefix)


def _parameters(node: Function) -> int:
    positional = [*node.args.posonlyargs, *node.args.args]
    if positional and positional[0].arg in {"self", "cls"}:
        positional = positional[1:]
    stars = [star for star in (node.args.vararg, node.args.kwarg) if star is not None]
    return len(positional) + len(node.args.kwonlyargs) + len(stars)


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield name and value of each assignment of the module itself, those inside ``if`` and ``try`` too."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop(0)
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While():
                waiting.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))


def _is_mutable(value: ast.expr, containers: frozenset[str]) -> bool:
    match value:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in _MUTABLE_CALLS or name in containers
        case _:
            return isinstance(value, _MUTABLE_LITERALS)


def _container_classes(tree: ast.Module) -> frozenset[str]:
    """Return the classes of the module that are lists, dicts or sets themselves."""
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef) and any(_names(base) & _MUTABLE_CALLS for base in node.bases)
    )


def _changed_names(tree: ast.Module) -> set[str]:
    changed: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _MUTATORS:
                changed.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                changed.add(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                changed.add(name)
    return changed


def _silent_methods(node: ast.ClassDef) -> list[str]:
    return [
        inner.name
        for inner in node.body
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
        and not inner.name.startswith("_")
        and not _has_words(inner)
        and not _is_overload(inner)
    ]


def _has_words(node: Function | ast.ClassDef) -> bool:
    return bool((ast.get_docstring(node) or "").strip())


def _is_overload(node: Function) -> bool:
    return any("overload" in _names(decorator) for decorator in node.decorator_list) or any(
        isinstance(decorator, ast.Attribute) and decorator.attr == "setter" for decorator in node.decorator_list
    )


def _is_text(node: ast.stmt | None) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _speaks(name: str, about: str) -> bool:
    return f"`{name}`" in about or name == "__version__"


def _print_longest() -> None:
    code = modules("src", "sdk/src", "bench", "dev")
    tables = {
        "lines of a module": [Finding(module.lines, module.name) for module in code],
        "lines of a function": [found for module in code for found in function_lengths(module)],
        "parameters": [found for module in code for found in parameter_counts(module)],
        "Any": [Finding(any_uses(module), module.name) for module in code],
    }
    for title, found in tables.items():
        print(title)
        for each in sorted(found, reverse=True)[:8]:
            print(f"  {each.amount:5} {each.where}")
    for check in (mutable_state, undocumented, globals_used, mocks):
        print(check.__name__)
        for where in [where for module in code for where in check(module)]:
            print(f"        {where}")
    print("no __all__")
    for module in code:
        if missing_all(module):
            print(f"        {module.name}")
    print("broad except")
    for module in code:
        if broad_excepts(module):
            print(f"  {broad_excepts(module):5} {module.name}")


if __name__ == "__main__":
    _print_longest()
