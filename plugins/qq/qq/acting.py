"""Tools that change something. All are ``no_memory``, the owner's alone, and asked about before they are done.

One thing is done once a turn: models repeat themselves, and a file sent twice can't be taken back.
"""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path  # noqa: TC003 - tools are read with their annotations
from typing import TYPE_CHECKING, Final, Literal

from homeagent_sdk import ToolContext, ToolError, tool
from qq.bot import Bot
from qq.chats import chat_of_message, owner_only, read_chat
from qq.looking import said_with

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "qq_download_file",
    "qq_friend_action",
    "qq_group_manage",
    "qq_send_file",
    "qq_send_like",
    "qq_upload_group_file",
]

_MOST_BYTES: Final = 100_000_000
_MOST_MUTED: Final = 30 * 24 * 60

GroupAction = Literal[
    "kick", "mute", "unmute", "mute_all", "unmute_all", "set_card", "set_title", "set_admin", "unset_admin",
    "rename", "recall", "approve", "reject", "leave",
]  # fmt: skip
FriendAction = Literal["approve", "reject", "remark", "delete"]

_NEEDS_USER: Final = frozenset({"kick", "mute", "unmute", "set_card", "set_title", "set_admin", "unset_admin"})


@tool(no_memory=True, confirm=True)
async def qq_group_manage(
    context: ToolContext, group: int, action: GroupAction, user: int = 0, value: str = "", minutes: int = 10
) -> str:
    """Manage a group of QQ. Only for the owner, who is asked first.

    Args:
        group: The group's number.
        action: What to do.
        user: The member's QQ number, for what is done to a member.
        value: The new card, title or name; the id of the message to recall; the flag of the request to answer.
        minutes: For how long to mute.
    """
    owner_only(context)
    if action in _NEEDS_USER and user <= 0:
        raise ToolError("user", "is missing", "Give the member's number; qq_resolve_nickname tells it")
    if not 1 <= minutes <= _MOST_MUTED:
        raise ToolError("minutes", f"is {minutes}", f"Give 1 to {_MOST_MUTED}")
    call, values = _managing(group, action, user, value, minutes)
    return await _once(context, call, values, f"Done: {action} in group {group}")


@tool(no_memory=True, confirm=True)
async def qq_friend_action(context: ToolContext, action: FriendAction, user: int = 0, value: str = "") -> str:
    """Answer a friend request, or change or end a friendship of the bot. Only for the owner, who is asked first.

    Args:
        action: What to do.
        user: The friend's QQ number, for remark and delete.
        value: The flag of the request, for approve and reject; the new remark.
    """
    owner_only(context)
    if action in ("remark", "delete") and user <= 0:
        raise ToolError("user", "is missing", "Give the friend's number; qq_resolve_name tells it")
    calls: dict[str, tuple[str, dict[str, object]]] = {
        "approve": ("set_friend_add_request", {"flag": value, "approve": True}),
        "reject": ("set_friend_add_request", {"flag": value, "approve": False}),
        "remark": ("set_friend_remark", {"user_id": user, "remark": value}),
        "delete": ("delete_friend", {"user_id": user}),
    }
    return await _once(context, *calls[action], f"Done: {action}")


@tool(no_memory=True, confirm=True)
async def qq_download_file(context: ToolContext, message_id: int) -> str:
    """Begin to fetch the file, video or picture that came with a message; qq_get_download_tasks tells when it is there.

    Args:
        message_id: The id of the message it came with.
    """
    owner_only(context)
    bot = context.state(Bot)
    found = await bot.onebot.table("get_msg", message_id=message_id)
    place = chat_of_message(found, await bot.own_number())
    address, name = await said_with(context, found, place, ("file", "video", "image", "record"))
    bot.once_a_turn(context, "download", {"message_id": message_id})
    task = bot.downloads.begin(address, name)
    return f"Download {task.id} has begun: {task.name}, to {task.path}"


@tool(no_memory=True, confirm=True, timeout=300)
async def qq_send_file(context: ToolContext, chat: str, path: Path, name: str = "") -> str:
    """Send a file to a chat of QQ. Only for the owner, who is asked first.

    Args:
        chat: The chat, e.g. "group:123456" or "private:10001".
        path: The file: one that was fetched from QQ, or in a folder that the owner lets the plugin read.
        name: What it is called there; its own name if left out.
    """
    owner_only(context)
    place = read_chat(chat)
    segment = {"type": "file", "data": {"file": await _coded(path), "name": name or path.name}}
    number = {"group_id": place.number} if place.is_group else {"user_id": place.number}
    values = {**number, "message": [segment]}
    return await _once(context, f"send_{place.kind}_msg", values, f"Sent {name or path.name} to {place}")


@tool(no_memory=True, confirm=True, timeout=300)
async def qq_upload_group_file(
    context: ToolContext, group: int, path: Path, name: str = "", folder_id: str = ""
) -> str:
    """Put a file among the files that a group shares. Only for the owner, who is asked first.

    Args:
        group: The group's number.
        path: The file: one that was fetched from QQ, or in a folder that the owner lets the plugin read.
        name: What it is called there; its own name if left out.
        folder_id: The folder to put it in, as qq_get_group_files gives it; the top if left out.
    """
    owner_only(context)
    values = {"group_id": group, "file": await _coded(path), "name": name or path.name}
    if folder_id:
        values["folder"] = folder_id
    return await _once(context, "upload_group_file", values, f"Put {name or path.name} into group {group}")


@tool(no_memory=True, confirm=True)
async def qq_send_like(context: ToolContext, user: int, times: int = 1) -> str:
    """Send likes to somebody's QQ profile. Only for the owner, who is asked first.

    Args:
        user: The QQ number.
        times: How many, 1 to 20.
    """
    owner_only(context)
    if not 1 <= times <= 20:
        raise ToolError("times", f"is {times}", "Give 1 to 20")
    return await _once(context, "send_like", {"user_id": user, "times": times}, f"Sent {times} to {user}")


def _managing(group: int, action: GroupAction, user: int, value: str, minutes: int) -> tuple[str, dict[str, object]]:
    """Return the call of OneBot that an action means."""
    of_group: dict[str, object] = {"group_id": group}
    of_member = {**of_group, "user_id": user}
    match action:
        case "kick":
            return "set_group_kick", of_member
        case "mute" | "unmute":
            return "set_group_ban", {**of_member, "duration": minutes * 60 if action == "mute" else 0}
        case "mute_all" | "unmute_all":
            return "set_group_whole_ban", {**of_group, "enable": action == "mute_all"}
        case "set_card":
            return "set_group_card", {**of_member, "card": value}
        case "set_title":
            return "set_group_special_title", {**of_member, "special_title": value}
        case "set_admin" | "unset_admin":
            return "set_group_admin", {**of_member, "enable": action == "set_admin"}
        case "rename":
            return "set_group_name", {**of_group, "group_name": value}
        case "recall" if value.lstrip("-").isdecimal():
            return "delete_msg", {"message_id": int(value)}
        case "approve" | "reject" if value:
            return "set_group_add_request", {"flag": value, "approve": action == "approve"}
        case "leave":
            return "set_group_leave", of_group
    raise ToolError("value", "is missing", "Give the id of the message, or the flag of the request")


async def _once(context: ToolContext, call: str, values: Mapping[str, object], said: str) -> str:
    bot = context.state(Bot)
    bot.once_a_turn(context, call, values)
    try:
        await bot.onebot.call(call, **values)
    except ToolError:
        bot.forget_done(context, call, values)
        raise
    return said


async def _coded(path: Path) -> str:
    """Return a file as OneBot takes it, so that the server need not see this machine's files."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ToolError("path", f"it has more than {_MOST_BYTES:,} bytes", "Send a smaller one")
        data = await asyncio.to_thread(path.read_bytes)
    except OSError as error:
        hint = "Give a file that was fetched from QQ, or let the owner give the plugin the folder to read"
        raise ToolError("path", f"{path} can't be read ({error.strerror or error})", hint) from None
    return f"base64://{base64.b64encode(data).decode('ascii')}"
