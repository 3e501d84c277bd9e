"""On real pages: those of the noise set that lies beside the repository; it is not ours to hand on, so it is not here."""

import gzip
import json
import os
import re
from pathlib import Path

import pytest
from browser.cleaning import main_text

DATA = Path(os.environ.get("HOMEAGENT_DATA") or Path(__file__).parents[4] / "shared" / "data")
SETS = sorted(DATA.glob("toolnoise_*.jsonl.gz"))
LINK = re.compile(r"<a\b[^>]*>(.*?)</a>", re.DOTALL | re.IGNORECASE)

pytestmark = pytest.mark.skipif(not SETS, reason=f"the noise set is not in {DATA}; HOMEAGENT_DATA names another folder")


def pages():
    """Yield each page once, with the fact that was put into it, if any."""
    seen = set()
    for path in SETS:
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            for event in json.loads(line)["events"]:
                for tool in event["tools"]:
                    if tool["name"] == "web_fetch" and tool["sha256"] not in seen:
                        seen.add(tool["sha256"])
                        yield tool["output"], event.get("fact") if event["group"] == "tool_only" else None


def letters(text):
    return re.sub(r"\s", "", text)


def test_a_sentence_that_stands_in_a_real_page_is_kept():
    found = [(fact, letters(fact) in letters(main_text(page))) for page, fact in pages() if fact]
    assert len(found) >= 20
    lost = [fact for fact, is_kept in found if not is_kept]
    assert len(lost) <= 0.02 * len(found), lost


def test_little_is_left_of_a_real_page_that_is_nothing_but_a_link():
    whole = linked = 0
    for page, _ in pages():
        text = main_text(page)
        whole += len(text)
        labels = {re.sub(r"<[^>]+>|\s+", " ", label).strip() for label in LINK.findall(page)}
        linked += sum(len(line) for line in text.splitlines() if line in labels)
    assert linked < 0.05 * whole
