"""The plugin ``bili``: what a video on Bilibili is about, from its page, its chapters and its subtitles."""

from bili.settings import BiliSettings
from bili.tools import bili_video
from homeagent_sdk import Plugin

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin("bili", "1.0.0", tools=[bili_video], settings=BiliSettings)
