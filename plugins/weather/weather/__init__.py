"""The plugin ``weather``: how it is now and how it will be, from open-meteo, which asks for no key."""

from homeagent_sdk import Plugin
from weather.tools import WeatherSettings, weather_forecast, weather_now

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin("weather", "1.0.0", tools=[weather_now, weather_forecast], settings=WeatherSettings)
