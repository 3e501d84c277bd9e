"""The door itself: one raw segment in, what may be computed of it out, with the decision and its reason."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from homeagent.memory.compute import ComputeText, Span
from homeagent.memory.door.copies import Copyable
from homeagent.memory.door.default_cleaner import DEFAULT_VERSION, kept_ranges
from homeagent.memory.door.located import located_spans
from homeagent.memory.door.mint import admit
from homeagent.memory.door.quotes import merged
from homeagent.memory.door.runner import Cleaned
from homeagent.memory.door.specs import read_cleaner
from homeagent.memory.door.tokens import opaque_tokens
from homeagent.memory.store.protocols import chat_key
from homeagent.memory.store.records import Computed
from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from homeagent.memory.door.quotes import Quotes
    from homeagent.memory.policy.book import EffectivePolicy, PolicyBook
    from homeagent.memory.store.records import Decision, SegmentRow, TurnRow
    from homeagent.memory.turn import Segment

__all__ = [
    "DOOR_VERSION",
    "LONGEST_COMPUTED",
    "NOTHING",
    "CleanerRunner",
    "Door",
    "Passed",
    "all_copies",
    "carried",
    "label",
]

DOOR_VERSION = "door-2"
"""Part of every fingerprint: raise it when the door lets through something else for the same input."""

LONGEST_COMPUTED = 2_000_000
"""Of a longer segment only the first and last half of this many characters are computed."""

NOTHING = admit("")
"""No text at all."""
_NO_COPIES = Copyable((), ())


class CleanerRunner(Protocol):
    """Runs a cleaner where it can be stopped."""

    def clean(self, cleaner: str, text: str) -> Cleaned:
        """Return what ``cleaner`` makes of ``text``, or why there is nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Passed:
    """What the door says of a segment: what is computed of it, and what of it may not be copied (or was written here).

    ``own`` when the copyable text is the people's own, which replies may repeat. ``gone`` when the segment is left out
    because its cleaner is not there any more: what that cleaner made of it before may be `carried` over.
    """

    computed: Computed
    copyable: Copyable
    own: bool = False
    gone: bool = False


def label(text: str) -> ComputeText:
    """Admit a name that stands beside the words: a speaker, a title. Labels are never tool output."""
    return admit(text)


class Door:
    """Applies the policies in force. It writes nothing: `homeagent.memory.derive` stores what it says."""

    def __init__(self, policies: PolicyBook, quotes: Quotes, cleaners: CleanerRunner) -> None:
        self._policies = policies
        self._quotes = quotes
        self._cleaners = cleaners

    def fingerprint(self, row: SegmentRow, turn: TurnRow) -> str:
        """Return under what this segment would be computed now, without computing it."""
        segment = row.segment
        match segment.role:
            case "tool":
                policy = self._policies.for_tool(segment.tool or "")
                return f"{DOOR_VERSION}/{DEFAULT_VERSION}/{policy.fingerprint}"
            case "assistant":
                policy = self._policies.for_replies(turn.place.channel)
                return f"{DOOR_VERSION}/reply" + ("" if policy.treatment == "plain" else f"/{policy.fingerprint}")
            case "user" | "system":
                return f"{DOOR_VERSION}/{self._policies.for_channel(turn.place.channel).fingerprint}"

    def admit(self, row: SegmentRow, turn: TurnRow, pins: Sequence[tuple[int, int]] = ()) -> Passed:
        """Decide about one segment. ``pins`` are ranges of it that an erasure keeps out for good."""
        segment = row.segment
        draft = _Draft(row, self.fingerprint(row, turn), pins)
        if segment.no_memory:
            return Passed(draft.hidden("this message was marked no_memory"), _hidden_copies(row))
        match segment.role:
            case "tool":
                return self._tool(draft, self._policies.for_tool(segment.tool or ""))
            case "assistant":
                cuts = self._quotes.find(segment.text, chat_key(turn.place), row.seq)
                return self._reply(draft, cuts, self._policies.for_replies(turn.place.channel))
            case "user" | "system":
                return self._words(draft, self._policies.for_channel(turn.place.channel))

    def _reply(self, draft: _Draft, cuts: tuple[tuple[int, int], ...], policy: EffectivePolicy) -> Passed:
        computed, gone = draft.reply(cuts), False
        match policy.treatment:
            case "hidden":
                computed = draft.hidden(policy.why)
            case "cleaner":  # of what is left when the quotations are out
                cleaned = self._cleaners.clean(policy.cleaner, computed.text.text)
                gone = cleaned.gone
                computed = replace(draft.cleaned(cleaned, policy.why), cuts=computed.cuts)
        return Passed(computed, Copyable((computed.text.text,), ()), own=True, gone=gone)

    def _words(self, draft: _Draft, policy: EffectivePolicy) -> Passed:
        own = Copyable((draft.row.segment.text,), ())
        match policy.treatment:
            case "hidden":
                return Passed(draft.hidden(policy.why), own, own=True)
            case "cleaner":
                cleaned = self._cleaners.clean(policy.cleaner, draft.row.segment.text)
                return Passed(draft.cleaned(cleaned, policy.why), own, own=True, gone=cleaned.gone)
            case _:
                return Passed(draft.whole(policy.why), own, own=True)

    def _tool(self, draft: _Draft, policy: EffectivePolicy) -> Passed:
        match policy.treatment:
            case "hidden":
                return Passed(draft.hidden(policy.why), _hidden_copies(draft.row))
            case "plain":
                return Passed(draft.whole(policy.why), _NO_COPIES)
            case "default":
                return self._default_tool(draft, policy)
            case "cleaner":
                return self._cleaned_tool(draft, policy)

    def _default_tool(self, draft: _Draft, policy: EffectivePolicy) -> Passed:
        computed = draft.default(policy.why)
        if computed.decision == "whole":
            return Passed(computed, _NO_COPIES)
        return Passed(computed, _taken_out(draft.row.segment.text, computed.text.text))

    def _cleaned_tool(self, draft: _Draft, policy: EffectivePolicy) -> Passed:
        segment = draft.row.segment
        spec = _for_error(policy.cleaner) if segment.error else policy.cleaner
        cleaned = self._cleaners.clean(spec, segment.text) if spec else Cleaned(segment.text)
        if cleaned.text is None:
            return Passed(draft.cleaned(cleaned, policy.why), Copyable((segment.text,), ()), gone=cleaned.gone)
        return Passed(draft.cleaned(cleaned, policy.why), _taken_out(segment.text, cleaned.text))


def carried(passed: Passed, segment: Segment, old: Computed) -> Passed:
    """Return what is said of a segment whose cleaner is gone: what that cleaner made of it once, ``old``, stays."""
    if passed.own:
        return Passed(old, passed.copyable, own=True, gone=True)
    if old.decision == "failed":
        return Passed(old, passed.copyable, gone=True)
    return Passed(old, _taken_out(segment.text, old.text.text), gone=True)


def _taken_out(raw: str, left: str) -> Copyable:
    """Return what may not be copied of an output of which ``left`` is computed: the tokens that were taken out."""
    return Copyable((), tuple(sorted(opaque_tokens(raw) - opaque_tokens(left))))


def _for_error(spec: str) -> str:
    """Return the cleaner for an output flagged as an error: an error text is not the JSON that was promised."""
    try:
        left = read_cleaner(spec).for_error_output()
    except SdkError:
        return spec  # it can't be read: the runner says why
    return left.spec if left is not None else ""


def all_copies(segment: Segment, computed: ComputeText) -> Copyable:
    """Return everything that can have been remembered of a segment, of which ``computed`` was let through so far."""
    if segment.role != "tool":
        return Copyable((computed.text,), ())
    texts = (segment.text,) if not segment.arguments else (segment.text, segment.arguments)
    return Copyable(texts, tuple(sorted(opaque_tokens(segment.text))))


def _hidden_copies(row: SegmentRow) -> Copyable:
    arguments = row.segment.arguments
    return Copyable((row.segment.text,) if not arguments else (row.segment.text, arguments), ())


@dataclass(frozen=True, slots=True)
class _Draft:
    """A segment on its way through: each method is one decision."""

    row: SegmentRow
    fingerprint: str
    pins: Sequence[tuple[int, int]]

    def hidden(self, reason: str) -> Computed:
        return self._computed("hidden", reason, NOTHING)

    def whole(self, reason: str) -> Computed:
        text = self.row.segment.text
        return self._kept([(0, len(text))], reason, "whole")

    def default(self, reason: str) -> Computed:
        text = self.row.segment.text
        kept = kept_ranges(text)
        decision: Decision = "whole" if not text or kept == [(0, len(text))] else "cleaned"
        return self._kept(kept, reason, decision)

    def reply(self, cuts: tuple[tuple[int, int], ...]) -> Computed:
        text = self.row.segment.text
        cuts = merged([*cuts, *self.pins])
        if not cuts:
            return self._kept([(0, len(text))], "the assistant's own words", "whole")
        kept = [(start, end) for start, end in _between(cuts, len(text)) if any(c.isalnum() for c in text[start:end])]
        reason = f"{sum(end - start for start, end in cuts)} characters copied from a hidden output are left out"
        return self._kept(kept, reason, "quote", cuts)

    def cleaned(self, cleaned: Cleaned, reason: str) -> Computed:
        if cleaned.text is None:
            return self._computed("failed", f"left out, {cleaned.recorded}", self._with_arguments(NOTHING))
        text, seq = cleaned.text[:LONGEST_COMPUTED], self.row.seq
        output = admit(text, located_spans(text, self.row.segment.text, seq))
        decision: Decision = "cleaned" if text.strip() else "empty"
        return self._computed(decision, reason, self._with_arguments(output))

    def _kept(
        self, kept: list[tuple[int, int]], reason: str, decision: Decision, cuts: tuple[tuple[int, int], ...] = ()
    ) -> Computed:
        raw = self.row.segment.text
        ranges = _without(kept, [*self.pins, *_middle(raw)])
        spans: list[Span] = []
        parts: list[str] = []
        at = 0
        for start, end in ranges:
            if parts and not parts[-1][-1:].isspace() and not raw[start].isspace():
                parts.append(" ")
                at += 1
            spans.append(Span(at, at + end - start, self.row.seq, start, end))
            parts.append(raw[start:end])
            at += end - start
        if _middle(raw):
            reason = f"{reason}; longer than {LONGEST_COMPUTED:,} characters, so its middle is left out"
        text = admit("".join(parts), spans)
        return self._computed(decision, reason, self._with_arguments(text), merged([*cuts, *self.pins]))

    def _with_arguments(self, output: ComputeText) -> ComputeText:
        segment = self.row.segment
        if segment.role != "tool":
            return output
        line = " ".join([segment.tool or "", *argument_texts(segment.arguments)])
        line = " ".join(line[start:end] for start, end in kept_ranges(line))
        head = admit(line, [Span(0, len(line), self.row.seq)])
        return ComputeText.joined([head, output]) if output else head

    def _computed(
        self, decision: Decision, reason: str, text: ComputeText, cuts: tuple[tuple[int, int], ...] = ()
    ) -> Computed:
        row, segment = self.row, self.row.segment
        return Computed(
            segment=row.seq,
            turn=row.turn,
            position=row.position,
            role=segment.role,
            tool=segment.tool,
            decision=decision,
            reason=reason.encode("utf-8", "backslashreplace").decode(),  # it may name half a surrogate pair
            raw_length=len(segment.text),
            text=text,
            cuts=cuts,
            fingerprint=self.fingerprint,
        )


def argument_texts(arguments: str | None) -> Iterator[str]:
    """Yield the arguments of a call as ``key=value``, nested keys joined with dots; broken JSON as it stands."""
    if not arguments:
        return
    try:
        value: object = json.loads(arguments)
    except (ValueError, RecursionError):
        yield arguments
        return
    waiting = [("", value)]
    while waiting:  # a stack of its own: arguments may be nested deeper than Python calls may
        key, value = waiting.pop()
        match value:
            case dict():
                inner = [(f"{key}.{name}" if key else str(name), each) for name, each in value.items()]
                waiting.extend(reversed(inner))
            case list():
                waiting.extend((key, each) for each in reversed(value))
            case _:
                yield f"{key}={_scalar(value)}" if key else _scalar(value)


def _scalar(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case _:
            return str(value)


def _between(cuts: Sequence[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    at = 0
    for start, end in cuts:
        if start > at:
            yield at, start
        at = end
    if at < length:
        yield at, length


def _without(kept: Sequence[tuple[int, int]], cuts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    if not cuts:
        return list(kept)
    gaps = merged(cuts)
    return [
        (max(start, low), min(end, high))
        for start, end in kept
        for low, high in _between(gaps, max(end, gaps[-1][1]))
        if max(start, low) < min(end, high)
    ]


def _middle(text: str) -> list[tuple[int, int]]:
    if len(text) <= LONGEST_COMPUTED:
        return []
    return [(LONGEST_COMPUTED // 2, len(text) - LONGEST_COMPUTED // 2)]
