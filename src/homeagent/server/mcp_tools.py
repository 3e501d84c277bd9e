"""What other agents are offered by MCP: recall, keep, explain, forget, and for the owner the agent's own tools."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final

from mcp.types import CallToolResult, TextContent, Tool, ToolAnnotations

from homeagent.agent import Incoming
from homeagent.errors import HomeAgentError, InputError, NotFoundError
from homeagent.memory import Segment, Turn, Viewer
from homeagent.memory.erasing.targets import Target
from homeagent.server.access import own_place
from homeagent.server.chat_index import Match
from homeagent.server.errors import AccessError
from homeagent.server.forms import iso, plain
from homeagent.server.memory_forms import segment_forms

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from homeagent.agent.events import ToolFinished
    from homeagent.server.access import Asker
    from homeagent.server.daemon import Daemon

__all__ = ["Client", "offered", "run"]

CHAT: Final = "mcp"
"""The chat of a person in which other agents call tools."""

_MOST_HITS: Final = 50
_LONGEST: Final = 100_000
_LONGEST_QUESTION: Final = 4_000
_LONGEST_NAME: Final = 400


class Client:
    """Whoever calls: for whom, how to ask them, and how to tell them how far a call is."""

    def __init__(
        self, asker: Asker, ask: Callable[[str], Awaitable[bool]], progress: Callable[[str], Awaitable[None]]
    ) -> None:
        self.asker = asker
        self.ask = ask
        self.progress = progress


def _schema(required: list[str], **properties: dict[str, object]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_TURN: Final[dict[str, object]] = {"type": "string", "description": "the id of a turn, as recall gives it"}

_OWN: Final = (
    Tool(
        name="recall",
        title="Search the memory",
        description="Search a long-term memory of conversations. Gives passages with who said them, where and when.",
        input_schema=_schema(
            ["question"],
            question={
                "type": "string",
                "minLength": 1,
                "maxLength": _LONGEST_QUESTION,
                "description": "a question, or words",
            },
            limit={"type": "integer", "minimum": 1, "maximum": _MOST_HITS, "default": 8},
        ),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    ),
    Tool(
        name="keep",
        title="Keep something in the memory",
        description="Keep a text for good, word for word. Say whole sentences that will be understood without context.",
        input_schema=_schema(["text"], text={"type": "string", "minLength": 1, "maxLength": _LONGEST}),
        annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
    ),
    Tool(
        name="explain",
        title="Why is this, or is it not, in the memory",
        description="Say for each segment of a turn what of it is computed, and why the rest is not.",
        input_schema=_schema(["turn"], turn=_TURN),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    ),
    Tool(
        name="forget",
        title="Hide something from the memory",
        description="Hide turns from recall. What was said stays in the log; undo brings it back.",
        input_schema=_schema(
            ["turns"],
            turns={"type": "array", "items": _TURN, "minItems": 1, "maxItems": 100},
            undo={"type": "boolean", "default": False},
        ),
        annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False),
    ),
)


def offered(daemon: Daemon, asker: Asker) -> list[Tool]:
    """Return the tools that somebody may call."""
    if not asker.is_owner:
        return list(_OWN)
    own = {tool.name for tool in _OWN}
    others = [
        Tool(name=tool.name, description=tool.description, input_schema=dict(tool.parameters))
        for tool in daemon.app.registry.tools.values()
        if tool.name not in own
    ]
    return [*_OWN, *others]


async def run(daemon: Daemon, client: Client, name: str, arguments: Mapping[str, object]) -> CallToolResult:
    """Run a tool; what goes wrong is the result that says so."""
    try:
        match name:
            case "recall":
                return await _recall(daemon, client.asker, arguments)
            case "keep":
                return await _keep(daemon, client.asker, arguments)
            case "explain":
                return await _explain(daemon, client.asker, arguments)
            case "forget":
                return await _forget(daemon, client.asker, arguments)
        if name not in {tool.name for tool in offered(daemon, client.asker)}:
            raise NotFoundError(f"tool {name!r}", "is not here", "List them with tools/list")
        return await _call(daemon, client, name, arguments)
    except HomeAgentError as error:
        return _result(str(error), error=True)


def _text_of(arguments: Mapping[str, object], name: str, most: int) -> str:
    """Return an argument that has to be a text of up to ``most`` characters. Raises `InputError`."""
    text = arguments.get(name)
    if not isinstance(text, str) or not text.strip() or len(text) > most:
        problem = f"is missing or no text of at most {most:,} characters"
        raise InputError(f"argument {name!r}", problem, "Send it as the tool's schema says")
    return text


def _eyes(asker: Asker) -> Viewer:
    """Return with whose eyes an agent looks that somebody uses: the owner's sees what the owner was there for.

    The owner may look at all there is, and an agent reads it to whoever runs its model.
    """
    return Viewer(asker.person, own_place(asker.person, CHAT))


async def _recall(daemon: Daemon, asker: Asker, arguments: Mapping[str, object]) -> CallToolResult:
    question, limit = _text_of(arguments, "question", _LONGEST_QUESTION), arguments.get("limit", 8)
    most = min(max(1, limit), _MOST_HITS) if isinstance(limit, int) else 8
    memory = daemon.app.memory
    found = await asyncio.to_thread(memory.recall, question, viewer=_eyes(asker), limit=most)
    hits = [
        {
            "turn": hit.turn,
            "text": plain(hit.text),
            "said_by": plain(hit.sender),
            "where": plain(f"{hit.place.channel}/{hit.place.chat}"),
            "at": iso(hit.at),
            "older_value": hit.superseded,
        }
        for hit in found.hits
    ]
    lines = [f"[{hit['at'] or '?'}, {hit['where']}, {hit['said_by']}, {hit['turn']}] {hit['text']}" for hit in hits]
    if found.nothing:
        lines.insert(0, "Nothing there is to the point; these are the nearest." if hits else "Nothing is known.")
    return _result("\n".join(lines), {"hits": hits, "nothing": bool(found.nothing)})


async def _keep(daemon: Daemon, asker: Asker, arguments: Mapping[str, object]) -> CallToolResult:
    place, said = own_place(asker.person, CHAT), Segment("user", _text_of(arguments, "text", _LONGEST))
    turn = Turn(place, asker.person, (said,), at=daemon.clock(), source="mcp")
    kept = await asyncio.to_thread(daemon.app.memory.keep, turn)
    return _result(f"Kept as {kept}.", {"turn": kept})


async def _explain(daemon: Daemon, asker: Asker, arguments: Mapping[str, object]) -> CallToolResult:
    memory, name = daemon.app.memory, _text_of(arguments, "turn", _LONGEST_NAME)

    def explained() -> list[dict[str, object]]:
        row = memory.timeline.find(name, _eyes(asker))
        forms = segment_forms(memory.segments(row), memory.computed(row.turn_id))
        return [
            {
                "position": each.position,
                "role": each.role,
                "tool": each.tool,
                "decision": each.decision,
                "reason": each.reason,
                "raw_characters": len(each.raw),
                "computed_characters": len(each.computed),
            }
            for each in forms
        ]

    segments = await asyncio.to_thread(explained)
    lines = [
        f"{each['position']} {each['tool'] or each['role']}: {each['decision'] or 'waits'}, {each['reason']} "
        f"({each['computed_characters']} of {each['raw_characters']} characters)"
        for each in segments
    ]
    return _result("\n".join(lines), {"segments": segments})


async def _forget(daemon: Daemon, asker: Asker, arguments: Mapping[str, object]) -> CallToolResult:
    memory, given, undo = daemon.app.memory, arguments.get("turns"), arguments.get("undo") is True
    names = [str(each) for each in given] if isinstance(given, list) else []

    def forgotten() -> int:
        sight = memory.timeline.sight(asker.viewer)
        turns: list[str] = []
        for name in names:
            row = memory.timeline.find(name, _eyes(asker))
            if not sight.said_it(row):
                raise AccessError(f"turn {name!r}", "was said by somebody else", "Ask the owner")
            turns.append(row.turn_id)  # by its name it could be another's too
        change = memory.forgetting.undo if undo else memory.forgetting.forget
        return len(change(Target(tuple(turns))).turns)

    count = await asyncio.to_thread(forgotten)
    daemon.app.agent.look_again()
    return _result(f"{'Brought back' if undo else 'Hidden'}: {count}.", {"turns": count})


async def _call(daemon: Daemon, client: Client, name: str, arguments: Mapping[str, object]) -> CallToolResult:
    """Run one of the agent's own tools, as the owner who types it does: in a turn of its own, which is in the log."""
    place = own_place(client.asker.person, CHAT)
    text = f"/tool {name} {json.dumps(dict(arguments), ensure_ascii=False)}"
    incoming = Incoming(text, place, client.asker.person)
    running = await daemon.talks.begin(client.asker.person, Match(CHAT, text), incoming, streaming=True)
    running.view.asks = client.ask
    try:
        async for kind, data in running.happenings():
            if kind == "tool_progress":
                await client.progress(str(data["text"]))
        view = await running.finished()
    finally:
        if not running.task.done():  # the client took its call back, or left
            running.task.cancel()
    if view.error is not None:
        raise view.error
    if view.finished:
        return _finished(view.finished[-1])
    return _result(view.answer or "It was stopped.", error=True)


def _finished(done: ToolFinished) -> CallToolResult:
    data = done.data if isinstance(done.data, dict) else None
    return _result(plain(done.text), data, error=done.error)


def _result(text: str, data: Mapping[str, object] | None = None, *, error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], structured_content=data, is_error=error)
