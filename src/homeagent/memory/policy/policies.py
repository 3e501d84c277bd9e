"""Saying what the policies are: each word an appended row of the log, and a derivation of what it touches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from homeagent.errors import PolicyError, StoreError
from homeagent.memory.policy.book import OUTPUT, PolicyBook, checked
from homeagent.memory.results import PolicyInForce
from homeagent.memory.store.records import PolicyRow
from homeagent_sdk import MemoryPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from homeagent.memory.derive import Deriver
    from homeagent.memory.results import PolicyChange
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore

__all__ = ["Policies"]

Kind = Literal["tool", "channel"]

_EXAMPLES = 5
_AT_ONCE_SECONDS = 2.0
"""How long a change is derived before the rest is left to the background."""


class Policies:
    """The policies of one home: declared, overridden, tried out."""

    def __init__(self, log: LogStore, derived: DerivedStore, deriver: Deriver) -> None:
        self._log = log
        self._derived = derived
        self._deriver = deriver

    def declare(self, tools: Mapping[str, MemoryPolicy | None], *, returns_memory: Sequence[str]) -> None:
        """Add what plugins declare; what is declared the same already adds no row. None takes a declaration back.

        A tool that is only named in ``returns_memory`` has no policy of its own: it is hidden as returning memory.
        """
        known = {row.name: row for row in self._log.policies() if row.kind == "tool" and row.origin == "declared"}
        for name, policy in {**dict.fromkeys(returns_memory, MemoryPolicy()), **tools}.items():
            if policy is None:
                if name in known and known[name].action == "set":
                    self._log.add_policy(PolicyRow(0, "tool", name, "declared", "unset"))
                continue
            row = PolicyRow(
                0, "tool", name, "declared", "set", policy.no_memory, checked(name, policy), name in returns_memory
            )
            if not _same(row, known.get(name)):
                self._log.add_policy(row)
        self._deriver.catch_up()

    def declare_channels(self, channels: Mapping[str, tuple[MemoryPolicy, MemoryPolicy]]) -> None:
        """Add what channels declare of the words that come in and of the answers that go out.

        One that is plain and was never anything else adds no row.
        """
        known = {row.name: row for row in self._log.policies() if row.kind == "channel" and row.origin == "declared"}
        for channel, (words, replies) in channels.items():
            for name, policy in ((channel, words), (channel + OUTPUT, replies)):
                row = PolicyRow(0, "channel", name, "declared", "set", policy.no_memory, checked(name, policy))
                if not _same(row, known.get(name)) and (name in known or policy != MemoryPolicy()):
                    self._log.add_policy(row)
        self._deriver.catch_up()

    def override(self, tools: Mapping[str, MemoryPolicy | None], *, kind: Kind) -> None:
        """Do what `note` does, and derive for a few seconds; what is left then waits in the queue."""
        self.note(tools, kind=kind)
        self._deriver.catch_up(budget=_AT_ONCE_SECONDS)

    def note(self, tools: Mapping[str, MemoryPolicy | None], *, kind: Kind = "tool") -> int:
        """Add the owner's policies, by name or glob (None takes one back), and hide what they hide.

        That is gone from everything computed when this returns, and nothing is derived yet: returned is how many
        segments wait for it. Raises `StoreError` when another process keeps the home from taking note for a minute; the
        policies are kept all the same.
        """
        with self._log.transaction():
            for row in _overrides(tools, kind):
                self._log.add_policy(row)
        queued = self._deriver.take_note()
        if queued is None:
            raise StoreError(
                "policies",
                "are kept, but not in effect yet: another process has been deriving for a minute",
                "They take effect when it is done; stop it if it hangs",
            )
        return queued

    def rename(self, old: str, new: str) -> None:
        """Say that tool ``old`` is called ``new`` from here on, or is again. Raises `PolicyError` for its own name."""
        if old == new:
            raise PolicyError(f"tool {old!r}", "is renamed to itself", "Give the new name")
        self._log.add_policy(PolicyRow(0, "tool", old, "declared", "renamed", target=new))
        self._deriver.catch_up()

    def remove(self, name: str) -> None:
        """Say that a tool is gone. Its last policy goes on holding for what it left behind."""
        self._log.add_policy(PolicyRow(0, "tool", name, "declared", "removed"))

    def trial(
        self,
        tools: Mapping[str, MemoryPolicy | None],
        *,
        kind: Kind = "tool",
        progress: Callable[[int, int], None] = lambda _done, _left: None,
    ) -> PolicyChange:
        """Return what `override` would change of what is computed, and change nothing.

        ``progress`` is told (segments done, still to do). What is not derived yet is not counted.
        """
        rows = self._log.policies()
        last = rows[-1].seq if rows else 0
        after = PolicyBook([*rows, *(_numbered(row, last + 1 + n) for n, row in enumerate(_overrides(tools, kind)))])
        return self._deriver.compare(after, examples=_EXAMPLES, progress=progress)

    def listed(self) -> list[dict[str, object]]:
        """Return every tool that ever spoke or was declared, with its policy and where that comes from."""
        return [
            {"tool": each.name, "treatment": each.treatment, "cleaner": each.cleaner, "why": each.why}
            for each in self._in_force("tool", PolicyBook(self._log.policies()), {})
        ]

    def overridden(self, kind: Kind = "tool") -> dict[str, tuple[bool, str]]:
        """Return (no_memory, cleaner as stored) of the owner's policies as the log has them now, by name or glob."""
        rows = PolicyBook(self._log.policies()).listed()
        return {row.name: (row.no_memory, row.cleaner) for row in rows if row.origin == "override" and row.kind == kind}

    def differing(self, named: Mapping[str, MemoryPolicy], *, kind: Kind = "tool") -> dict[str, MemoryPolicy]:
        """Return those of ``named`` that the log has otherwise or not at all, as the owner's."""
        known = self.overridden(kind)
        stored = {name: (policy.no_memory, checked(name, policy)) for name, policy in named.items()}
        return {name: policy for name, policy in named.items() if known.get(name) != stored[name]}

    def in_force(self) -> list[PolicyInForce]:
        """Return every tool and channel that ever spoke or was named, with its policy and what it left behind."""
        book = PolicyBook(self._log.policies())
        spoken = self._derived.spoken_characters()
        return [*self._in_force("tool", book, spoken), *self._in_force("channel", book, spoken)]

    def _in_force(
        self, kind: Kind, book: PolicyBook, spoken: Mapping[tuple[str, str], tuple[int, int, int]]
    ) -> list[PolicyInForce]:
        names = {row.name for row in book.listed() if row.kind == kind and row.origin == "declared"}
        names.update(self._log.tool_names() if kind == "tool" else self._log.channels())
        found: list[PolicyInForce] = []
        for name in sorted(names):
            policy = book.for_tool(name) if kind == "tool" else book.for_channel(name)
            segments, raw, computed = spoken.get((kind, name), (0, 0, 0))
            found.append(
                PolicyInForce(
                    kind, name, policy.treatment, policy.cleaner, policy.why, policy.origin, policy.pattern,
                    segments, raw, computed,
                )
            )  # fmt: skip
        return found


def _overrides(tools: Mapping[str, MemoryPolicy | None], kind: Kind) -> list[PolicyRow]:
    return [
        PolicyRow(0, kind, name, "override", "unset")
        if policy is None
        else PolicyRow(0, kind, name, "override", "set", policy.no_memory, checked(name, policy))
        for name, policy in tools.items()
    ]


def _numbered(row: PolicyRow, seq: int) -> PolicyRow:
    return PolicyRow(seq, row.kind, row.name, row.origin, row.action, row.no_memory, row.cleaner)


def _same(row: PolicyRow, known: PolicyRow | None) -> bool:
    if known is None or known.action != "set":
        return False
    return (row.no_memory, row.cleaner, row.returns_memory) == (known.no_memory, known.cleaner, known.returns_memory)
