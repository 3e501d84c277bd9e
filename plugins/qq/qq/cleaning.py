"""What of QQ's outputs and messages is computed: the words people said and the names of things, none of the wrapping.

Each function takes what its tool puts out, or a message as it came, and is pure. Outputs are JSON in the shapes of
OneBot v11 as NapCat fills them; one that was cut off gives what is there, an error its reason.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from homeagent_sdk import CleanerError, read_json
from qq.codes import Code, as_text, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "message_words",
    "words_of_document",
    "words_of_downloads",
    "words_of_files",
    "words_of_message",
    "words_of_messages",
    "words_of_video",
]

_NUMBER: Final = r"(?:\([1-9][0-9]{4,11}\)|（[1-9][0-9]{4,11}）|<[^<>\s@]{1,64}@[^<>\s]{1,64}>)"
_DAY: Final = r"(?:(?:[12][0-9]{3}[-/年])?[01]?[0-9][-/月][0-3]?[0-9]日?[ \t]+|(?:昨天|今天|前天)[ \t]*)?"
_CLOCK: Final = r"(?:[上下]午[ \t]*)?[0-2]?[0-9]:[0-5][0-9]:[0-5][0-9](?:[ \t]*[AP]M)?"
# The line above each message that was copied out of QQ: name and number, date and time; nothing else on it. Without the
# number it may be a line that somebody wrote.
_COPIED_HEAD: Final = re.compile(
    rf"[^\n]{{0,60}}?{_NUMBER}[ \t]*{_DAY}{_CLOCK}[ \t]*|{_DAY}{_CLOCK}[ \t]+[^\n]{{0,60}}?{_NUMBER}[ \t]*"
)
_LONGEST_HEAD: Final = 160
_STAMP: Final = re.compile(rf"[\[【(（]{_DAY}{_CLOCK}[\]】)）][ \t]*")
# How clients without replies of their own write one: the quoted words in brackets, a rule of dashes, the answer.
_QUOTED_HEAD: Final = re.compile(r"\s{0,20}「[^「」]{0,2000}」[ \t]{0,20}\n[ \t]{0,20}(?:[-—–－][ \t]{0,4}){3,60}\n")
_REPLY_HEAD: Final = re.compile(
    r"\s{0,20}[\[【](?:回复|引用|Reply(?: to)?)[ \t:：]{0,4}[^\[\]【】\n]{0,500}[\]】][ \t]{0,20}\n?"
)
_SUFFIX: Final = re.compile(
    r"[\[【(（](?:来自|From|from)?[ \t]?(?:QQ)?[ \t]?(?:群聊?|私聊|好友|[Gg]roup|[Pp]rivate)(?:消息)?[ \t:：]{0,4}"
    r"[^\[\]【】()（）\n]{0,60}(?:[(（][1-9][0-9]{4,11}[)）])?[ \t]?[\]】)）]\Z"
)
_LONGEST_SUFFIX: Final = 120
_SPACES: Final = re.compile(r"[ \t\u00a0\u2005]{2,}")
_CARD_FIELDS: Final = ("prompt", "title", "desc", "summary")
_DEEPEST_CARD: Final = 6


def message_words(text: str) -> str:
    """Return the words of one message as it came: without codes, reply heads, copied heads and group suffixes."""
    words = "".join(part if isinstance(part, str) else _code_words(part) for part in parts_of(text))
    words = words.replace("\r\n", "\n")
    for head in (_QUOTED_HEAD, _REPLY_HEAD):
        if found := head.match(words):
            words = words[found.end() :]
    lines = (_SPACES.sub(" ", _STAMP.sub("", line, count=1) if _STAMP.match(line) else line) for line in _said(words))
    return _without_suffix("\n".join(line.strip() for line in lines))


def _said(words: str) -> Iterator[str]:
    """Yield the lines that somebody said: no empty ones, no heads of messages that were copied out of QQ."""
    for line in map(str.strip, words.split("\n")):
        if line and (len(line) > _LONGEST_HEAD or not _COPIED_HEAD.fullmatch(line)):
            yield line


def _without_suffix(words: str) -> str:
    # Only the end is looked at: a search for something that ends a text takes the square of its length.
    found = _SUFFIX.search(words, max(0, len(words) - _LONGEST_SUFFIX))
    return words[: found.start()].rstrip() if found else words


def words_of_message(text: str) -> str:
    """Clean ``qq_get_message``: who said it, and the words."""
    return _spoken([_data(text)]) or _reason(text)


def words_of_messages(text: str) -> str:
    """Clean ``qq_get_history``: a line for each message, who said it and the words."""
    found = _data(text)
    messages = found.get("messages")
    return _spoken(messages if isinstance(messages, list) else [found]) or _reason(text)


def words_of_files(text: str) -> str:
    """Clean ``qq_get_group_files``: names of folders and files, and who put a file there."""
    found = _data(text)
    folders = [_text(each, "folder_name") for each in _rows(found, "folders")]
    files = [_named(_text(each, "file_name"), _text(each, "uploader_name")) for each in _rows(found, "files")]
    return _joined([*folders, *files]) or _reason(text)


def words_of_downloads(text: str) -> str:
    """Clean ``qq_get_download_tasks``: names, how far each is, and why one failed."""
    tasks = _rows(_data(text), "tasks")
    lines = (": ".join(filter(None, (_text(each, "name"), _text(each, "state")))) for each in tasks)
    reasons = (_text(each, "problem") for each in tasks)
    return _joined(f"{line} ({why})" if why else line for line, why in zip(lines, reasons, strict=True)) or _reason(
        text
    )


def words_of_document(text: str) -> str:
    """Clean ``qq_read_document``: the document's name and its words, whole."""
    found = _data(text)
    return _joined((_text(found, "name"), _text(found, "content"))) or _reason(text)


def words_of_video(text: str) -> str:
    """Clean ``qq_video_download``: the video's name, who sent it, and what was said with it."""
    found = _data(text)
    sender = found.get("sender")
    name = _named(_text(found, "name"), _name(sender) if isinstance(sender, dict) else "")
    return _joined((name, message_words(_text(found, "raw_message")))) or _reason(text)


def _data(text: str) -> Mapping[str, object]:
    """Return what an output is about; the envelope of OneBot is taken off. Raises ``CleanerError``."""
    found = read_json(text)
    if isinstance(found, dict) and isinstance(found.get("data"), dict) and "retcode" in found:
        found = found["data"]
    if not isinstance(found, dict):
        raise CleanerError("qq", "the output is no JSON object", "Set another policy for this tool")
    return found


def _reason(text: str) -> str:
    """Return why a call failed: of an error of the program, or of the OneBot implementation; empty for none."""
    found = read_json(text)
    if not isinstance(found, dict):
        return ""
    problems = found.get("error")
    rows = [each for each in problems if isinstance(each, dict)] if isinstance(problems, list) else []
    said = [_text(each, name) for each in rows for name in ("reason", "hint")]
    return _joined(said) or _text(found, "wording") or _text(found, "message")


def _spoken(messages: Iterable[object]) -> str:
    lines = []
    for each in messages:
        if not isinstance(each, dict):
            continue
        raw = each.get("raw_message")
        words = message_words(raw if isinstance(raw, str) and raw else as_text(each.get("message")))
        sender = each.get("sender")
        name = _name(sender) if isinstance(sender, dict) else ""
        lines.append(f"{name}: {words}" if name and words else words)
    return _joined(lines)


def _name(sender: Mapping[str, object]) -> str:
    return _text(sender, "card") or _text(sender, "nickname")


def _code_words(code: Code) -> str:
    """Return the words that a code holds: the names of people and files, the titles of what is shared."""
    values = code.values
    match code.kind:
        case "at":
            name = "全体成员" if values.get("qq") == "all" else values.get("name", "").removeprefix("@")
            return f"@{name} " if name else ""
        case "file" | "video":
            return f" {values.get('name') or values.get('file', '')} " if _is_name(values) else ""
        case "share" | "music" | "location" | "contact":
            return " ".join(values[name] for name in ("title", "content") if values.get(name))
        case "json":
            return _card_words(values.get("data", ""))
        case "markdown":
            return values.get("content", "")
        case _:
            return ""


def _is_name(values: Mapping[str, str]) -> bool:
    """Whether a file has a name that somebody gave it: hashes and addresses are none."""
    name = values.get("name") or values.get("file", "")
    return "://" not in name and not re.fullmatch(r"\{?[0-9A-Fa-f-]{16,}\}?(?:\.\w{1,5})?", name)


def _card_words(data: str) -> str:
    """Return the titles on a card that an app shares."""
    try:
        card = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    return " ".join(dict.fromkeys(_card_texts(card, 0)))


def _card_texts(value: object, depth: int) -> Iterable[str]:
    if not isinstance(value, dict) or depth > _DEEPEST_CARD:
        return
    for name in _CARD_FIELDS:
        if text := _text(value, name).strip():
            yield text
    for inner in value.values():
        yield from _card_texts(inner, depth + 1)


def _rows(found: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    rows = found.get(name)
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []


def _text(found: Mapping[str, object], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""


def _named(thing: str, who: str) -> str:
    return f"{thing} ({who})" if thing and who else thing


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(line for line in lines if line)
