"""The page that a home is looked into with: chat, memory, policies, plugins and settings, in English and in Chinese.

Importing this package loads no page library; `homeagent.server.page.mounting` does. Text of any kind, said, remembered
or returned by a tool, reaches the browser as text nodes only: nothing here builds HTML out of it.
"""

from __future__ import annotations

from typing import Final

__all__ = ["ROOT"]

ROOT: Final = "/page"
"""Where the page is, below the address of the server."""
