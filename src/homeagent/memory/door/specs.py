"""Cleaners as text: read without importing a plugin's code, and stored with what tells one version from the next.

A cleaner of built-in stages is its spec. One with functions of plugins is its spec and a last line ``#`` with the
digest of their identity, so that a changed function is another policy, and no policy needs the plugin to be read.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from homeagent_sdk.cleaner_language import FUNCTION_REFERENCE, parse_cleaner
from homeagent_sdk.pipeline import Cleaner, Stage

__all__ = ["StoredCleaner", "read_cleaner", "stored_text"]

_STORED = re.compile(r"(.*)\n#([0-9a-f]{16})", re.DOTALL)


class StoredCleaner(NamedTuple):
    """A cleaner as a policy row holds it: its ``spec``, and the digest of its functions' code, or "" without any."""

    spec: str
    code: str

    @classmethod
    def of(cls, text: str) -> StoredCleaner:
        """Read what `stored_text` wrote, or a bare spec: none ends like a stored one."""
        found = _STORED.fullmatch(text)
        return cls(found[1], found[2]) if found else cls(text, "")


def stored_text(cleaner: Cleaner) -> str:
    """Return a cleaner as a policy row holds it."""
    if not any(FUNCTION_REFERENCE.fullmatch(stage.spec) for stage in cleaner.stages):
        return cleaner.spec
    identity = cleaner.identity.encode("utf-8", "surrogatepass")
    return f"{cleaner.spec}\n#{hashlib.blake2b(identity, digest_size=8).hexdigest()}"


def read_cleaner(spec: str) -> Cleaner:
    """Return the stages of a spec; the functions among them are named and not imported, so it is not to be run.

    Raises ``SdkError`` when the spec is not in the cleaner language.
    """
    return parse_cleaner(spec, load_function=_named)


def _named(reference: str) -> Cleaner:
    return Cleaner((Stage(reference, reference, False, str),))
