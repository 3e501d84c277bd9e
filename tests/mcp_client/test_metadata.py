"""What a server says of its tools, read with suspicion."""

from __future__ import annotations

import pytest

from homeagent.mcp_client.metadata import MOST_TOOLS, POLICY_KEY, Listing, cleaned_listing, read_listing

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def read(*tools: object) -> Listing:
    kept, problems = cleaned_listing(list(tools))
    return read_listing("1.0", kept, problems)  # type: ignore[arg-type]


def tool(name: str = "look", **more: object) -> dict[str, object]:
    return {"name": name, "inputSchema": SCHEMA, **more}


def test_a_tool_is_read_with_its_hints() -> None:
    hints = {"readOnlyHint": True, "destructiveHint": True, "openWorldHint": False}
    (offer,) = read(tool(title="Look", description="Look around.", annotations=hints)).offers
    assert (offer.name, offer.description, offer.parameters) == ("look", "Look around.", SCHEMA)
    assert (offer.read_only, offer.destructive, offer.policy) == (True, False, None)
    (offer,) = read(tool(annotations={"destructiveHint": True})).offers
    assert (offer.read_only, offer.destructive) == (False, True)
    (offer,) = read({"name": "bare", "inputSchema": {}}).offers
    assert (offer.description, offer.parameters) == ("bare", {"properties": {}, "type": "object"})


@pytest.mark.parametrize(
    ("said", "no_memory", "spec"),
    [
        ({"no_memory": True}, True, None),
        ({"no_memory": False}, False, None),
        ({"cleaner": "json(a.b)|head(10)"}, False, "json(a.b) | head(10)"),
    ],
)
def test_a_policy_in_the_metadata_is_read(said: object, no_memory: bool, spec: str | None) -> None:
    listing = read(tool(_meta={POLICY_KEY: said, "other/key": 1}))
    (offer,) = listing.offers
    assert offer.policy is not None
    assert offer.policy.no_memory is no_memory
    assert (offer.policy.cleaner.spec if offer.policy.cleaner else None) == spec
    assert listing.problems == ()


@pytest.mark.parametrize(
    "said",
    [
        None,
        {},
        True,
        "no_memory",
        {"no_memory": "yes"},
        {"no_memory": True, "cleaner": "ansi()"},
        {"cleaner": "os:system"},
        {"cleaner": "json("},
        {"cleaner": "ansi()", "more": 1},
    ],
)
def test_a_policy_that_can_not_be_read_hides_and_says_so(said: object) -> None:
    listing = read(tool(_meta={POLICY_KEY: said}))
    (offer,) = listing.offers
    assert offer.policy is not None
    assert offer.policy.no_memory
    (problem,) = listing.problems
    assert problem.startswith("tool 'look': ")
    assert problem.endswith("so none of its output is remembered")


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("nothing", "a tool without a name that can be used"),
        ({"name": "two words", "inputSchema": SCHEMA}, "a tool without a name that can be used"),
        ({"name": "", "inputSchema": SCHEMA}, "a tool without a name that can be used"),
        ({"name": "x" * 129, "inputSchema": SCHEMA}, "a tool without a name that can be used"),
        ({"name": "a\x1b[2J", "inputSchema": SCHEMA}, "a tool without a name that can be used"),
        ({"name": "t"}, "tool 't': its schema is no object"),
        ({"name": "t", "inputSchema": {"type": "array"}}, "tool 't': its arguments are of the type 'array'"),
        ({"name": "t", "inputSchema": {"properties": {"a": {"type": "banana"}}}}, "tool 't': its schema is none"),
        ({"name": "t", "inputSchema": {"description": "y" * 70_000}}, "tool 't': its schema is larger than 64 KiB"),
    ],
)
def test_a_tool_that_can_not_be_used_is_named_and_spoils_no_other(bad: object, told: str) -> None:
    listing = read(bad, tool())
    assert [offer.name for offer in listing.offers] == ["look"]
    (problem,) = listing.problems
    assert problem.startswith(told)


def test_of_two_tools_with_one_name_neither_is_offered() -> None:
    listing = read(tool("a"), tool("b"), tool("a", _meta={POLICY_KEY: {"no_memory": True}}))
    assert [offer.name for offer in listing.offers] == ["b"]
    assert listing.problems == ("it has 2 tools named 'a': none of them is offered",)


def test_too_many_tools_are_cut_and_counted() -> None:
    listing = read(*(tool(f"t{number}") for number in range(300)))
    assert len(listing.offers) == MOST_TOOLS
    assert listing.problems == (f"it has 300 tools: only the first {MOST_TOOLS} are offered",)


def test_what_model_servers_refuse_at_the_root_of_a_schema_is_left_to_the_server() -> None:
    (offer,) = read(
        {"name": "t", "inputSchema": {**SCHEMA, "anyOf": [{"required": ["city"]}], "$schema": "x:y"}}
    ).offers
    assert offer.parameters == SCHEMA
