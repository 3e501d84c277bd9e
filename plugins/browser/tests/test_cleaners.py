import json

import pytest
from browser.cleaning import main_text, only_results
from browser.reading import browser_fetch, browser_search
from stand_in import ARTICLE

from homeagent_sdk.testing import check_cleaner

FETCHED = f"<!-- https://garden.example.org/article -->\n{ARTICLE}"
KEPT = """阳台种番茄 - 园艺小站
阳台种番茄
四月底播种最好。
盆要深三十厘米。
每天早上浇一次水，叶子发黄时就要减少浇水的次数，并且检查盆底的排水孔有没有堵住。
不要淋叶子。
Variety that did best here: Gardener's Delight, sown on 28 April in a sunny corner of the south balcony.
肥料：豆饼
支架：竹竿"""

ENGLISH = """<html><head><title>Local notes</title></head><body>
<div id="menu"><a href="/a">Home</a> <a href="/b">Archive</a></div>
<div id="content"><h2>The mill</h2><p>The old mill by the river closed in 1974, and it was sold to a baker from Lund,
who turned it into a house for his family of seven.</p><p>It burned twice.</p>
<table><tr><th>Year</th><th>Owner</th></tr><tr><td>1921</td><td>Holm</td></tr></table>
<pre>grind  --fine
  --coarse</pre><p>His &quot;seven&quot; still live there&nbsp;today, says the <a href="/x">parish register</a>, which is
kept in the church and may be read on Sundays.</p></div>
<div class="sidebar"><p>Subscribe to our newsletter and never miss any of the many stories that we write for you here.</p></div>
<div class="related"><ul><li><a href="/1">Ten mills you must see</a></li><li><a href="/2">You won't believe this</a></li></ul></div>
<p style="display: none">hidden words</p></body></html>"""


def test_of_a_chinese_page_every_short_sentence_is_kept_and_nothing_of_its_frame():
    assert main_text(FETCHED) == KEPT


def test_without_the_line_that_says_where_it_comes_from_the_page_alone_is_read():
    assert main_text(ARTICLE) == KEPT.partition("\n")[2]


def test_of_an_english_page_the_text_is_kept_with_tables_and_code():
    assert main_text(ENGLISH).splitlines() == [
        "The mill",
        "The old mill by the river closed in 1974, and it was sold to a baker from Lund, who turned it into a house for his family of seven.",
        "It burned twice.",
        "Year",
        "Owner",
        "1921",
        "Holm",
        "grind  --fine",
        "  --coarse",
        'His "seven" still live there today, says the parish register, which is kept in the church and may be read on Sundays.',
    ]


def test_a_page_of_nothing_but_short_chinese_sentences_is_kept():
    talk = ["在吗？", "在的。", "明天来吃饭吧！", "好，几点？", "六点半。"]
    page = "<html><body><ul class='menu'><li><a href='/'>首页</a></li></ul>" + "".join(
        f"<div>{line}</div>" for line in talk
    )
    assert main_text(page).splitlines() == talk


@pytest.mark.parametrize("cut", ["浇水的次数", "肥料", "南"])
def test_of_a_page_that_was_cut_off_what_is_there_is_kept(cut):
    if cut not in ARTICLE:
        cut = "south"
    before = FETCHED[: FETCHED.index(cut)]
    kept = main_text(before)
    assert "四月底播种最好。" in kept
    assert "首页" not in kept


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        ("<!-- https://example.org/x -->\na < b 与 c", "a < b 与 c"),
        ('<!-- https://api.example.org/x -->\n{"\\u57ce\\u5e02": "\\u5317\\u4eac"}', '{"城市": "北京"}'),
        (
            '{"error": [{"field": "address", "reason": "127.0.0.1 is no address of the public internet", "hint": "x"}]}',
            "127.0.0.1 is no address of the public internet",
        ),
        ("took longer than 120 seconds", "took longer than 120 seconds"),
        ("", ""),
        ("<html><body></body></html>", ""),
    ],
)
def test_what_is_no_page_passes(output, kept):
    assert main_text(output) == kept


FOUND = {
    "words": "番茄",
    "results": [
        {
            "title": "Balcony tomatoes, step by step",
            "link": "https://garden.example.org/tomato",
            "text": "Sow in late April; pots of 30 cm.",
        },
        {"title": "番茄栽培", "link": "https://nongye.example.cn/fanqie", "text": "四月播种。"},
        {"title": "no words", "link": "https://x.example/", "text": ""},
    ],
}
RESULTS = json.dumps(FOUND, ensure_ascii=False)
WORDS = "Balcony tomatoes, step by step\nSow in late April; pots of 30 cm.\n番茄栽培\n四月播种。\nno words"


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (RESULTS, WORDS),
        (json.dumps(FOUND), WORDS),  # as \uXXXX
        (RESULTS[: RESULTS.index("播种")], WORDS[: WORDS.index("播种")]),
        ('{"words": "x", "results": []}', ""),
        (
            '{"error": [{"field": "", "reason": "the server answered 429 Too Many Requests", "hint": ""}]}',
            "the server answered 429 Too Many Requests",
        ),
        ("[" * 5000, ""),
    ],
)
def test_of_results_title_and_words_are_kept(output, kept):
    assert only_results(output) == kept


def test_the_cleaners_are_good_ones():
    odd = ["<p>" * 8_000, "<div>" * 5_000 + "字。", "<!--" * 20_000, "<" * 100_000, "<a " + "b=c " * 50_000 + ">d</a>"]
    assert check_cleaner(browser_fetch.policy.cleaner, [FETCHED, ENGLISH, *odd]) == []
    assert check_cleaner(browser_search.policy.cleaner, [RESULTS, "", '{"results": [3, {"title": 3}]}']) == []
