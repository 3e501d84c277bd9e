"""What a server wants to be agreed to, and what of its tools is covered by what was.

The owner agrees once: to what is run or asked, and to the tools with what of their output is remembered. A tool that
comes later, of which more would be remembered, or that says now that it destroys things, is off until it is agreed to;
a server that runs something else is off as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.mcp_client.program import what_runs
from homeagent.plugins import Consent, Consents, treatment_of

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.config import McpSettings
    from homeagent.mcp_client.metadata import Listing, Offer

__all__ = ["agreed_offers", "asked_for", "consents_of", "effect_of", "runs_what_was_agreed"]

_FILE: Final = "mcp-consents.json"


def consents_of(root: Path) -> Consents:
    """Return what the owner of the home in ``root`` has agreed to of MCP servers, by their names."""
    return Consents(root, _FILE)


def asked_for(settings: McpSettings, listing: Listing) -> Consent:
    """Return what a server wants to be agreed to."""
    destroying = tuple(f"{offer.name} destroys" for offer in listing.offers if offer.destructive)
    treatments = {offer.name: treatment_of(offer.policy) for offer in listing.offers}
    return Consent(listing.version, True, treatments, (what_runs(settings), *destroying))


def runs_what_was_agreed(settings: McpSettings, consent: Consent) -> bool:
    """Whether what would be run or asked is what was agreed to."""
    return what_runs(settings) in consent.permissions


def agreed_offers(
    settings: McpSettings, listing: Listing, consent: Consent
) -> tuple[tuple[Offer, ...], tuple[str, ...]]:
    """Return the tools that were agreed to as they are now, and the names of the others."""
    growth = consent.growth(asked_for(settings, listing))
    destroying = {each.removesuffix(" destroys") for each in growth.permissions}
    grown = {*growth.tools, *growth.policies, *destroying}
    agreed = tuple(offer for offer in listing.offers if offer.name not in grown)
    return agreed, tuple(offer.name for offer in listing.offers if offer.name in grown)


def effect_of(offer: Offer) -> str:
    """Return what a tool does to the world as its server says: ``reads``, ``destroys``, or ``changes`` by default."""
    if offer.read_only:
        return "reads"
    return "destroys" if offer.destructive else "changes"
