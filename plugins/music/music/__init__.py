"""The plugin ``music``: finds songs and their lyrics at NetEase Cloud Music."""

from homeagent_sdk import Plugin
from music.service import MusicSettings
from music.tools import music_lyrics, music_search

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin("music", "1.0.0", tools=[music_search, music_lyrics], settings=MusicSettings)
