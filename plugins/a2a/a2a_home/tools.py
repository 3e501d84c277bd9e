"""The tools. What another agent answers is worth finding, its envelope is not; the rest is short and plain."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from a2a_home.cleaning import words_of_answer, words_of_parts
from a2a_home.settings import A2aSettings
from homeagent_sdk import ToolContext, ToolError, ToolResult, tool

if TYPE_CHECKING:
    from a2a.types import AgentCard

    from a2a_home.client import Answer, RemoteAgent

__all__ = ["a2a_discover", "a2a_query", "a2a_status"]


@tool(parallel=True)
async def a2a_discover(context: ToolContext, agent: str = "") -> str:
    """Tell what another agent can do; without a name list the agents that are known.

    Args:
        agent: Its name as the list has it, or its address; for an address the person is asked first.
    """
    if not agent:
        agents = context.settings(A2aSettings).agents
        return "\n".join(f"{name}: {address}" for name, address in agents.items()) or "No agents are known."
    async with await _agent(context, agent) as remote:
        return _shown(await remote.card())


@tool(cleaner=words_of_answer, timeout=900)
async def a2a_query(context: ToolContext, agent: str, text: str, context_id: str = "", task_id: str = "") -> ToolResult:
    """Ask another agent something and return its answer, whole. What is sent leaves this home.

    Args:
        agent: Its name as a2a_discover lists it, or its address; for an address the person is asked first.
        text: What to ask, understandable on its own.
        context_id: To go on with an earlier conversation: the contextId of its answer.
        task_id: To answer what an unfinished task asked: its id.
    """
    if not text.strip():
        raise ToolError("text", "is empty", "Say what to ask")
    async with await _agent(context, agent) as remote:
        seconds = context.settings(A2aSettings).seconds
        found, files = await remote.ask(text, context=context_id, task=task_id, seconds=seconds)
    return ToolResult(json.dumps({"agent": agent, **found}, ensure_ascii=False), data=found, attachments=files)


@tool(parallel=True)
async def a2a_status(context: ToolContext, agent: str, task_id: str) -> ToolResult:
    """Tell how far a task of another agent is, and what it has answered so far.

    Args:
        agent: The agent that was asked, as for a2a_query.
        task_id: The task's id, from its answer.
    """
    async with await _agent(context, agent) as remote:
        answer = await remote.task(task_id)
    return ToolResult(_progress(answer), data=answer.found, attachments=answer.files)


async def _agent(context: ToolContext, agent: str) -> RemoteAgent:
    """Return an agent of the owner's list; any other address only with the person's consent."""
    from a2a_home.client import RemoteAgent  # late: the process that runs cleaners does not need it

    settings = context.settings(A2aSettings)
    if agent in settings.agents:
        return RemoteAgent(settings.agents[agent], settings.token_for(agent))
    parts = urlsplit(agent)
    if parts.scheme not in ("http", "https") or not parts.hostname or not agent.isprintable():
        known = ", ".join(settings.agents) or "none"
        raise ToolError("agent", f"no agent is called {agent!r}", f"There are {known}; or give an address")
    if not await context.ask(
        f"Speak to this agent, which is not in your list? 要联系这个不在名单里的智能体吗？\n{agent}"
    ):
        raise ToolError("agent", "the person did not agree to this", "Ask them which agent they mean")
    return RemoteAgent(agent, "")


def _shown(card: AgentCard) -> str:
    lines = [f"{card.name} {card.version}".strip(), card.description]
    lines += [f"- {skill.name}: {skill.description}".rstrip(": ") for skill in card.skills]
    return "\n".join(" ".join(line.split()) for line in lines if line.strip())


def _progress(answer: Answer) -> str:
    task = answer.found.get("task")
    status = task.get("status") if isinstance(task, dict) else None
    state = str(status.get("state", "")) if isinstance(status, dict) else ""
    words = [state.removeprefix("TASK_STATE_").replace("_", " ").casefold() or "unknown"]
    if isinstance(status, dict) and isinstance(status.get("message"), dict):
        words += words_of_parts(status["message"])
    for artifact in task.get("artifacts", []) if isinstance(task, dict) else []:
        words += words_of_parts(artifact)
    return "\n".join(words)
