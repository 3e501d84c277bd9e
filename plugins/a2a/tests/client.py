"""``python client.py ADDRESS TOKEN TEXT``: asks an agent as the official client does, and prints what it answers."""

from __future__ import annotations

import asyncio
import json
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, new_text_message
from a2a.types import GetTaskRequest, Role, SendMessageRequest, TaskState


async def ask(address: str, token: str, text: str) -> dict[str, object]:
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        card = await A2ACardResolver(http, address).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http)).create(card)
        task_id = ""
        async for event in client.send_message(SendMessageRequest(message=new_text_message(text, role=Role.ROLE_USER))):
            task_id = event.task.id or task_id
        task = await client.get_task(GetTaskRequest(id=task_id))
        answers = [get_artifact_text(each) for each in task.artifacts]
        return {"name": card.name, "state": TaskState.Name(task.status.state), "answers": answers}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(ask(*sys.argv[1:4]))))
