"""Which policy holds for a tool or channel now, worked out from everything ever said about it.

Declared policies come from plugins, overrides from the owner, who may use globs. An override replaces the whole policy.
A tool that is gone keeps its last policy, a renamed one hands it on. What nobody declared gets the default cleaner.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from homeagent.errors import PolicyError
from homeagent.memory.door.specs import StoredCleaner, read_cleaner, stored_text
from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.memory.store.records import PolicyRow
    from homeagent_sdk import MemoryPolicy

__all__ = ["OUTPUT", "RETURNS_MEMORY", "EffectivePolicy", "PolicyBook", "checked"]

RETURNS_MEMORY = frozenset({"memory_recall", "memory_explain", "memory_read", "doc_query", "person_query"})
"""Tools of this program that hand out memory: what they return is never memorised again, whatever they declare."""

OUTPUT = ".output"
"""``NAME.output`` is the policy of what the assistant says in channel ``NAME``."""

Treatment = Literal["plain", "hidden", "cleaner", "default"]
Origin = Literal["declared", "override", "default", "returns_memory"]
"""Who said it: a plugin or channel, the owner, nobody; or that what a tool returns is memory."""


@dataclass(frozen=True, slots=True)
class EffectivePolicy:
    """What happens to one tool's output (or one channel's words) on the way to computation.

    ``why`` names where it comes from, for a person; ``origin`` and ``pattern`` (the name or glob of the word that
    counts) for a program. ``cleaner`` is a text in the cleaner language, else empty; ``code`` is the digest of the
    functions of plugins that it names.
    """

    treatment: Treatment
    why: str
    cleaner: str = ""
    code: str = ""
    origin: Origin = "default"
    pattern: str = ""

    @property
    def fingerprint(self) -> str:
        """A short name that changes whenever what is computed under this policy may change."""
        return _fingerprint(self.treatment, self.cleaner, self.code)


@lru_cache(maxsize=1024)
def _fingerprint(treatment: Treatment, cleaner: str, code: str) -> str:
    if treatment != "cleaner":
        return treatment
    try:
        identity = read_cleaner(cleaner).identity
    except SdkError:
        identity = cleaner
    identity = f"{identity}#{code}" if code else identity
    return "cleaner-" + hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def checked(name: str, policy: MemoryPolicy) -> str:
    """Return the policy's cleaner as it is stored. Raises `PolicyError` when it can't be read back from its text."""
    if policy.cleaner is None:
        return ""
    spec = policy.cleaner.spec
    try:
        again = read_cleaner(spec).spec
    except SdkError as error:
        raise PolicyError(f"policy of {name}", str(error), "Write it in the cleaner language") from error
    if again != spec:
        raise PolicyError(f"policy of {name}", f"its cleaner reads back as {again!r}", "Report this as a bug")
    return stored_text(policy.cleaner)


class PolicyBook:
    """The policies in force after a list of policy events."""

    def __init__(self, rows: Iterable[PolicyRow]) -> None:
        self._declared: dict[tuple[str, str], PolicyRow] = {}
        self._overrides: dict[tuple[str, str], PolicyRow] = {}
        self._names: dict[str, str] = {}
        self.through = 0
        for row in rows:
            self._take(row)

    def _take(self, row: PolicyRow) -> None:
        self.through = row.seq
        key = (row.kind, row.name)
        match row.action:
            case "set" if row.origin == "declared":
                self._declared[key] = row
            case "set":
                self._overrides.pop(key, None)
                self._overrides[key] = row
            case "unset" if row.origin == "declared":
                self._declared.pop(key, None)
            case "unset":
                self._overrides.pop(key, None)
            case "renamed":
                self._names[row.name] = row.target
            case "removed":
                pass  # the policy stays: what the tool left behind is still its output

    def for_tool(self, name: str) -> EffectivePolicy:
        """Return the policy of a tool's outputs and arguments."""
        names = self._all_names(name)
        declared = self._last_declared(names)
        if not RETURNS_MEMORY.isdisjoint(names) or (declared is not None and declared.returns_memory):
            why = "what it returns is memory, and memory is not memorised again"
            return EffectivePolicy("hidden", why, origin="returns_memory")
        override = self._override("tool", names)
        if override is not None:
            return _effective(override, f"the owner's policy for {override.name!r}")
        if declared is not None:
            return _effective(declared, "declared by its plugin")
        return EffectivePolicy("default", "nobody declared it, so the default cleaner is used")

    def for_channel(self, name: str) -> EffectivePolicy:
        """Return the policy of what people say in a channel; of ``NAME.output``, of what the assistant says in it."""
        override = self._override("channel", (name,))
        if override is not None:
            return _effective(override, f"the owner's policy for channel {override.name!r}")
        declared = self._declared.get(("channel", name))
        if declared is not None:
            return _effective(declared, "declared by its channel")
        return EffectivePolicy("plain", "no policy")

    def for_replies(self, channel: str) -> EffectivePolicy:
        """Return the policy of what the assistant says in a channel."""
        return self.for_channel(channel + OUTPUT)

    def listed(self) -> list[PolicyRow]:
        """Return the events that are in force, declared ones first."""
        return [*self._declared.values(), *self._overrides.values()]

    def _last_declared(self, names: tuple[str, ...]) -> PolicyRow | None:
        rows = [row for each in names if (row := self._declared.get(("tool", each))) is not None]
        return max(rows, key=lambda row: row.seq, default=None)

    def _all_names(self, name: str) -> tuple[str, ...]:
        """Return every name this tool has had or has now."""
        names = {name}
        grown = True
        while grown:
            more = {new for old, new in self._names.items() if old in names}
            more |= {old for old, new in self._names.items() if new in names}
            grown = not more <= names
            names |= more
        return tuple(sorted(names))

    def _override(self, kind: str, names: tuple[str, ...]) -> PolicyRow | None:
        """Return the owner's word: an exact name before a glob, then the glob that says most, then the newest."""
        matching = [
            row
            for (of, pattern), row in self._overrides.items()
            if of == kind
            and (kind == "tool" or pattern.endswith(OUTPUT) == names[0].endswith(OUTPUT))  # "*" means people's words
            and any(each == pattern or fnmatchcase(each, pattern) for each in names)
        ]
        return max(matching, key=lambda row: (row.name in names, *_said_by(row.name), row.seq), default=None)


def _said_by(pattern: str) -> tuple[int, int]:
    """Return how much a glob says of a name: its letters that stand for themselves, then its length."""
    return sum(character not in "*?[]!" for character in pattern), len(pattern)


def _effective(row: PolicyRow, why: str) -> EffectivePolicy:
    if row.no_memory:
        return EffectivePolicy("hidden", f"no_memory: {why}", origin=row.origin, pattern=row.name)
    if row.cleaner:
        stored = StoredCleaner.of(row.cleaner)
        return EffectivePolicy("cleaner", f"{stored.spec}: {why}", stored.spec, stored.code, row.origin, row.name)
    return EffectivePolicy("plain", f"no cleaner: {why}", origin=row.origin, pattern=row.name)
