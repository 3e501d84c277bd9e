"""What ``doctor`` says of the sources of models: each is asked for its list of models, which costs nothing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from homeagent.cli.finding import Finding
from homeagent.cli.model_errors import problem_of, step_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.models import Source, SourceCheck

__all__ = ["sources"]


def sources(session: Session) -> list[Finding]:
    """Return a finding for each source. One that would not answer is a failure only when no other would."""
    from homeagent.app import sources_of

    terminal, wanted = session.terminal, sources_of(session.config)
    if not wanted:
        return [
            Finding("models", "ok", terminal.message("doctor_no_models"), terminal.message("doctor_no_models_next"))
        ]
    checks = asyncio.run(_checked(wanted))
    level = "warn" if any(check.problem is None for check in checks) else "fail"
    return [
        _good(source, check, terminal)
        if check.problem is None
        else Finding(
            f"models.{source.name}",
            "warn" if level == "warn" else "fail",
            terminal.message("doctor_source_failed", name=source.name, problem=problem_of(check.problem, terminal)),
            step_of(check.problem, terminal),
        )
        for source, check in zip(wanted, checks, strict=True)
    ]


async def _checked(wanted: Sequence[Source]) -> tuple[SourceCheck, ...]:
    from homeagent.models import Router

    router = Router(wanted)
    try:
        return await router.check()
    finally:
        await router.close()


def _good(source: Source, check: SourceCheck, terminal: Terminal) -> Finding:
    name, say = f"models.{source.name}", terminal.message
    key = say("doctor_key_accepted" if source.key_env or source.key_file else "doctor_key_none")
    if not check.models:
        found = say("doctor_source_unlisted", name=source.name, model=source.model, key=key)
        return Finding(name, "ok", found)
    window = check.window_tokens
    if window is not None and window < source.window_tokens:
        found = say("doctor_source_window", name=source.name, window=window, wanted=source.window_tokens)
        return Finding(name, "warn", found, say("doctor_source_window_next", name=source.name, window=window))
    return Finding(name, "ok", say("doctor_source", name=source.name, model=source.model, key=key))
