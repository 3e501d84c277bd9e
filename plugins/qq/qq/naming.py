"""Tools that tell who and what there is: names with their numbers. Plain: short lines, no wrapping."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from homeagent_sdk import ToolContext, ToolError, tool
from qq.bot import Bot
from qq.chats import QqChat, is_owner_alone, may_look, number_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "qq_get_friends",
    "qq_get_group_member_info",
    "qq_get_groups",
    "qq_list_chats",
    "qq_resolve_name",
    "qq_resolve_nickname",
]

_PRIVATE, _GROUP = 1, 2
_ROLES: Final = {"owner": "owner 群主", "admin": "admin 管理员", "member": "member 成员"}
_SEXES: Final = {"male": "male 男", "female": "female 女"}


@tool(parallel=True)
async def qq_list_chats(context: ToolContext, count: int = 20) -> str:
    """List the chats of QQ in which something was said last, each as group:NUMBER or private:NUMBER. For the owner.

    Args:
        count: How many, 1 to 100.
    """
    _owner_alone(context)
    if not 1 <= count <= 100:
        raise ToolError("count", f"is {count}", "Give 1 to 100")
    rows = await context.state(Bot).onebot.rows("get_recent_contact", count=count)
    chats = {_PRIVATE: "private", _GROUP: "group"}
    lines = []
    for row in rows:
        kind = chats.get(number_in(row, "chatType"))
        if kind is not None:
            name = _first(row, "remark", "peerName", "sendNickName")
            lines.append(f"{QqChat(kind, number_in(row, 'peerUin'))} {name}{_last(number_in(row, 'msgTime'))}")
    return _listed(lines)


@tool(parallel=True)
async def qq_get_groups(context: ToolContext) -> str:
    """List the groups that the bot is in, with their numbers. For the owner, in private."""
    _owner_alone(context)
    rows = await context.state(Bot).onebot.rows("get_group_list")
    return _listed(f"{_group(row)}, {number_in(row, 'member_count')} members" for row in rows)


@tool(parallel=True)
async def qq_get_friends(context: ToolContext) -> str:
    """List the friends of the bot, with their numbers. For the owner, in private."""
    _owner_alone(context)
    rows = await context.state(Bot).onebot.rows("get_friend_list")
    return _listed(_friend(row) for row in rows)


@tool(parallel=True)
async def qq_resolve_name(context: ToolContext, name: str) -> str:
    """Find the groups and friends that are called so, or partly so: names are not unique, numbers are. For the owner.

    Args:
        name: The name of a group, or the name or remark of a friend.
    """
    _owner_alone(context)
    wanted = _wanted(name, "name")
    onebot = context.state(Bot).onebot
    groups = [row for row in await onebot.rows("get_group_list") if wanted in _names(row, "group_name", "group_remark")]
    friends = [row for row in await onebot.rows("get_friend_list") if wanted in _names(row, "nickname", "remark")]
    return _listed([*map(_group, groups), *map(_friend, friends)])


@tool(parallel=True)
async def qq_resolve_nickname(context: ToolContext, group: int, nickname: str) -> str:
    """Find the members of a group that are called so, or partly so, with their numbers.

    Args:
        group: The group's number.
        nickname: Their name in this group, or on QQ.
    """
    may_look(context, QqChat("group", group), "group")
    wanted = _wanted(nickname, "nickname")
    rows = await context.state(Bot).onebot.rows("get_group_member_list", group_id=group)
    return _listed(_member(row) for row in rows if wanted in _names(row, "card", "nickname"))


@tool(parallel=True)
async def qq_get_group_member_info(context: ToolContext, group: int, user: int) -> str:
    """Tell what a group knows of one of its members.

    Args:
        group: The group's number.
        user: The member's QQ number.
    """
    may_look(context, QqChat("group", group), "group")
    found = await context.state(Bot).onebot.table("get_group_member_info", group_id=group, user_id=user, no_cache=True)
    told = [_member(found), _ROLES.get(_first(found, "role"), ""), _SEXES.get(_first(found, "sex"), "")]
    told += [f"title {title}" if (title := _first(found, "title")) else ""]
    told += [f"level {level}" if (level := _first(found, "level")) else ""]
    told += [f"joined {day}" if (day := _day(number_in(found, "join_time"))) else ""]
    told += [f"last spoke {day}" if (day := _day(number_in(found, "last_sent_time"))) else ""]
    return ", ".join(part for part in told if part)


def _owner_alone(context: ToolContext) -> None:
    if not is_owner_alone(context):
        raise ToolError("", "only the owner may see that, and in private", "Tell the person so")


def _wanted(text: str, field: str) -> str:
    plain = text.strip().casefold()
    if not plain:
        raise ToolError(field, "is empty", "Give a name or a part of it")
    return plain


def _names(row: Mapping[str, object], *names: str) -> str:
    return "\n".join(_first(row, name) for name in names).casefold()


def _first(row: Mapping[str, object], *names: str) -> str:
    return next((" ".join(text.split()) for name in names if isinstance(text := row.get(name), str) and text), "")


def _group(row: Mapping[str, object]) -> str:
    return f"{QqChat('group', number_in(row, 'group_id'))} {_first(row, 'group_name')}"


def _friend(row: Mapping[str, object]) -> str:
    remark, nickname = _first(row, "remark"), _first(row, "nickname")
    also = f" ({remark})" if remark and remark != nickname else ""
    return f"{QqChat('private', number_in(row, 'user_id'))} {nickname}{also}"


def _member(row: Mapping[str, object]) -> str:
    card, nickname = _first(row, "card"), _first(row, "nickname")
    also = f" ({nickname})" if card and nickname and card != nickname else ""
    return f"{number_in(row, 'user_id')} {card or nickname}{also}"


def _day(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC).astimezone():%Y-%m-%d}" if seconds else ""


def _last(seconds: int) -> str:
    return f", last {datetime.fromtimestamp(seconds, UTC).astimezone():%Y-%m-%d %H:%M}" if seconds else ""


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(lines) or "There are none."
