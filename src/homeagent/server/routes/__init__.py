"""The routers, one for each matter."""

from homeagent.server.routes import (
    channels,
    chat_completions,
    chats,
    documents,
    embeddings,
    events,
    facts,
    forgetting,
    health,
    mcp,
    models,
    people,
    plugins,
    policies,
    search,
    session,
    settings,
    sources,
    tokens,
    transfer,
    turns,
)

__all__ = ["ROUTERS"]

_MODULES = (
    health, session, tokens, models, chat_completions, embeddings, chats, events, search, turns, forgetting, documents,
    facts, people, policies, plugins, channels, settings, sources, transfer, mcp,
)  # fmt: skip

ROUTERS = tuple(each.router for each in _MODULES)
"""Every router of the API."""
