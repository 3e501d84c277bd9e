"""Another agent on this machine, made with the official SDK: it answers at once, with a task, slowly, or fails."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from typing import TYPE_CHECKING

import uvicorn
from a2a.helpers import new_data_part, new_raw_part, new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from a2a.server.agent_execution import RequestContext
    from a2a.server.events import EventQueue

TRAINS = "ICE 1234 leaves platform 7 at 09:41"


class Peer(AgentExecutor):
    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        asked = context.get_user_input()
        if asked.startswith("at once"):
            answer = new_text_message(f"轨道 7，09:41 发车。 You said: {asked}", context_id=context.context_id)
            await event_queue.enqueue_event(answer)
            return
        assert context.message is not None
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")
        await updater.start_work(updater.new_agent_message([new_text_part("looking it up")]))
        if asked.startswith("fail"):
            await updater.failed(updater.new_agent_message([new_text_part("没有这趟车 there is no such train")]))
            return
        if asked.startswith("slow"):
            await asyncio.sleep(1.5)
        if asked.startswith("ask back"):
            await updater.requires_input(updater.new_agent_message([new_text_part("Which day?")]))
            return
        await updater.add_artifact(
            [
                new_text_part(f"{TRAINS}\n第二行：二等座"),
                new_data_part({"price": 49, "currency": "EUR", "seats": [{"class": "二等座", "left": 3.5}]}),
                new_raw_part(b"\x89PNG-ticket", media_type="image/png", filename="ticket.png"),
            ],
            name="connection",
        )
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id or "", context.context_id or "").cancel()


@contextlib.contextmanager
def peer(*, leads_to: str = "", token: str = "") -> Iterator[str]:
    """Run the agent; yield its address. ``leads_to`` is another address that its card names."""
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    interface = AgentInterface(url=leads_to or f"{address}/", protocol_binding="JSONRPC", protocol_version="1.0")
    skill = AgentSkill(id="trains", name="Trains", description="Finds trains. 查火车。", tags=["travel"])
    card = AgentCard(
        name="Timetable",
        description="Knows the trains.",
        version="2.1",
        supported_interfaces=[interface],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[skill],
    )
    handler = DefaultRequestHandlerV2(Peer(), InMemoryTaskStore(), card)
    app = Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")])

    async def guarded(scope: dict, receive: object, send: object) -> None:
        headers = dict(scope.get("headers", []))
        if token and headers.get(b"authorization") != f"Bearer {token}".encode():
            await JSONResponse({"error": "who are you?"}, 401)(scope, receive, send)
            return
        await app(scope, receive, send)

    server = uvicorn.Server(uvicorn.Config(guarded, log_config=None, lifespan="off", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()
