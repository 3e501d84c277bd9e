"""The channel: events of the OneBot WebSocket come in, answers go out by its HTTP server.

What is handed in is the message as OneBot writes it, byte for byte (``raw_message``); `message_words` says what of it
is computed. Answers go out as plain text segments, so that nothing a model writes becomes a code.
"""

from __future__ import annotations

import base64
import json
import mimetypes
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from homeagent_sdk import Arrival, Attachment, ChannelContext, Connection, Outgoing, RefusedError, ToolError
from qq.bot import Bot
from qq.chats import QqChat, chat_of_message, number_in, read_chat
from qq.codes import as_text, codes_in
from qq.missed import LastHeard, missed
from qq.onebot import RefusalError
from qq.settings import QqSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["QqConnection"]

_MEMBERS_SECONDS: Final = 600.0
_LARGEST_EVENT: Final = 16 << 20
_MOST_PICTURES: Final = 8
_GONE_FOR_GOOD: Final = ("不存在", "已退出", "被禁言", "not in group", "not friend", "不是好友")


class QqConnection(Connection):
    """One connection to a OneBot implementation."""

    def __init__(self, context: ChannelContext) -> None:
        super().__init__(context)
        self._bot = context.state(Bot)
        self._settings = context.settings(QqSettings)
        self._members: dict[int, tuple[float, tuple[str, ...]]] = {}
        self._last = LastHeard(context.data_folder / "last_heard")

    async def listen(self) -> None:
        """Take events until the connection ends; the program makes it anew."""
        token = self._settings.token.reveal()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        own = await self._bot.own_number()
        try:
            async with connect(self._settings.ws_url, additional_headers=headers, max_size=_LARGEST_EVENT) as socket:
                self.context.log.info("listening to QQ as %s", own)
                await self._catch_up(own)
                async for frame in socket:
                    await self._take(frame, own)
        except WebSocketException as error:
            raise ConnectionError(f"the OneBot WebSocket ended ({error})") from error

    async def send(self, message: Outgoing) -> str:
        """Send a message; one that was sent already and is tried again is not sent twice."""
        if message.key in self._bot.sent:
            return self._bot.sent[message.key]
        chat = read_chat(message.chat)
        reply = [{"type": "reply", "data": {"id": message.reply_to}}] if message.reply_to else []
        text = [{"type": "text", "data": {"text": message.text}}] if message.text else []
        segments = [*reply, *text, *(_segment(each) for each in message.attachments)]
        number = {"group_id": chat.number} if chat.is_group else {"user_id": chat.number}
        try:
            done = await self._bot.onebot.table(f"send_{chat.kind}_msg", **number, message=segments)
        except RefusalError as refusal:
            if any(each in refusal.reason for each in _GONE_FOR_GOOD):
                raise RefusedError(refusal.reason) from None
            raise ConnectionError(refusal.reason) from None
        except ToolError as error:
            raise ConnectionError(error.reason) from None
        sent = str(done.get("message_id", ""))
        self._bot.remember_sent(message.key or sent, sent)
        return sent

    async def _catch_up(self, own: int) -> None:
        """Hand in what came while nobody listened; nothing the first time."""
        if not self._last.at:
            return
        try:
            messages = await missed(self._bot.onebot, self._last.at)
        except ToolError as error:
            self.context.log.warning("what came in between can't be asked for: %s", error)
            return
        for message in messages:
            await self._take_message(message, own)

    async def _take(self, frame: str | bytes, own: int) -> None:
        try:
            event = json.loads(frame)
        except ValueError:
            self.context.log.warning("an event of the OneBot server is no JSON")
            return
        if not isinstance(event, dict):
            return
        match event.get("post_type"):
            case "message":
                await self._take_message(event, own)
            case "notice" if event.get("notice_type") in ("group_increase", "group_decrease"):
                self._members.pop(number_in(event, "group_id"), None)

    async def _take_message(self, event: Mapping[str, object], own: int) -> None:
        sender, chat = number_in(event, "user_id"), chat_of_message(event, own)
        if not sender or not chat.number or sender == own or event.get("sub_type") == "anonymous":
            return
        if not self._settings.hears(sender, chat.number if chat.is_group else None):
            return
        raw = event.get("raw_message")
        text = raw if isinstance(raw, str) and raw else as_text(event.get("message"))
        who = event.get("sender")
        reply_to = next((code.values.get("id", "") for code in codes_in(text) if code.kind == "reply"), "")
        arrival = Arrival(
            str(chat),
            str(sender),
            text,
            id=str(event.get("message_id", "")),
            members=await self._members_of(chat, own),
            sender_name=_shown_name(who if isinstance(who, dict) else {}),
            group=chat.is_group,
            addressed=await self._is_addressed(text, reply_to, own),
            attachments=await self._pictures(text),
            reply_to=reply_to,
            at=_moment(event.get("time")),
        )
        await self.context.arrived(arrival)
        self._last.heard(number_in(event, "time"))

    async def _is_addressed(self, text: str, reply_to: str, own: int) -> bool:
        """Whether the bot is mentioned, by its number and not its name, or something it said is answered."""
        if any(code.kind == "at" and code.values.get("qq") == str(own) for code in codes_in(text)):
            return True
        if not reply_to:
            return False
        if reply_to in self._bot.sent.values():
            return True
        try:
            answered = await self._bot.onebot.table("get_msg", message_id=int(reply_to))
        except (ToolError, ValueError):
            return False
        return number_in(answered, "user_id") == own

    async def _members_of(self, chat: QqChat, own: int) -> tuple[str, ...]:
        """Return the numbers of who can read along; none when they can't be told: then nothing is recalled there."""
        if not chat.is_group:
            return (str(chat.number),)
        known = self._members.get(chat.number)
        if known is not None and time.monotonic() - known[0] < _MEMBERS_SECONDS:
            return known[1]
        try:
            rows = await self._bot.onebot.rows("get_group_member_list", group_id=chat.number)
        except ToolError as error:
            self.context.log.warning("the members of %s can't be told: %s", chat, error)
            return ()
        members = tuple(str(number_in(row, "user_id")) for row in rows if number_in(row, "user_id") != own)
        self._members[chat.number] = (time.monotonic(), members)
        return members

    async def _pictures(self, text: str) -> tuple[Attachment, ...]:
        addresses = [code.values.get("url", "") for code in codes_in(text) if code.kind == "image"]
        found = []
        for address in [each for each in addresses if each][:_MOST_PICTURES]:
            try:
                data = await self._bot.downloads.picture(address)
            except (ToolError, OSError) as error:
                self.context.log.warning("a picture can't be fetched: %s", error)
                continue
            found.append(Attachment(_picture_type(data), data))
        return tuple(found)


def _segment(attachment: Attachment) -> dict[str, object]:
    coded = f"base64://{base64.b64encode(attachment.data).decode('ascii')}"
    kind, name = attachment.media_type.partition("/")[0], attachment.name
    if kind == "image":
        return {"type": "image", "data": {"file": coded}}
    ending = mimetypes.guess_extension(attachment.media_type) or ""
    return {"type": "file", "data": {"file": coded, "name": name or f"file{ending}"}}


def _picture_type(data: bytes) -> str:
    for start, kind in ((b"\x89PNG", "png"), (b"\xff\xd8", "jpeg"), (b"GIF8", "gif"), (b"RIFF", "webp")):
        if data.startswith(start):
            return f"image/{kind}"
    return "application/octet-stream"


def _shown_name(sender: Mapping[str, object]) -> str:
    names = (sender.get("card"), sender.get("nickname"))
    return next((name for name in names if isinstance(name, str) and name), "")


def _moment(seconds: object) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int | float) and seconds > 0 else None
