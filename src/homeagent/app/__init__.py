"""Joins the parts into one program: memory, model, plugins, agent. The only place that does."""

from homeagent.app.app import App, AppParts
from homeagent.app.applying import apply_policies, policy_text
from homeagent.app.configured import (
    agent_settings,
    check,
    distiller_of,
    embedder_of,
    hidden_secrets,
    model_of,
    parts_of,
    sources_of,
)
from homeagent.app.followed import FollowedSettings, use_settings
from homeagent.app.hiding import key_variables
from homeagent.app.home_channels import API
from homeagent.app.home_knowledge import past_turn
from homeagent.app.home_memory import HomeMemory
from homeagent.app.home_plugins import cleaners_of, described_plugins
from homeagent.app.plugin_loading import built_in_tools, check_change, tried_plugin
from homeagent.app.plugin_states import PluginState, plugin_growth, plugin_state

__all__ = [
    "API",
    "App",
    "AppParts",
    "FollowedSettings",
    "HomeMemory",
    "PluginState",
    "agent_settings",
    "apply_policies",
    "built_in_tools",
    "check",
    "check_change",
    "cleaners_of",
    "described_plugins",
    "distiller_of",
    "embedder_of",
    "hidden_secrets",
    "key_variables",
    "model_of",
    "parts_of",
    "past_turn",
    "plugin_growth",
    "plugin_state",
    "policy_text",
    "sources_of",
    "tried_plugin",
    "use_settings",
]
