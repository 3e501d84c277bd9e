"""Models: one protocol; any OpenAI-compatible server, several of them, none, or a script behind it.

router = Router([Source("home", "http://127.0.0.1:11434/v1", "qwen3:8b")])
async with aclosing(router.stream(ModelRequest((Message("user", "hello"),)))) as events:
    async for event in events: ...  # TextDelta, ReasoningDelta, ToolCallStarted, and last the Reply

Importing it loads no network client; that happens with the first request.
"""

from __future__ import annotations

from homeagent.models.checks import SourceCheck
from homeagent.models.cost import Cost, Price, cost
from homeagent.models.errors import (
    BrokenReplyError,
    BusyError,
    ContextTooLongError,
    CreditError,
    EmptyReplyError,
    KeyMissingError,
    KeyRefusedError,
    ModelError,
    ModelTimeoutError,
    NoSourceError,
    RequestRefusedError,
    ScriptError,
    ServerDownError,
)
from homeagent.models.messages import (
    Attachment,
    FinishReason,
    Message,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    Recalled,
    Reply,
    Role,
    TextDelta,
    ToolCall,
    ToolCallStarted,
    ToolSpec,
    Usage,
    is_taken,
)
from homeagent.models.offline import AnswerFromMemory, OfflineModel, answer_from_memory
from homeagent.models.openai_compatible import OpenAICompatibleModel
from homeagent.models.protocol import Model, complete
from homeagent.models.router import Router, SourceState, SourceStatus
from homeagent.models.scripted import Say, ScriptedModel, Step
from homeagent.models.sources import Source, Timeouts
from homeagent.models.tokens import TokenEstimator
from homeagent.models.tool_command import parse_tool_command

__all__ = [
    "AnswerFromMemory",
    "Attachment",
    "BrokenReplyError",
    "BusyError",
    "ContextTooLongError",
    "Cost",
    "CreditError",
    "EmptyReplyError",
    "FinishReason",
    "KeyMissingError",
    "KeyRefusedError",
    "Message",
    "Model",
    "ModelError",
    "ModelEvent",
    "ModelRequest",
    "ModelTimeoutError",
    "NoSourceError",
    "OfflineModel",
    "OpenAICompatibleModel",
    "Price",
    "ReasoningDelta",
    "Recalled",
    "Reply",
    "RequestRefusedError",
    "Role",
    "Router",
    "Say",
    "ScriptError",
    "ScriptedModel",
    "ServerDownError",
    "Source",
    "SourceCheck",
    "SourceState",
    "SourceStatus",
    "Step",
    "TextDelta",
    "Timeouts",
    "TokenEstimator",
    "ToolCall",
    "ToolCallStarted",
    "ToolSpec",
    "Usage",
    "answer_from_memory",
    "complete",
    "cost",
    "is_taken",
    "parse_tool_command",
]
