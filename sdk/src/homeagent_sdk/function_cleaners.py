"""A plain function ``def clean(text: str) -> str`` as a cleaner."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from homeagent_sdk.cleaner_language import FUNCTION_REFERENCE
from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.pipeline import Cleaner, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["function_cleaner", "import_function_cleaner"]


def function_cleaner(function: Callable[[str], str], version: int = 1, *, plugin_version: str | None = None) -> Cleaner:
    """Return a cleaner that calls ``function``, which must be importable, because another process runs it.

    Its identity is ``module:qualname@version`` with the plugin's version, or, without one, with the SHA-256 of its
    source (of every Python file of its package, since it may call them). Raise ``version`` when data it reads changes.
    """
    where = _place(function)
    _check_importable(function, where)
    _check_signature(function, where)
    if type(version) is not int or version < 1:
        raise DeclarationError(where, f"version is {version!r}", "Write a whole number from 1 on")
    reference = f"{function.__module__}:{function.__qualname__}"
    origin = f"plugin:{plugin_version}" if plugin_version else f"sha256:{_source_hash(function, where)}"
    spec = reference if version == 1 else f"{reference}@{version}"
    if not FUNCTION_REFERENCE.fullmatch(spec):
        raise DeclarationError(where, f"{spec} can't be written as module:name", "Use plain names")
    return Cleaner((Stage(spec, f"{reference}@{version}#{origin}", False, function),))


def import_function_cleaner(reference: str) -> Cleaner:
    """Import ``module:qualname`` or ``module:qualname@version`` and wrap it; the core's way to read a stored spec."""
    name, _, version = reference.partition("@")
    module_name, _, qualname = name.partition(":")
    try:
        found: object = importlib.import_module(module_name)
        for part in qualname.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as problem:
        raise DeclarationError(
            reference, f"can't be imported: {problem}", "Install the plugin again or change the policy"
        ) from None
    if isinstance(found, Cleaner):
        return found
    if not callable(found):
        raise DeclarationError(reference, "isn't a function", "Name a function def clean(text: str) -> str")
    return function_cleaner(found, int(version or 1))


def _place(function: object) -> str:
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    name = getattr(function, "__qualname__", None) or repr(function)
    return f"{code.co_filename}:{code.co_firstlineno} cleaner {name}" if code else f"cleaner {name}"


def _check_importable(function: object, where: str) -> None:
    fix = "Move it to the top level of a module: def clean(text: str) -> str"
    if not inspect.isfunction(function):
        raise DeclarationError(where, "a cleaner must be a plain function or a Cleaner", fix)
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise DeclarationError(where, "a cleaner can't be async or a generator", "Write def, and return the text")
    if function.__name__ == "<lambda>":
        raise DeclarationError(where, "a lambda can't be imported by the process that runs cleaners", fix)
    if "<" in function.__qualname__ or function.__closure__:
        raise DeclarationError(where, "an inner function can't be imported by the process that runs cleaners", fix)
    if function.__module__ == "__main__":
        raise DeclarationError(
            where, "a function of the main program can't be imported", "Move it to a module of your plugin"
        )


def _check_signature(function: Callable[[str], str], where: str) -> None:
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    right = (
        len(parameters) == 1
        and parameters[0].kind in positional
        and parameters[0].annotation in (str, "str")
        and signature.return_annotation in (str, "str")
    )
    if not right:
        name = function.__name__
        problem = f"the signature is {name}{signature}"
        raise DeclarationError(
            where, problem, f"Write def {name}(text: str) -> str; use | to add stages with arguments"
        )


def _source_hash(function: Callable[[str], str], where: str) -> str:
    files = _source_files(function)
    if not files:
        raise DeclarationError(where, "its source file can't be read", "Pass plugin_version=")
    digest = hashlib.sha256()
    for name, path in files:
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return digest.hexdigest()


def _source_files(function: Callable[[str], str]) -> list[tuple[str, Path]]:
    """List (name, path) of what the function's results may depend on: its file, or every file of its package."""
    own = inspect.getsourcefile(function)
    if own is None or not Path(own).is_file():
        return []
    package = sys.modules.get(function.__module__.partition(".")[0])
    folder = next(iter(getattr(package, "__path__", ())), None)
    if folder is None or not Path(own).is_relative_to(folder):
        return [(Path(own).name, Path(own))]
    files = (path for path in Path(folder).rglob("*.py") if path.is_file())
    return sorted((path.relative_to(folder).as_posix(), path) for path in files)
