"""Golden outputs: what of NapCat's answers and of messages is computed. Shapes as NapCat sends them, words made up."""

from __future__ import annotations

import json

import pytest
from qq.cleaning import (
    message_words,
    words_of_document,
    words_of_downloads,
    words_of_files,
    words_of_message,
    words_of_messages,
    words_of_video,
)
from standin import FAMILY, MING, OWNER, World, message

from homeagent_sdk import CleanerError, function_cleaner
from homeagent_sdk.testing import check_cleaner

CARD = (
    json.dumps(
        {
            "app": "com.tencent.structmsg",
            "desc": "新闻",
            "view": "news",
            "ver": "0.0.0.1",
            "prompt": "[分享]周末集市改到周日",
            "meta": {
                "news": {
                    "title": "周末集市改到周日",
                    "desc": "市政厅公告",
                    "jumpUrl": "https://example.org/a?b=1",
                    "tag": "网页",
                }
            },
        }
    )
    .replace("[", "&#91;")
    .replace("]", "&#93;")
    .replace(",", "&#44;")
)

MESSAGES = [
    ("明天上午十点开会", "明天上午十点开会"),
    ("[CQ:reply,id=1820364823][CQ:at,qq=10000] 外婆的生日是哪天？", "外婆的生日是哪天？"),
    ("[CQ:at,qq=10002,name=明明] 你的车还在修吗", "@明明 你的车还在修吗"),
    ("[CQ:at,qq=10002,name=@明明]你的车", "@明明 你的车"),
    ("[CQ:at,qq=all] 停水通知", "@全体成员 停水通知"),
    (
        "[CQ:image,file=7F0C.jpg,sub_type=0,url=https://multimedia.nt.qq.com.cn/download?appid=1407&amp;rkey=CAQ,file_size=99]看这个",
        "看这个",
    ),
    ("ok[CQ:face,id=178] great", "ok great"),
    ("[CQ:face,id=178,raw=&#91;object Object&#93;,resultId=,chainCount=]", ""),
    ("[CQ:file,file=装修报价.docx,file_id=/f-1,file_size=9000]", "装修报价.docx"),
    ("[CQ:video,file=0f3c9a7b6d5e4f3a2b1c0d9e8f7a6b5c.mp4,url=https://multimedia.nt.qq.com.cn/x]", ""),
    (
        "[CQ:share,url=https://example.org,title=Bread &amp; butter,content=A recipe&#44; short]",
        "Bread & butter A recipe, short",
    ),
    (f"[CQ:json,data={CARD}]", "[分享]周末集市改到周日 新闻 周末集市改到周日 市政厅公告"),
    ("[CQ:forward,id=7500000000000000000]", ""),
    ("价格是 3 &#91;约&#93; &amp; 更低", "价格是 3 [约] & 更低"),
    ("小明(10002) 2026/5/1 10:00:23\n钥匙在花盆下\n明明(10002) 10:01:05\n好", "钥匙在花盆下\n好"),
    ("2026-05-01 10:00:23 小明(10002)\n钥匙在花盆下", "钥匙在花盆下"),
    ("Anna<anna@example.org> 2026-05-01 10:00:23\nkey under the pot", "key under the pot"),
    ("[2026-05-01 10:00:23] the key is under the pot", "the key is under the pot"),
    ("「小明：钥匙在哪？」\n- - - - - - - - - - - - - - -\n在花盆下", "在花盆下"),
    ("[回复 小明(10002)：钥匙在哪？] 在花盆下", "在花盆下"),
    ("[Reply to Anna: where is it?]\nunder the pot", "under the pot"),
    ("在花盆下（来自群：家庭群(123456)）", "在花盆下"),
    ("在花盆下 [QQ群 家庭群]", "在花盆下"),
    ("under the pot (group: Family 123456)", "under the pot"),
    ("under the pot [CQ:image,file=cut-off-here", "under the pot"),
    # What people write themselves stays, however much it looks like a head.
    ("火车 10:20:30 开", "火车 10:20:30 开"),
    ("我们 2026-05-01 10:00:00 见", "我们 2026-05-01 10:00:00 见"),
    ("alarm at 06:30:00", "alarm at 06:30:00"),
    ("他说「钥匙在花盆下」", "他说「钥匙在花盆下」"),
    ("电话(123456)打不通", "电话(123456)打不通"),
    ("群里说了什么？", "群里说了什么？"),
    ("list[0] = CQ", "list[0] = CQ"),
    ("第一行\r\n\r\n\r\n第二行   有空格", "第一行\n第二行 有空格"),
    ("", ""),
]


@pytest.mark.parametrize(("raw", "words"), MESSAGES)
def test_of_a_message_its_words_are_computed(raw: str, words: str) -> None:
    assert message_words(raw) == words
    assert message_words(words) == words


def envelope(data: object, *, escaped: bool = False) -> str:
    found = {"status": "ok", "retcode": 0, "data": data, "message": "", "wording": "", "echo": None}
    return json.dumps(found, ensure_ascii=escaped)


GROUP = message(1, MING, "外婆家的 WiFi 密码是 tiger-2026&#91;大写&#93;", group=FAMILY, name="小明", card="明明")
PRIVATE = message(2, OWNER, "the boiler was serviced on Tuesday", name="Anna")
ERROR = json.dumps({"error": [{"field": "", "reason": "QQ refused get_msg: 消息不存在", "hint": "Say so"}]})
FAILED = json.dumps(
    {"status": "failed", "retcode": 1200, "data": None, "message": "消息不存在", "wording": "消息不存在", "echo": None}
)


def test_a_message_of_the_service_and_of_the_tool_in_both_languages_and_escaped() -> None:
    for escaped in (False, True):
        assert words_of_message(envelope(GROUP, escaped=escaped)) == "明明: 外婆家的 WiFi 密码是 tiger-2026[大写]"
    assert words_of_message(envelope(PRIVATE)) == "Anna: the boiler was serviced on Tuesday"
    mine = {"message_id": 2, "time": "2026-05-01T10:00:25+08:00", "sender": {"user_id": OWNER, "nickname": "Anna"}}
    assert words_of_message(json.dumps({**mine, "raw_message": "[CQ:face,id=1]hello"})) == "Anna: hello"
    parts = {
        **GROUP,
        "raw_message": "",
        "message": [{"type": "at", "data": {"qq": "10000"}}, {"type": "text", "data": {"text": "在吗"}}],
    }
    assert words_of_message(json.dumps(parts)) == "明明: 在吗"


def test_a_history_is_a_line_for_each_message_and_what_was_cut_off_gives_what_is_there() -> None:
    whole = envelope({"messages": [GROUP, PRIVATE, message(3, MING, "[CQ:face,id=5]", name="小明")]}, escaped=True)
    lines = "明明: 外婆家的 WiFi 密码是 tiger-2026[大写]\nAnna: the boiler was serviced on Tuesday"
    assert words_of_messages(whole) == lines
    seen = set()
    for cut in range(whole.index("raw_message"), len(whole)):
        words = words_of_messages(whole[:cut])
        assert all(name not in words for name in ("CQ:", "user_id", "message", "\\u"))
        seen.add(words)
    assert lines in seen
    assert any(words.endswith("Anna: the boiler was") for words in seen)


def test_files_downloads_documents_and_videos() -> None:
    files = World().answer("get_group_root_files", {"group_id": FAMILY})
    assert words_of_files(json.dumps(files)) == "照片 2026\n春游路线.pdf (明明)"
    tasks = [
        {
            "id": 1,
            "name": "春游路线.pdf",
            "path": "/h/1-x.pdf",
            "state": "done",
            "bytes": 345678,
            "total": 345678,
            "problem": "",
        },
        {
            "id": 2,
            "name": "film.mp4",
            "path": "/h/2-f.mp4",
            "state": "failed",
            "bytes": 0,
            "total": -1,
            "problem": "its server answers 404",
        },
    ]
    assert (
        words_of_downloads(json.dumps({"tasks": tasks}))
        == "春游路线.pdf: done\nfilm.mp4: failed (its server answers 404)"
    )
    document = {"message_id": 105, "name": "装修报价.docx", "bytes": 9000, "content": '厨房\t12000 元\n第二行 "引号"'}
    for ascii_only in (True, False):
        told = json.dumps(document, ensure_ascii=ascii_only)
        assert words_of_document(told) == '装修报价.docx\n厨房\t12000 元\n第二行 "引号"'
        assert words_of_document(told[:-8]).startswith("装修报价.docx\n厨房\t12000 元")
    video = {
        **GROUP,
        "raw_message": "[CQ:video,file=holiday.mp4,url=https://x.qq.com/a] 海边",
        "name": "holiday.mp4",
        "bytes": 12,
        "path": "/h/1",
    }
    assert words_of_video(json.dumps(video)) == "holiday.mp4 (明明)\nholiday.mp4 海边"


ALL = (words_of_message, words_of_messages, words_of_files, words_of_downloads, words_of_document, words_of_video)


@pytest.mark.parametrize("clean", ALL)
def test_an_error_gives_its_reason_and_what_is_no_json_is_left_out(clean: object) -> None:
    assert clean(ERROR) == "QQ refused get_msg: 消息不存在\nSay so"
    assert clean(FAILED) == "消息不存在"
    with pytest.raises(CleanerError):
        clean("<html>502 Bad Gateway</html>")
    assert clean("{}") == ""


def test_the_cleaners_are_fit_for_the_worker_and_quick_on_anything() -> None:
    samples = [
        envelope(GROUP),
        envelope({"messages": [GROUP] * 300}),
        ERROR,
        json.dumps({"content": "x" * 1_000_000, "name": "n"}),
    ]
    for clean in ALL:
        assert [p for p in check_cleaner(function_cleaner(clean), samples) if "lets nothing" not in p] == []
    hard = [
        "[CQ:" * 50_000,
        "「" * 100_000,
        "\n" * 200_000,
        "(" * 100_000,
        "2026-05-01 " * 20_000,
        " \t" * 100_000 + "x",
    ]
    hard += ["[回复 " * 30_000, "a(10001) " * 20_000, "[CQ:json,data=" + "{" * 100_000 + "]", "- " * 100_000]
    assert check_cleaner(function_cleaner(message_words), [*hard, "[CQ:face,id=1]x"]) == []
