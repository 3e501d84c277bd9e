"""The plugin ``rss``: RSS and Atom feeds whose new items come into the chat that subscribed to them, each once."""

from homeagent_sdk import Plugin
from rss.reader import start, stop
from rss.settings import RssSettings
from rss.tools import rss_check_now, rss_list, rss_subscribe, rss_unsubscribe

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin(
    "rss",
    "1.0.0",
    tools=[rss_subscribe, rss_unsubscribe, rss_check_now, rss_list],
    settings=RssSettings,
    on_start=start,
    on_stop=stop,
)
