"""The plugin ``ocr``: reads the Chinese and English text in a picture, on this machine, without a network."""

from homeagent_sdk import Plugin
from ocr.pictures import OcrSettings
from ocr.reader import Reader
from ocr.tools import ocr_image

__all__ = ["plugin"]

# The whole plugin.
plugin = Plugin("ocr", "1.0.0", tools=[ocr_image], settings=OcrSettings, on_start=lambda _context: Reader())
