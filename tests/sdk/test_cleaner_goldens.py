"""What each built-in cleaner returns is fixed per identity: other results need a higher version number."""

from __future__ import annotations

import pytest

from homeagent_sdk import parse_cleaner

GOLDEN = [
    ("json(content)@1", '{"ok": true, "content": "夜间备份 03:40"}', "夜间备份 03:40"),
    ("json(content)@1", '{"content": "\\u4e2d\\u6587\\n\\ud83d\\ude00"}', "中文\n😀"),
    ("json(content)@1", '{"content": {"a": ["\\u4e2d", 1, null, true]}}', '{"a": ["中", 1, null, true]}'),
    ("json(content)@1", '{"content": NaN}', "NaN"),
    ("json(content)@1", '{"content": "first", "content": "last"}', "last"),
    ("json(content)@1", '\ufeff\r\n {"content": "x"}\n[done in 3 s]', "x"),
    ("json(content)@1", '{"content": "raw\nbreak and \\ud800 half"}', "raw\nbreak and \ud800 half"),
    ("json(content)@1", '{"content": "cut \\ud83d\\ud', "cut "),
    ("json(content)@1", '{"content": [1, {"t": "ab', '[1, {"t": "ab'),
    ("json(a.1.b)@1", '{"a": [0, {"b": 1.5}]}', "1.5"),
    ("html()@1", "a < b && c > d", "a < b && c > d"),
    ("html()@1", "Map<String, List<Int>> &amp; more", "Map<String, List<Int>> & more"),
    ("html()@1", "<p>你好。</p><p>嗯</p><div>a<br>b&nbsp;&#20013;</div>", "你好。\n嗯\na\nb 中"),
    ("html()@1", "<table>\n<tr>\n <th>名</th>\n <th>价</th></tr><tr><td>米<td>5</table>", "名\t价\n米\t5"),
    (
        "html()@1",
        (
            "<!doctype html><head><title>T</title><style>p{}</style><script>'<p>x'</script></head><body><nav>Home</nav>"
            "<main><p>one <b>two</b>\n three</p><aside>note</aside></main><footer>(c)</footer>"
        ),
        "T\none two three\nnote",
    ),
    ("html()@1", "<nav><a>only</a></nav>", "only"),
    ("html()@1", "<pre>  x\n    y\n</pre>z", "  x\n    y\nz"),
    ("html()@1", "<p>a</p><script>never ended", "a"),
    ("html()@1", '<p>a</p><a href="http://cut', "a"),
    ("ansi()@1", "\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b]8;;u\x1b\\y\x1b(B\r50%\r99%", "red xy\r50%\r99%"),
    ("ansi()@1", "\x1bPq#0\x1b\\a\x9b2Kb\x1b[3", "ab"),
    ("ansi()@1", "\x1b]never ended\nline", "never ended\nline"),
    ("head(3)@1", "中文😀字", "中文😀"),
    ("head(0)@1", "x", ""),
    ("lines(2,3)@1", "1\n2\r\n3\n4", "2\r\n3"),
    ("lines(5,9)@1", "1\n2", ""),
    ('regex("token=[a-z0-9]+","token=[hidden]")@1', "a token=k3y b", "a token=[hidden] b"),
    (r'regex("(\w)=\"(\w)\"","\2\\\1\n")@1', 'k="v"', "v\\k\n"),
    ("json(a)@1 | head(2)@1", '{"a": "中文字"}', "中文"),
]


@pytest.mark.parametrize(("identity", "text", "expected"), GOLDEN)
def test_a_cleaner_returns_what_its_identity_promises(identity: str, text: str, expected: str) -> None:
    cleaner = parse_cleaner(identity.replace("@1", ""))
    assert cleaner.identity == identity, "a new version needs new golden rows"
    assert cleaner(text) == expected, "other results need a higher version number of this stage"


def test_every_built_in_stage_has_golden_outputs() -> None:
    names = {identity.partition("(")[0] for identity, _, _ in GOLDEN}
    assert names == {"json", "html", "ansi", "head", "lines", "regex"}
