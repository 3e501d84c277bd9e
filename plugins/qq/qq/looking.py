"""Tools that read what was said and sent. Each has a cleaner: the answers are JSON, what counts in them is words."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent_sdk import ToolContext, ToolError, tool
from qq.bot import Bot
from qq.chats import chat_of_message, is_owner_alone, may_look, number_in, read_chat
from qq.cleaning import (
    words_of_document,
    words_of_downloads,
    words_of_files,
    words_of_message,
    words_of_messages,
    words_of_video,
)
from qq.codes import Code, as_text, codes_in
from qq.documents import document_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qq.chats import QqChat
    from qq.downloads import Task

__all__ = [
    "qq_get_download_tasks",
    "qq_get_group_files",
    "qq_get_history",
    "qq_get_message",
    "qq_read_document",
    "qq_video_download",
    "said_with",
]

_MOST_MESSAGES: Final = 200
_SENDER: Final = ("user_id", "nickname", "card", "role")


@tool(cleaner=words_of_message, parallel=True)
async def qq_get_message(context: ToolContext, message_id: int) -> str:
    """Read one message of QQ by its id, e.g. the one that another answers, whole.

    Args:
        message_id: The id, as in [CQ:reply,id=...].
    """
    found, _ = await _message(context, message_id)
    return _as_json(_told(found))


@tool(cleaner=words_of_messages, parallel=True)
async def qq_get_history(context: ToolContext, chat: str = "", count: int = 20, before: int | None = None) -> str:
    """Read the last messages of a chat of QQ, the newest last, each whole.

    Args:
        chat: The chat, e.g. "group:123456" or "private:10001"; this one if left out.
        count: How many, 1 to 200.
        before: Only those up to the message with this id.
    """
    if not 1 <= count <= _MOST_MESSAGES:
        raise ToolError("count", f"is {count}", f"Give 1 to {_MOST_MESSAGES}")
    place = read_chat(chat or context.chat)
    may_look(context, place)
    action = "get_group_msg_history" if place.is_group else "get_friend_msg_history"
    number = {"group_id": place.number} if place.is_group else {"user_id": place.number}
    found = await context.state(Bot).onebot.table(action, **number, count=count, message_seq=before)
    messages = found.get("messages")
    rows = [each for each in messages if isinstance(each, dict)] if isinstance(messages, list) else []
    return _as_json({"chat": str(place), "messages": [_told(each) for each in rows[-count:]]})


@tool(cleaner=words_of_files, parallel=True)
async def qq_get_group_files(context: ToolContext, group: int, folder_id: str = "") -> str:
    """List the files and folders that a group shares.

    Args:
        group: The group's number.
        folder_id: The folder to look into, as an earlier list gives it; the top if left out.
    """
    may_look(context, read_chat(f"group:{group}", "group"), "group")
    onebot = context.state(Bot).onebot
    if folder_id:
        found = await onebot.table("get_group_files_by_folder", group_id=group, folder_id=folder_id)
    else:
        found = await onebot.table("get_group_root_files", group_id=group)
    return _as_json({name: found.get(name) or [] for name in ("folders", "files")})


@tool(cleaner=words_of_downloads, parallel=True)
async def qq_get_download_tasks(context: ToolContext) -> str:
    """List the files that are being fetched or were fetched from QQ, with where they lie. For the owner, in private."""
    if not is_owner_alone(context):
        raise ToolError("", "only the owner may see what was fetched, and in private", "Tell the person so")
    return _as_json({"tasks": [asdict(task) for task in context.state(Bot).downloads.tasks]})


@tool(cleaner=words_of_document, timeout=300)
async def qq_read_document(context: ToolContext, message_id: int) -> str:
    """Read a document that was sent as a file: text, PDF, Word or Excel, whole.

    Args:
        message_id: The id of the message that the file came with.
    """
    found, place = await _message(context, message_id)
    task = await _fetched(context, found, place, ("file",))
    content = await asyncio.to_thread(document_words, Path(task.path), task.name)
    return _as_json({"message_id": message_id, "name": task.name, "bytes": task.bytes, "content": content})


@tool(cleaner=words_of_video, timeout=900)
async def qq_video_download(context: ToolContext, message_id: int) -> str:
    """Fetch a video that was sent, and tell where it lies.

    Args:
        message_id: The id of the message that the video came with.
    """
    found, place = await _message(context, message_id)
    task = await _fetched(context, found, place, ("video", "file"))
    return _as_json({**_told(found), "name": task.name, "bytes": task.bytes, "path": task.path})


async def said_with(
    context: ToolContext, message: Mapping[str, object], place: QqChat, kinds: tuple[str, ...]
) -> tuple[str, str]:
    """Return the address and name of the file that came with a message. Raises ``ToolError`` when there is none."""
    codes = [*codes_in(as_text(message.get("message"))), *codes_in(str(message.get("raw_message") or ""))]
    code = next((each for each in codes if each.kind in kinds), None)
    if code is None:
        hint = "Look at the messages with qq_get_history"
        raise ToolError("message_id", f"no {kinds[0]} came with this message", hint)
    name = code.values.get("name") or code.values.get("file") or code.kind
    return await _address(context, code, place), name


async def _address(context: ToolContext, code: Code, place: QqChat) -> str:
    address, onebot = code.values.get("url", ""), context.state(Bot).onebot
    if address.startswith(("http://", "https://")):
        return address
    number = code.values.get("file_id") or code.values.get("file", "")
    if code.kind == "file" and place.is_group:
        found = await onebot.table("get_group_file_url", group_id=place.number, file_id=number)
    elif code.kind == "file":
        found = await onebot.table("get_private_file_url", user_id=place.number, file_id=number)
    else:
        found = await onebot.table("get_file", file_id=number, file=number)
    address = str(found.get("url") or "")
    if not address.startswith(("http://", "https://")):  # a path on the machine of the OneBot server
        raise ToolError("message_id", "the OneBot server gives no address to fetch it from", "Say so")
    return address


async def _message(context: ToolContext, message_id: int) -> tuple[Mapping[str, object], QqChat]:
    """Return a message and the chat it is from, which may be looked into. Raises ``ToolError``."""
    bot = context.state(Bot)
    found = await bot.onebot.table("get_msg", message_id=message_id)
    place = chat_of_message(found, await bot.own_number())
    may_look(context, place, "message_id")
    return found, place


async def _fetched(context: ToolContext, message: Mapping[str, object], place: QqChat, kinds: tuple[str, ...]) -> Task:
    address, name = await said_with(context, message, place, kinds)
    downloads = context.state(Bot).downloads
    return await downloads.finish(downloads.begin(address, name))


def _told(message: Mapping[str, object]) -> dict[str, object]:
    """Return of a message what the model needs: who, when, and all of what was said."""
    sender = message.get("sender")
    who = {name: sender[name] for name in _SENDER if sender.get(name)} if isinstance(sender, dict) else {}
    raw = message.get("raw_message")
    text = raw if isinstance(raw, str) and raw else as_text(message.get("message"))
    seconds = number_in(message, "time")
    at = datetime.fromtimestamp(seconds, UTC).astimezone().isoformat() if seconds else ""
    return {"message_id": message.get("message_id"), "time": at, "sender": who, "raw_message": text}


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
