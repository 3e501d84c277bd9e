"""Replies that leave the person without an answer, and what to say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.models.errors import EmptyReplyError

if TYPE_CHECKING:
    from homeagent.models.messages import Reply

__all__ = ["ENDED_EARLY", "empty_reply", "is_empty"]

ENDED_EARLY: Final = ("length", "refused")
"""Why a reply ended when it was not the model that ended it; asking the same again brings the same."""


def is_empty(reply: Reply, *, may_call: bool) -> bool:
    """Whether a reply has neither words nor, where the model ``may_call``, a call."""
    return not reply.message.text.strip() and not (may_call and reply.message.tool_calls)


def empty_reply(reply: Reply, model: str) -> EmptyReplyError:
    """Return what to say of a reply with nothing in it. ``model`` is the name of what was asked."""
    where = reply.source or model
    match reply.reason:
        case "length":
            problem = "the model's limit was reached before a word of the answer came"
            return EmptyReplyError(where, problem, "Raise reply_tokens in [agent], or ask for less at once")
        case "refused":
            problem = "the answer was held back by the model or its server"
            return EmptyReplyError(where, problem, "Ask it another way, or use another model")
    if reply.message.tool_calls:
        problem = "the model gave no answer, it went on calling tools"
        return EmptyReplyError(where, problem, "Ask again, raise rounds in [agent], or use another model")
    return EmptyReplyError(where, "the model gave no answer", "Ask again, or use another model")
