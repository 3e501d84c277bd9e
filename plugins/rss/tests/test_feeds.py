"""Reading feeds of every kind, broken ones too."""

from __future__ import annotations

import pytest
from rss.feed import NoFeedError, read_feed

ADDRESS = "https://example.org/feed"
ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="zh"><title type="html">科技 &amp;amp; 生活</title><id>urn:f</id>
<updated>2026-05-01T10:00:00Z</updated>
<entry><title>第一条：&lt;b&gt;发布&lt;/b&gt;</title><id>urn:uuid:1</id><link href="/a/1"/><updated>2026-05-01T10:00:00Z</updated>
<content type="html">&lt;p&gt;新版本已经发布。&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</content></entry>
<entry><title>No id</title><link href="https://example.org/a/2"/><summary>short</summary></entry>
</feed>"""
RDF = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="https://example.org"><title>Old style</title></channel>
<item rdf:about="https://example.org/1"><title>One</title><link>https://example.org/1</link></item></rdf:RDF>"""


def test_atom_with_markup_in_titles_relative_links_and_an_entry_without_id() -> None:
    feed = read_feed(ATOM.encode(), "application/atom+xml", ADDRESS)
    assert feed.title == "科技 & 生活"
    first, second = feed.items
    assert (first.id, first.title, first.link) == ("urn:uuid:1", "第一条：发布", "https://example.org/a/1")
    assert first.text == "新版本已经发布。"
    assert (second.id, second.text) == ("https://example.org/a/2", "short")


def test_rss_one_and_another_encoding() -> None:
    assert [item.title for item in read_feed(RDF.encode(), "text/xml", ADDRESS).items] == ["One"]
    text = '<?xml version="1.0" encoding="gb2312"?><rss version="2.0"><channel><title>新闻</title><item><title>标题</title></item></channel></rss>'
    feed = read_feed(text.encode("gb2312"), "text/xml", ADDRESS)
    assert (feed.title, feed.items[0].title) == ("新闻", "标题")
    assert len(feed.items[0].id) == 64  # a hash of its words


def test_broken_feeds_are_read_as_far_as_they_go() -> None:
    cut = (
        '<rss version="2.0"><channel><title>Cut</title><item><title>Whole</title><guid>1</guid></item><item><title>Hal'
    )
    assert read_feed(cut.encode(), "text/xml", ADDRESS).items[0].title == "Whole"
    entity = '<rss version="2.0"><channel><title>A & B</title><item><title>x &nbsp; y</title></item></channel></rss>'
    assert read_feed(entity.encode(), "text/xml", ADDRESS).items[0].title == "x y"


@pytest.mark.parametrize("data", [b"", b"{}", b"<html><body>hello</body></html>", b"\x00\xff" * 100, b"<rss"])
def test_what_is_no_feed_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(NoFeedError):
        read_feed(data, "text/html", ADDRESS)


def test_no_entity_of_a_feed_reads_files_or_grows() -> None:
    bomb = (
        '<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/hostname"><!ENTITY a "AAAAAAAAAA"><!ENTITY b "&a;&a;&a;&a;">]>'
        '<rss version="2.0"><channel><title>t</title><item><title>x&f;y&b;</title></item></channel></rss>'
    )
    with open("/etc/hostname") as file:  # noqa: PTH123
        name = file.read().strip()
    try:
        title = read_feed(bomb.encode(), "text/xml", ADDRESS).items[0].title
    except NoFeedError:
        return
    assert not name or name not in title
    assert "AAAA" * 5 not in title


def test_a_feed_without_items_is_a_feed() -> None:
    empty = '<rss version="2.0"><channel><title>Quiet</title></channel></rss>'
    assert read_feed(empty.encode(), "text/xml", ADDRESS).items == ()
