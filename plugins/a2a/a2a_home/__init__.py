"""The plugin ``a2a``: speaks to other agents, and lets them speak to this home, by the Agent2Agent protocol."""

from a2a_home.channel import CHANNEL, A2aConnection, answered
from a2a_home.exchange import Exchange
from a2a_home.settings import A2aSettings
from a2a_home.tools import a2a_discover, a2a_query, a2a_status
from homeagent_sdk import Capabilities, Channel, Plugin

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin(
    "a2a",
    "1.0.0",
    tools=[a2a_discover, a2a_query, a2a_status],
    stages=[answered],
    channels=[Channel(CHANNEL, A2aConnection, Capabilities(length=1_000_000, typing=True))],
    settings=A2aSettings,
    on_start=lambda _: Exchange(),
)
