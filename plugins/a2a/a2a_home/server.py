"""The A2A server, by the official SDK: a card for everybody, questions only from clients whose token is known."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, Final

import uvicorn
from a2a.auth.user import User
from a2a.helpers import new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)
from starlette.applications import Starlette
from starlette.responses import JSONResponse

from homeagent_sdk import Arrival

if TYPE_CHECKING:
    from collections.abc import Iterator

    from a2a.server.agent_execution import RequestContext
    from a2a.server.events import EventQueue
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from a2a_home.exchange import Exchange
    from a2a_home.settings import A2aSettings
    from homeagent_sdk import ChannelContext

__all__ = ["serve"]

_CARD_PATH: Final = "/.well-known/agent-card.json"
_CLIENT: Final = "homeagent.client"
_LARGEST_BODY: Final = 1_000_000


class _Client(User):
    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def is_authenticated(self) -> bool:
        return bool(self._name)

    @property
    def user_name(self) -> str:
        return self._name


class _Contexts(DefaultServerCallContextBuilder):
    def build_user(self, request: Request) -> User:
        return _Client(str(request.scope.get(_CLIENT, "")))


class _Known:
    """Lets nobody in whose token is not known, nor bodies that are too large. The card is for everybody."""

    def __init__(self, app: ASGIApp, settings: A2aSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == _CARD_PATH:
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        scheme, _, token = headers.get("authorization", "").partition(" ")
        client = self._settings.client_with(token.strip()) if scheme.casefold() == "bearer" else ""
        length = headers.get("content-length", "")
        if not client:
            answer = JSONResponse({"error": "unknown token"}, 401, {"WWW-Authenticate": "Bearer"})
        elif not length.isdecimal() or int(length) > _LARGEST_BODY:
            answer = JSONResponse({"error": f"a body of at most {_LARGEST_BODY} bytes"}, 413)
        else:
            scope[_CLIENT] = client
            await self._app(scope, receive, send)
            return
        await answer(scope, receive, send)


class _Home(AgentExecutor):
    """Turns a question into a message of the channel, and the answer of its turn into the task's artifact."""

    def __init__(self, context: ChannelContext, exchange: Exchange) -> None:
        self._context = context
        self._exchange = exchange

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Have a question answered."""
        message = context.message
        if message is None or not context.task_id or not context.context_id:
            return
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        client = context.call_context.user.user_name
        chat = f"{client}/{context.context_id}"
        arrival = Arrival(
            chat, client, context.get_user_input(), id=message.message_id, sender_name=client, addressed=True
        )
        with self._exchange.waiting(chat) as waiter:
            if not await self._context.arrived(arrival):
                reason = "This home does not answer you, or has this message already."
                await updater.reject(updater.new_agent_message([new_text_part(reason)]))
                return
            answer = await waiter.answer()
        await updater.add_artifact([new_text_part(answer)], name="answer")
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Wait for an answer no longer; the turn itself goes on and is remembered."""
        if context.task_id and context.context_id:
            await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: they belong to the process of the plugin."""
        yield


async def serve(context: ChannelContext, settings: A2aSettings, exchange: Exchange) -> None:
    """Serve until cancelled. Raises ``OSError`` when the port is taken."""
    listening = socket.create_server((settings.host, settings.port), reuse_port=False)
    address = settings.public_url.rstrip("/") or f"http://{settings.host}:{settings.port}"
    card = _card(settings, f"{address}/")
    handler = DefaultRequestHandlerV2(_Home(context, exchange), InMemoryTaskStore(), card)
    routes = [*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/", context_builder=_Contexts())]
    app = _Known(Starlette(routes=routes), settings)
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=2)
    server = _Server(config)
    context.log.info("other agents may speak to this home at %s", address)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        listening.close()


def _card(settings: A2aSettings, address: str) -> AgentCard:
    bearer = SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="bearer"))
    skill = AgentSkill(
        id="talk",
        name="Talk",
        description="Answers in words, in English and Chinese, with the tools and the memory that this client may use.",
        tags=["assistant", "memory"],
    )
    return AgentCard(
        name=settings.title,
        description="The assistant of a household.",
        version="1.0.0",
        supported_interfaces=[AgentInterface(url=address, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True, push_notifications=False),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[skill],
        security_schemes={"bearer": bearer},
        security_requirements=[SecurityRequirement(schemes={"bearer": StringList(list=[])})],
    )
