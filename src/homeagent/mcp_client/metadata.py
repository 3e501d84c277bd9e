"""What a server says of one of its tools, read with suspicion: name, schema, hints, and what may be remembered of it.

A server may say in the ``_meta`` of a tool, under `POLICY_KEY`, what of its output may be computed:
``{"no_memory": true}``, ``{"cleaner": "json(content)"}``, or ``{"no_memory": false}`` for all of it. A cleaner is a
text in the cleaner language and never code. A policy that can't be read hides: whoever wrote one meant to keep
something out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from homeagent.mcp_client.naming import LONGEST_NAME
from homeagent_sdk import MemoryPolicy, SdkError, parse_cleaner

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from homeagent_sdk.schema import JsonSchema

__all__ = ["MOST_TOOLS", "POLICY_KEY", "Listing", "Offer", "cleaned_listing", "read_listing"]

POLICY_KEY: Final = "homeagent/policy"
"""The key in a tool's ``_meta`` under which its server says what may be remembered of it."""

MOST_TOOLS: Final = 128
"""The most tools of one server that are offered: model servers take no more in all."""

_LONGEST_DESCRIPTION: Final = 4_000
_LARGEST_SCHEMA: Final = 64 * 1024
_HINTS: Final = ("readOnlyHint", "destructiveHint")
_OF_THE_ROOT: Final = ("type", "properties", "required", "additionalProperties", "$defs", "definitions")


@dataclass(frozen=True)
class Offer:
    """A tool as its server describes it. ``policy`` is None where the server says nothing of it.

    ``read_only`` and ``destructive`` are what the server says outright; what it leaves out is neither.
    """

    name: str
    description: str
    parameters: JsonSchema
    policy: MemoryPolicy | None = None
    read_only: bool = False
    destructive: bool = False


@dataclass(frozen=True)
class Listing:
    """What a server offers, and a word about each tool that can't be used or is odd."""

    version: str
    offers: tuple[Offer, ...]
    problems: tuple[str, ...] = ()


def cleaned_listing(tools: list[object]) -> tuple[list[object], list[str]]:
    """Return the tools of one page of a listing as far as they can be used, and what is wrong with the others.

    Only parts that are looked at later are kept, so that one odd tool does not spoil the listing for its neighbours.
    """
    kept: list[object] = []
    problems: list[str] = []
    for tool in tools:
        match tool:
            case {"name": str(name), "inputSchema": dict(schema)} if _is_name(name):
                problem = _wrong_schema(schema)
                if problem:
                    problems.append(f"tool {name!r}: {problem}")
                else:
                    kept.append(_parts(cast("dict[str, object]", tool), name, schema))
            case {"name": str(name)} if _is_name(name):
                problems.append(f"tool {name!r}: its schema is no object")
            case _:
                problems.append("a tool without a name that can be used")
    return kept, problems


def read_listing(version: str, tools: Iterable[Mapping[str, object]], problems: Iterable[str]) -> Listing:
    """Return the offers of a whole listing, its tools as `cleaned_listing` keeps them.

    Of two tools with one name neither is offered: which of them a call would reach is up to the server.
    """
    found: dict[str, list[Offer]] = {}
    told = list(problems)
    for tool in tools:
        offer, problem = _offer(tool)
        found.setdefault(offer.name, []).append(offer)
        told += [f"tool {offer.name!r}: {problem}"] if problem else []
    told += [
        f"it has {len(same)} tools named {name!r}: none of them is offered" for name, same in found.items() if same[1:]
    ]
    single = [same[0] for same in found.values() if len(same) == 1]
    if len(single) > MOST_TOOLS:
        told.append(f"it has {len(single)} tools: only the first {MOST_TOOLS} are offered")
    return Listing(version, tuple(single[:MOST_TOOLS]), tuple(dict.fromkeys(told)))


def _is_name(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and " " not in name


def _wrong_schema(schema: dict[str, object]) -> str:
    """Return what is wrong with the schema of a tool's arguments, empty where nothing is."""
    from jsonschema import Draft202012Validator, SchemaError

    if schema.get("type", "object") != "object":
        return f"its arguments are of the type {schema['type']!r}, not an object"
    try:
        if len(json.dumps(schema)) > _LARGEST_SCHEMA:
            return "its schema is larger than 64 KiB"
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"its schema is none ({error.message[:200]})"
    except (RecursionError, ValueError):
        return "its schema is nested too deeply"
    return ""


def _parts(tool: dict[str, object], name: str, schema: dict[str, object]) -> dict[str, object]:
    kept: dict[str, object] = {"name": name, "inputSchema": {**schema, "type": "object"}}
    for key in ("title", "description"):
        if isinstance(tool.get(key), str):
            kept[key] = tool[key]
    hints, meta = tool.get("annotations"), tool.get("_meta")
    if isinstance(hints, dict):
        kept["annotations"] = {key: hints[key] for key in _HINTS if isinstance(hints.get(key), bool)}
    if isinstance(meta, dict) and POLICY_KEY in meta:
        kept["_meta"] = {POLICY_KEY: meta[POLICY_KEY]}
    return kept


def _offer(tool: Mapping[str, object]) -> tuple[Offer, str]:
    name, schema = str(tool["name"]), tool["inputSchema"]
    root = schema if isinstance(schema, dict) else {}
    description = str(tool.get("description") or tool.get("title") or name)[:_LONGEST_DESCRIPTION]
    hints, meta = tool.get("annotations"), tool.get("_meta")
    said = hints if isinstance(hints, dict) else {}
    policy, problem = _policy(meta[POLICY_KEY]) if isinstance(meta, dict) and POLICY_KEY in meta else (None, "")
    read_only = said.get("readOnlyHint") is True
    # Some model servers refuse a whole request for a keyword at the root of one schema; its own server checks the rest.
    parameters = {"properties": {}, **{key: root[key] for key in _OF_THE_ROOT if key in root}}
    destructive = said.get("destructiveHint") is True and not read_only
    return Offer(name, description, parameters, policy, read_only, destructive), problem


def _policy(said: object) -> tuple[MemoryPolicy, str]:
    match said:
        case {"no_memory": bool(no_memory), **rest} if not rest:
            return MemoryPolicy(no_memory=no_memory), ""
        case {"cleaner": str(spec), **rest} if not rest:
            try:
                return MemoryPolicy(cleaner=parse_cleaner(spec)), ""
            except SdkError as error:
                told = f"its cleaner can't be read ({error.problem}), so none of its output is remembered"
                return MemoryPolicy(no_memory=True), told
    told = f"what it says under {POLICY_KEY} can't be read, so none of its output is remembered"
    return MemoryPolicy(no_memory=True), told
