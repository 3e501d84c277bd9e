"""The readable text of an HTML page.

Not ``html.parser``: what it makes of malformed input changes between patch releases of Python (a rebuilt memory must be
equal), and it takes quadratic time on input such as many unclosed comments. This reader looks at each character a
bounded number of times.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["page_text"]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BLOCKS = _names(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup option p pre"
    " section select summary table tbody textarea tfoot thead title tr ul"
)
_INLINE = _names(
    "a abbr acronym area audio b base basefont bdi bdo big button canvas cite code col colgroup data datalist del dfn"
    " em embed font i iframe img input ins kbd label link map mark meta meter noscript object output param picture"
    " progress q rp rt ruby s samp script small source span strike strong style sub sup svg td template th time track"
    " tt u var video wbr"
)
_KNOWN = _BLOCKS | _INLINE
_RAW = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}
_NEVER_TEXT = _names("audio canvas iframe noscript object svg template video")
_BOILERPLATE = frozenset(["nav"])
# Inside an article these are part of what was written (a quotation's source, a side note), outside they are the frame.
_PAGE_BOILERPLATE = frozenset(["aside", "footer"])
_CONTENT = frozenset(["article", "blockquote", "main"])
_LEFT_OUT = _NEVER_TEXT | _BOILERPLATE | _PAGE_BOILERPLATE

_NAMES = "|".join(sorted(_KNOWN))
_LOOKS_LIKE_HTML = re.compile(rf"<(?:!doctype\b|!--|/?(?:{_NAMES})(?:\s*+/?>|\s[^<>=]*+=[^<>]*+>))", re.IGNORECASE)
_WHOLE_DOCUMENT = re.compile(r"<(?:!doctype|\?xml|html|head|body|rss|feed)\b", re.IGNORECASE)
_MARKUP = re.compile(r"<(?:!--|[!?]|(/?)([a-zA-Z][^\s/<>\x00]*+))")
_REST_OF_TAG = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+>""")
_START_OF_ATTRIBUTE = re.compile(r"\s++[a-zA-Z-]++\s*+=")
_LEFT_OUT_END = re.compile(rf"</({'|'.join(sorted(_LEFT_OUT))})(?=[\s/>])", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f\v\xa0]+")
# Only with the semicolon: "?a=1&copy=2" is an address, not a copyright sign.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")


class _Token(NamedTuple):
    """A piece of a page: text (``name`` is empty) or a tag."""

    name: str
    text: str
    closes: bool
    start: int


def page_text(page: str) -> str:
    """Return the text a person would read: one line per block, cells separated by tabs, entities decoded.

    Scripts, styles, embedded graphics and navigation are left out, also footers and asides of the page (but not of an
    article); if nothing else is there, navigation stays. Text without a known tag passes through with entities decoded.
    Never raises for malformed markup. Linear time.
    """
    if not _LOOKS_LIKE_HTML.search(page) and not _WHOLE_DOCUMENT.search(page):
        return _decode_entities(page)
    reader = _Reader({found[1].lower(): found.start() for found in _LEFT_OUT_END.finditer(page)})
    for token in _tokens(page):
        reader.read(token)
    return reader.main.result() or reader.frame.result()


def _tokens(page: str) -> Iterator[_Token]:
    is_document = bool(_WHOLE_DOCUMENT.search(page))
    last_comment_end, last_tag_end = page.rfind("-->"), page.rfind(">")
    quotes_work = True
    done = position = 0
    while found := _MARKUP.search(page, position):
        start, position = found.span()
        closes, name = found[1] == "/", (found[2] or "").lower()
        literal = name and not (name in _KNOWN or is_document or "-" in name or ":" in name)
        if name and not literal and position > last_tag_end and _START_OF_ATTRIBUTE.match(page, position):
            page = page[:start]  # the page was cut off inside this tag
            break
        if literal or position > last_tag_end:
            continue  # the "<" is text, e.g. in "List<String>"; it goes out with what follows
        if start > done:
            yield _Token("", page[done:start], False, done)
        if found[0] == "<!--" and position <= last_comment_end:
            position = page.find("-->", position) + 3
        else:
            rest = _REST_OF_TAG.match(page, position) if name and quotes_work else None
            # After one quote that never ends, quotes are ignored: looking for the end each time would be quadratic.
            quotes_work = quotes_work and (rest is not None or not name)
            position = rest.end() if rest else page.find(">", position) + 1
        if name:
            yield _Token(name, "", closes, start)
        if name in _RAW and not closes:
            end = _RAW[name].search(page, position)
            position = end.start() if end else len(page)
        done = position
    if done < len(page):
        yield _Token("", page[done:], False, done)


class _Reader:
    """Decides for each token whether and where its text goes."""

    def __init__(self, last_ends: dict[str, int]) -> None:
        self.main = _Lines()
        self.frame = _Lines()
        self._last_ends = last_ends
        self._left_out = ""
        self._left_out_depth = 0
        self._content_depth = 0
        self._pre_depth = 0

    def read(self, token: _Token) -> None:
        if self._left_out:
            self._read_left_out(token)
        elif token.name:
            self._read_tag(token)
        else:
            self._write_text(self.main, token.text)

    def _read_tag(self, token: _Token) -> None:
        name, step = token.name, -1 if token.closes else 1
        if not token.closes and self._leaves_out(name) and self._last_ends.get(name, -1) > token.start:
            self._left_out, self._left_out_depth = name, 1
            self.main.end_line()
            self.frame.end_line()
            return
        if name in _CONTENT:
            self._content_depth = max(0, self._content_depth + step)
        if name == "pre":
            self._pre_depth = max(0, self._pre_depth + step)
        _write_break(self.main, token)

    def _read_left_out(self, token: _Token) -> None:
        if token.name == self._left_out:
            self._left_out_depth += -1 if token.closes else 1
            # At the last end tag it is over even when an inner start tag was never closed.
            if token.closes and (self._left_out_depth == 0 or token.start >= self._last_ends[token.name]):
                self._left_out = ""
                self.frame.end_line()
        elif self._left_out not in _NEVER_TEXT:
            if token.name:
                _write_break(self.frame, token)
            else:
                self._write_text(self.frame, token.text)

    def _leaves_out(self, name: str) -> bool:
        if name in _PAGE_BOILERPLATE:
            return self._content_depth == 0
        return name in _NEVER_TEXT or name in _BOILERPLATE

    def _write_text(self, lines: _Lines, text: str) -> None:
        lines.write(_decode_entities(text), keeps_space=self._pre_depth > 0)


def _write_break(lines: _Lines, token: _Token) -> None:
    if token.name in _BLOCKS:
        lines.end_line()
    elif token.name in ("td", "th") and not token.closes:
        lines.next_cell()


class _Lines:
    """Collects text and white space the way a browser lays it out."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._at_line_start = True

    def write(self, text: str, *, keeps_space: bool) -> None:
        if not keeps_space:
            text = _SPACE.sub(" ", text)
            if self._at_line_start:
                text = text.lstrip(" \u3000")
            elif self._parts[-1].endswith((" ", "\t")):
                text = text.lstrip(" ")
        if text:
            self._parts.append(text)
            self._at_line_start = text.endswith("\n")

    def end_line(self) -> None:
        if not self._at_line_start:
            self._parts.append("\n")
            self._at_line_start = True

    def next_cell(self) -> None:
        if not self._at_line_start:
            self._parts[-1] = self._parts[-1].rstrip(" ")
            self._parts.append("\t")

    def result(self) -> str:
        kept = (line.rstrip() for line in "".join(self._parts).split("\n"))
        return "\n".join(line for line in kept if line)


def _decode_entities(text: str) -> str:
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text
