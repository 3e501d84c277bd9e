"""Requests made of an OpenAPI description: one for each operation, with the simplest body that fits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Schema = dict[str, Any]
_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})
_OTHERS = ("query", "header")


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked: its method, its path with the names filled in, and what goes along."""

    method: str
    template: str
    path: str
    body: object | None
    query: dict[str, object] = field(default_factory=dict)
    headers: dict[str, object] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.method} {self.template}"


def operations(description: Schema, names: Mapping[str, object], *, pointed: bool = False) -> Iterator[Operation]:
    """Yield every operation; ``names`` fill in the parts of paths, by their name.

    With ``pointed`` they fill in all else that goes by such a name too: of the query, of headers and of bodies, also
    what may be left out.
    """
    for template, methods in description["paths"].items():
        for method, about in methods.items():
            parameters = about.get("parameters", [])
            known = {each["name"]: example(each["schema"], description) for each in parameters if each["in"] == "path"}
            path = re.sub(
                r"\{(\w+)\}", lambda found, known=known: str(names.get(found[1], known.get(found[1], "x"))), template
            )
            sent = {where: _sent(parameters, where, names if pointed else {}, description) for where in _OTHERS}
            content = about.get("requestBody", {}).get("content", {})
            body = None
            if "application/json" in content:
                schema = content["application/json"]["schema"]
                body = example(schema, description, names if pointed else {})
            yield Operation(method.upper(), template, path, body, sent["query"], sent["header"])


def _sent(parameters: list[Schema], where: str, names: Mapping[str, object], description: Schema) -> dict[str, object]:
    return {
        each["name"]: names.get(each["name"], example(each["schema"], description))
        for each in parameters
        if each["in"] == where and (each.get("required") or each["name"] in names)
    }


def example(schema: Schema, description: Schema, names: Mapping[str, object] = _NOTHING) -> object:
    """Return the simplest value that a schema allows, with what goes by one of ``names`` filled in."""
    if "$ref" in schema:
        return example(description["components"]["schemas"][schema["$ref"].rpartition("/")[2]], description, names)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return example(schema[key][0], description, names)
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "object":
            required = schema.get("required", [])
            return {
                name: names[name] if name in names else example(each, description, names)
                for name, each in schema.get("properties", {}).items()
                if name in required or name in names
            }
        case "array":
            return [example(schema.get("items", {}), description, names)] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case "null":
            return None
    return "x" * max(1, schema.get("minLength", 1))
