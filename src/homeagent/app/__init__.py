"""Joins the parts into one program: memory, model, plugins, agent. The only place that does."""

from homeagent.app.app import App, AppParts
from homeagent.app.configured import agent_settings, check, distiller_of, hidden_secrets, model_of, parts_of, sources_of
from homeagent.app.hiding import key_variables
from homeagent.app.home_memory import HomeMemory
from homeagent.app.home_plugins import cleaners_of, described_plugins
from homeagent.app.plugin_loading import check_settings, tried_plugin

__all__ = [
    "App",
    "AppParts",
    "HomeMemory",
    "agent_settings",
    "check",
    "check_settings",
    "cleaners_of",
    "described_plugins",
    "distiller_of",
    "hidden_secrets",
    "key_variables",
    "model_of",
    "parts_of",
    "sources_of",
    "tried_plugin",
]
