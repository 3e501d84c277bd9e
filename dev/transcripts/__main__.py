"""Write the transcripts into ``docs/``."""

from __future__ import annotations

from dev.transcripts.pages import PAGES, written

for page, scenes in PAGES.items():
    page.write_text(written(scenes), encoding="utf-8")
    print(page)
