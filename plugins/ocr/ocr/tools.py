"""The tool ``ocr_image``."""

from __future__ import annotations

import json

from homeagent_sdk import ToolContext, tool
from ocr.cleaning import only_text
from ocr.pictures import OcrSettings, open_picture
from ocr.reader import Reader

__all__ = ["ocr_image"]


@tool(cleaner=only_text, timeout=120)
def ocr_image(context: ToolContext, path: str) -> str:
    """Read the text in a picture (Chinese and English); JSON with each line, how sure it is, and where it stands.

    Args:
        path: The picture, e.g. "receipts/2026-05.jpg".
    """
    picture = open_picture(context, path)
    lines = context.state(Reader).read(picture, context.settings(OcrSettings).least_score)
    answer = {
        "path": path,
        "width": picture.width,
        "height": picture.height,
        "lines": [each._asdict() for each in lines],
    }
    return json.dumps(answer, ensure_ascii=False)
