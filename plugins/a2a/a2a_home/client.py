"""Speaking to another agent, by the official SDK: its card, a message to it, a task of it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final, NamedTuple, Self
from urllib.parse import urlsplit

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import new_text_message
from a2a.types import GetTaskRequest, Role, SendMessageConfiguration, SendMessageRequest, Task, TaskState
from a2a.utils.errors import A2AError
from google.protobuf.json_format import MessageToDict

from homeagent_sdk import Attachment, ToolError

if TYPE_CHECKING:
    from types import TracebackType

    from a2a.client import Client
    from a2a.types import AgentCard, Message

__all__ = ["Answer", "RemoteAgent"]

_BINDINGS: Final = ("JSONRPC", "HTTP+JSON")
_REQUEST_SECONDS: Final = 60.0
_FIRST_PAUSE: Final = 0.3
_LONGEST_PAUSE: Final = 5.0
_UNDER_WAY: Final = (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING)
_LATER: Final = "Say that the agent can't be reached; try again later"


class Answer(NamedTuple):
    """What came back, as the protocol's JSON has it; files are taken out of it."""

    found: dict[str, object]
    files: tuple[Attachment, ...]


class RemoteAgent:
    """One agent at an address; use it with ``async with``. Raises ``ToolError`` when it can't be reached or refuses."""

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        # Redirects are not followed: they would lead elsewhere than the owner agreed to.
        self._http = httpx.AsyncClient(headers=headers, timeout=_REQUEST_SECONDS, follow_redirects=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def card(self) -> AgentCard:
        """Return what the agent says of itself; of its addresses only those where it was found."""
        try:
            card = await A2ACardResolver(self._http, self._address).get_agent_card()
        except (A2AError, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise ToolError("agent", f"its card can't be read ({error})", _LATER) from None
        own = _origin(self._address)
        kept = [each for each in card.supported_interfaces if _origin(each.url) == own]
        if not kept:
            raise ToolError("agent", "its card leads to another host than its own", "Tell the owner")
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(kept)
        return card

    async def ask(self, text: str, *, context: str, task: str, seconds: float) -> Answer:
        """Send a message and return the answer, or after ``seconds`` the task as far as it is."""
        client = await self._client()
        message = new_text_message(text, context_id=context or None, task_id=task or None, role=Role.ROLE_USER)
        request = SendMessageRequest(message=message, configuration=SendMessageConfiguration(return_immediately=True))
        try:
            async for event in client.send_message(request):
                if event.HasField("message"):
                    return _answer("message", event.message)
                return await self._finished(client, event.task, time.monotonic() + seconds)
        except (A2AError, httpx.HTTPError, ValueError) as error:
            raise _refused(error) from None
        raise ToolError("agent", "it answered nothing", _LATER)

    async def task(self, task: str) -> Answer:
        """Return a task as far as it is."""
        client = await self._client()
        try:
            return _answer("task", await client.get_task(GetTaskRequest(id=task)))
        except (A2AError, httpx.HTTPError, ValueError) as error:
            raise _refused(error) from None

    async def _finished(self, client: Client, task: Task, until: float) -> Answer:
        pause = _FIRST_PAUSE
        while task.status.state in _UNDER_WAY and time.monotonic() < until:
            await asyncio.sleep(min(pause, max(0.0, until - time.monotonic())))
            pause = min(_LONGEST_PAUSE, pause * 1.5)
            task = await client.get_task(GetTaskRequest(id=task.id))
        return _answer("task", task)

    async def _client(self) -> Client:
        config = ClientConfig(streaming=False, httpx_client=self._http, supported_protocol_bindings=list(_BINDINGS))
        card = await self.card()
        try:
            return ClientFactory(config).create(card)
        except (A2AError, ValueError) as error:
            raise ToolError("agent", f"it speaks in no way that is known here ({error})", "Tell the owner") from None


def _answer(kind: str, said: Message | Task) -> Answer:
    found: dict[str, object] = MessageToDict(said)
    files = tuple(
        Attachment(part.media_type or "application/octet-stream", part.raw, part.filename)
        for holder in _holders(said)
        for part in holder.parts
        if part.HasField("raw")
    )
    _take_out_files(found)
    return Answer({kind: found}, files)


def _holders(said: Message | Task) -> list[object]:
    return [*said.artifacts, said.status.message] if isinstance(said, Task) else [said]


def _take_out_files(value: object) -> None:
    """Put a remark in the place of each file's bytes, which are kept as attachments."""
    if isinstance(value, list):
        for inner in value:
            _take_out_files(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            _take_out_files(inner)
        if isinstance(value.get("raw"), str):
            value["raw"] = "(kept as an attachment)"


def _origin(address: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "", "", None
    return parts.scheme, parts.hostname or "", port


def _refused(error: Exception) -> ToolError:
    return ToolError("agent", f"it did not answer ({error or type(error).__name__})", _LATER)
