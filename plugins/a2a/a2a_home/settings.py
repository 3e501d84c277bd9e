"""The settings of the plugin."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import Annotated

from homeagent_sdk import Secret

__all__ = ["A2aSettings"]


@dataclass(frozen=True)
class A2aSettings:
    """Which agents are spoken to, and who may speak to this home: nobody until the owner says so."""

    agents: Annotated[dict[str, str], "the agents that may be spoken to: name and address"] = field(
        default_factory=dict
    )
    agent_tokens: Annotated[Secret, "their tokens: NAME=TOKEN, separated by spaces"] = Secret()  # noqa: RUF009
    seconds: Annotated[float, "how long to wait for an answer"] = 120.0
    port: Annotated[int, "the port on which other agents may speak to this home; 0 for none"] = 0
    host: Annotated[str, "the address on which it listens"] = "127.0.0.1"
    public_url: Annotated[str, "how others reach it, if not by host and port"] = ""
    clients: Annotated[Secret, "who may speak to it: NAME=TOKEN, separated by spaces"] = Secret()  # noqa: RUF009
    title: Annotated[str, "what this home is called there"] = "HomeAgent"

    def token_for(self, agent: str) -> str:
        """Return the token that is sent to an agent of the list, empty for none."""
        return _pairs(self.agent_tokens).get(agent, "")

    def client_with(self, token: str) -> str:
        """Return the name of the client that a token belongs to, empty for a token of nobody's."""
        given = token.encode()
        names = [name for name, own in _pairs(self.clients).items() if own and hmac.compare_digest(own.encode(), given)]
        return names[0] if names else ""


def _pairs(secret: Secret) -> dict[str, str]:
    parts = (each.partition("=") for each in secret.reveal().split())
    return {name: token for name, _, token in parts}
