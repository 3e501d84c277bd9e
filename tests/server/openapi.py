"""Requests made of an OpenAPI description: one for each operation, with the simplest body that fits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Schema = dict[str, Any]


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked: its method, its path with the names filled in, and what goes along."""

    method: str
    template: str
    path: str
    body: object | None
    query: dict[str, object] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.method} {self.template}"


def operations(description: Schema, names: Mapping[str, str]) -> Iterator[Operation]:
    """Yield every operation; ``names`` fill in the parts of paths, by their name."""
    for template, methods in description["paths"].items():
        for method, about in methods.items():
            parameters = about.get("parameters", [])
            known = {each["name"]: example(each["schema"], description) for each in parameters if each["in"] == "path"}
            path = re.sub(
                r"\{(\w+)\}", lambda found, known=known: names.get(found[1], str(known.get(found[1], "x"))), template
            )
            query = {
                each["name"]: example(each["schema"], description)
                for each in parameters
                if each["in"] == "query" and each.get("required")
            }
            content = about.get("requestBody", {}).get("content", {})
            body = (
                example(content["application/json"]["schema"], description) if "application/json" in content else None
            )
            yield Operation(method.upper(), template, path, body, query)


def example(schema: Schema, description: Schema) -> object:
    """Return the simplest value that a schema allows."""
    if "$ref" in schema:
        return example(description["components"]["schemas"][schema["$ref"].rpartition("/")[2]], description)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return example(schema[key][0], description)
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "object":
            required = schema.get("required", [])
            return {
                name: example(each, description)
                for name, each in schema.get("properties", {}).items()
                if name in required
            }
        case "array":
            return [example(schema.get("items", {}), description)] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case "null":
            return None
    return "x" * max(1, schema.get("minLength", 1))
