"""The plugin ``qq``: QQ as a channel, and tools for it, over a OneBot v11 implementation such as NapCat."""

from homeagent_sdk import Capabilities, Channel, MemoryPolicy, Plugin, function_cleaner
from qq.acting import (
    qq_download_file,
    qq_friend_action,
    qq_group_manage,
    qq_send_file,
    qq_send_like,
    qq_upload_group_file,
)
from qq.bot import start, stop
from qq.channel import QqConnection
from qq.chats import CHANNEL
from qq.cleaning import message_words
from qq.looking import (
    qq_get_download_tasks,
    qq_get_group_files,
    qq_get_history,
    qq_get_message,
    qq_read_document,
    qq_video_download,
)
from qq.naming import (
    qq_get_friends,
    qq_get_group_member_info,
    qq_get_groups,
    qq_list_chats,
    qq_resolve_name,
    qq_resolve_nickname,
)
from qq.settings import QqSettings

__all__ = ["plugin"]

_WORDS = MemoryPolicy(cleaner=function_cleaner(message_words))

# The whole plugin.
plugin = Plugin(
    "qq",
    "1.0.0",
    tools=[
        qq_get_message,
        qq_get_history,
        qq_get_group_files,
        qq_get_download_tasks,
        qq_read_document,
        qq_video_download,
        qq_list_chats,
        qq_get_groups,
        qq_get_friends,
        qq_resolve_name,
        qq_resolve_nickname,
        qq_get_group_member_info,
        qq_group_manage,
        qq_friend_action,
        qq_download_file,
        qq_send_file,
        qq_upload_group_file,
        qq_send_like,
    ],
    channels=[
        Channel(CHANNEL, QqConnection, Capabilities(length=4_000, attachments=True), input=_WORDS, output=_WORDS)
    ],
    settings=QqSettings,
    on_start=start,
    on_stop=stop,
)
