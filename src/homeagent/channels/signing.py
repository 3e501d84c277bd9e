"""Signatures of the webhook: HMAC-SHA256 over the time and the body, so that neither can be changed or used later.

``X-HomeAgent-Timestamp`` is the time in seconds since 1970, ``X-HomeAgent-Signature`` is ``sha256=`` and the hex digest
of ``TIMESTAMP.BODY``.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final

from homeagent.errors import HomeAgentError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SIGNATURE", "TIMESTAMP", "WINDOW_SECONDS", "SignatureError", "signature", "signed", "verify"]

TIMESTAMP: Final = "X-HomeAgent-Timestamp"
"""The header with the time."""

SIGNATURE: Final = "X-HomeAgent-Signature"
"""The header with the signature."""

WINDOW_SECONDS: Final = 300.0
"""How far a request's time may be from now."""


class SignatureError(HomeAgentError):
    """A request that is not signed, not with this key, or not now. It says no more, so that nobody learns from it."""


def signature(key: bytes, timestamp: str, body: bytes) -> str:
    """Return the signature of a body at a time."""
    return "sha256=" + hmac.new(key, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def signed(key: bytes, body: bytes, now: float) -> dict[str, str]:
    """Return the headers that sign a body now."""
    timestamp = str(int(now))
    return {TIMESTAMP: timestamp, SIGNATURE: signature(key, timestamp, body)}


def verify(key: bytes, body: bytes, headers: Mapping[str, str], now: float) -> None:
    """Raise `SignatureError` unless the body was signed with this key within `WINDOW_SECONDS` of ``now``."""
    given = {name.lower(): value for name, value in headers.items()}
    timestamp, found = given.get(TIMESTAMP.lower(), ""), given.get(SIGNATURE.lower(), "")
    good = hmac.compare_digest(signature(key, timestamp, body).encode(), found.encode("utf-8", "replace"))
    if not good:
        raise SignatureError("webhook", "the signature is not right", f"Sign TIMESTAMP.BODY with the key: {SIGNATURE}")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(now - int(timestamp)) > WINDOW_SECONDS:
        step = f"Send the present time in {TIMESTAMP}, and set both clocks"
        raise SignatureError("webhook", "it was signed at another time", step)
