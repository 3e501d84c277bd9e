"""What runs as long as the plugin does: the OneBot server, the bot's own number, what was sent, the downloads."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from homeagent_sdk import PluginContext, ToolError
from qq.chats import number_in
from qq.downloads import Downloads
from qq.onebot import OneBot
from qq.settings import QqSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent_sdk import ToolContext

__all__ = ["Bot", "start", "stop"]

_REMEMBERED: Final = 1_000


class Bot:
    """The state of the plugin."""

    def __init__(self, onebot: OneBot, downloads: Downloads) -> None:
        self.onebot = onebot
        self.downloads = downloads
        self._own = 0
        self._looking = asyncio.Lock()
        self._done: OrderedDict[tuple[str, ...], None] = OrderedDict()
        self.sent: OrderedDict[str, str] = OrderedDict()
        """The keys of sent messages, each with the id that QQ gave it: what is tried again is not sent twice."""

    async def own_number(self) -> int:
        """Return the bot's own QQ number. Raises ``ToolError``."""
        async with self._looking:
            if not self._own:
                self._own = number_in(await self.onebot.table("get_login_info"), "user_id")
            return self._own

    def remember_sent(self, key: str, message: str) -> None:
        """Note that a message was sent."""
        self.sent[key] = message
        while len(self.sent) > _REMEMBERED:
            self.sent.popitem(last=False)

    def once_a_turn(self, context: ToolContext, action: str, values: Mapping[str, object]) -> None:
        """Raise ``ToolError`` when this very thing was done in this turn already: models repeat themselves."""
        key = (context.turn_id or context.chat, action, json.dumps(values, sort_keys=True, ensure_ascii=False))
        if key in self._done:
            raise ToolError("", "this very thing was done in this turn already", "Don't do it again; go on")
        self._done[key] = None
        while len(self._done) > _REMEMBERED:
            self._done.popitem(last=False)

    def forget_done(self, context: ToolContext, action: str, values: Mapping[str, object]) -> None:
        """Let something be tried again that failed."""
        key = (context.turn_id or context.chat, action, json.dumps(values, sort_keys=True, ensure_ascii=False))
        self._done.pop(key, None)


async def start(context: PluginContext) -> Bot:
    """Make what the tools and the channel share; nothing is connected yet."""
    settings = context.settings(QqSettings)
    return Bot(OneBot(settings), Downloads(context.data_folder / "downloads", settings))


async def stop(context: PluginContext) -> None:
    """End downloads and close connections."""
    bot = context.state(Bot)
    await bot.downloads.stop()
    await bot.onebot.close()
