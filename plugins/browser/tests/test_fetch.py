import json

import pytest
from browser.fetching import web_address
from stand_in import ARTICLE
from worlds import call, calling

from homeagent_sdk import ToolError


def test_a_page_comes_as_it_is_and_the_model_reads_its_text():
    padded = call("browser_fetch", address="WEB/article")
    result, found = padded
    assert result.text == f"<!-- {found.address}/article -->\n{ARTICLE}"


def test_a_long_page_is_kept_whole_and_read_as_text(tmp_path):
    (result,), _ = calling(("browser_fetch", {"address": "WEB/bomb"}))
    assert len(result.text) > 4_000_000
    assert result.receipt.endswith("boom")
    assert "<p>" not in result.receipt


@pytest.mark.parametrize("path", ["gbk", "gzip", "to?u=/to%3Fu%3D%2Farticle"])
def test_encodings_and_redirects_are_followed(path):
    result, _ = call("browser_fetch", address=f"WEB/{path}")
    assert "四月底播种最好。" in result.text


def test_plain_text_comes_as_it_is():
    result, found = call("browser_fetch", address="WEB/plain")
    assert result.text == f"<!-- {found.address}/plain -->\na < b 与 c"


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("PRIVATE/secret", "no address of the public internet"),
        ("WEB/to?u=PRIVATE/secret", "no address of the public internet"),
        ("WEB/to?u=https%3A%2F%2F127.0.0.1%3A1%2Fsecret", "no address of the public internet"),
        ("WEB/to?u=file%3A%2F%2F%2Fetc%2Fpasswd", "is no address of the web"),
        ("file:///etc/passwd", "is no address of the web"),
        ("javascript:alert(1)", "is no address of the web"),
        ("http://[::ffff:127.0.0.1]/", "no address of the public internet"),
        ("http://2130706433/", "no address of the public internet"),
        ("WEB/loop", "leads on and on"),
        ("WEB/pdf", "no page but application/pdf"),
        ("WEB/nothing", "answered 404"),
        ("http://nowhere.invalid/", "can't be reached"),
    ],
)
def test_what_may_not_or_can_not_be_fetched_is_said(address, told):
    result, found = call("browser_fetch", address=address)
    assert result.error
    assert told in result.text
    assert found.leaked == []


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("example.org", "https://example.org/"),
        ("example.org:8080/a b?q=c d#part", None),
        ("HTTP://Example.org/番茄?q=茄", "http://example.org/%E7%95%AA%E8%8C%84?q=%E8%8C%84"),
        ("https://bücher.example/%20", "https://xn--bcher-kva.example/%20"),
        ("https://user:password@example.org/", "https://example.org/"),
        ("https://example.org\\@evil.example/", None),
        ("https:///path", None),
        ("data:text/html,hi", None),
        ("", None),
    ],
)
def test_addresses_take_their_usual_form(given, address):
    if address is None:
        with pytest.raises(ToolError):
            web_address(given)
    else:
        assert web_address(given) == address


@pytest.mark.parametrize("engine", ["duck", "bing", "searx"])
def test_the_results_of_every_engine_are_found(engine):
    (result,), found = calling(("browser_search", {"words": "番茄 & tomatoes"}), search=engine)
    answer = json.loads(result.text)
    assert [(each["title"], each["link"]) for each in answer["results"]] == [
        ("Balcony tomatoes, step by step", "https://garden.example.org/tomato"),
        ("番茄栽培", "https://nongye.example.cn/fanqie"),
    ]
    assert "Sow in late April; pots of 30 cm." in answer["results"][0]["text"]
    assert answer["results"][1]["text"] == "四月播种。"
    assert found.seen == [f"/{engine}?q=%E7%95%AA%E8%8C%84%20%26%20tomatoes"]


def test_no_words_are_refused():
    result, _ = call("browser_search", words=" ")
    assert "are empty" in result.text
