"""Channels: one hub through which people talk with the agent, wherever they write from."""

from homeagent.channels.desk import HubParts
from homeagent.channels.exchange import Company, Outcome, Past
from homeagent.channels.hub import Hub, HubState
from homeagent.channels.intake import Taken
from homeagent.channels.lines import Line
from homeagent.channels.mounting import Mounted
from homeagent.channels.sending import Pauses
from homeagent.channels.webhook import WEBHOOK, Response, Webhook, WebhookLine

__all__ = [
    "WEBHOOK",
    "Company",
    "Hub",
    "HubParts",
    "HubState",
    "Line",
    "Mounted",
    "Outcome",
    "Past",
    "Pauses",
    "Response",
    "Taken",
    "Webhook",
    "WebhookLine",
]
