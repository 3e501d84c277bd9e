"""The client of MCP servers: their tools, called like those of plugins. The library is loaded when one is started."""

from homeagent.mcp_client.agreeing import asked_for, consents_of, effect_of, runs_what_was_agreed
from homeagent.mcp_client.looking import looked_at
from homeagent.mcp_client.metadata import POLICY_KEY, Listing, Offer
from homeagent.mcp_client.naming import plugin_name, policy_name
from homeagent.mcp_client.program import what_runs
from homeagent.mcp_client.server import McpServer

__all__ = [
    "POLICY_KEY",
    "Listing",
    "McpServer",
    "Offer",
    "asked_for",
    "consents_of",
    "effect_of",
    "looked_at",
    "plugin_name",
    "policy_name",
    "runs_what_was_agreed",
    "what_runs",
]
