"""Errors and reasons in Chinese: translated where they are shown, English in JSON and everywhere inside."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent.cli.chinese import Catalogue, Template, error_in_chinese, reason_in_chinese


@pytest.fixture
def zh(homeagent):
    """Run a command in Chinese."""
    return lambda *words: homeagent(*words, "--lang", "zh")


@pytest.mark.parametrize(
    ("words", "where", "problem", "step"),
    [
        (
            ("memory", "forget", "--search", "豆豆"),
            "文字 '豆豆'",
            "没有找到相符的内容",
            "请用 homeagent memory search 查找",
        ),
        (("memory", "show", "t: is missing"), "对话 't: is missing'", "不在这个主目录里", "homeagent memory search"),
        (
            ("config", "set", "memory.recall_limit", "abc"),
            "recall_limit",
            "应是整数，给的却是 'abc'",
            "recall_limit = 8",
        ),
        (("config", "set", "ui.language", "fr"), "language", '以下之一："auto"、"en"、"zh"', 'language = "zh"'),
        (("memory", "import", "/no/such"), "/no/such", "无法读取（文件或文件夹不存在）", "请检查文件名"),
        (
            ("policy", "set", "x", "--cleaner", "jsn(a)"),
            "--cleaner",
            "没有叫 'jsn' 的清洗器",
            "head(4000)、lines(1,40)",
        ),
        (("plugin", "info", "nope"), "插件 'nope'", "没有叫这个名称的插件", "homeagent plugin install"),
    ],
)
def test_an_error_is_said_in_chinese_and_stays_english_in_json(zh, words, where, problem, step):
    told = zh(*words).err
    assert where in told.splitlines()[0]
    assert problem in told.splitlines()[0]
    assert step in told.splitlines()[1]
    plain = zh(*words, "--json").json["error"]
    assert (plain["problem"] + plain["next_step"]).isascii()


def test_why_something_is_computed_and_found_is_said_in_chinese(zh):
    zh("ask", "我的猫叫豆豆")
    turn = zh("memory", "search", "豆豆", "--json").json["hits"][0]["turn"]
    assert "未设策略" in zh("memory", "explain", turn).out
    assert "这条消息标记为 no_memory" in zh("memory", "explain", turn).out
    assert {each["reason"] for each in zh("memory", "explain", turn, "--json").json["segments"]} == {
        "no policy",
        "this message was marked no_memory",
    }
    assert "(长度 +" in zh("memory", "search", "豆豆").out
    assert zh("memory", "search", "豆豆", "--json").json["hits"][0]["why"][0].startswith("length +")


def test_doctor_says_in_chinese_what_is_wrong_with_the_settings(zh, home):
    (home / "config.toml").write_text("[memory]\nrecall_limit = 0\n")
    assert "应是从 1 到 1000 的整数，给的却是 0" in zh("doctor").out
    found = [each["found"] for each in zh("doctor", "--json").json["checks"] if each["level"] == "fail"]
    assert any("a whole number from 1 to 1000" in each for each in found)


def test_what_a_person_wrote_is_carried_over_as_it_is():
    name = "can't be read (x): is missing"
    assert error_in_chinese(f"document {name!r}") == f"文档 {name!r}"
    assert reason_in_chinese(f"no_memory: the owner's policy for {name!r}") == f"no_memory：你对 {name!r} 的设置"


def test_the_template_of_which_the_most_is_fixed_is_taken():
    catalogue = Catalogue({"is {0}": "是 {0}", "is not {0} yet": "还不是 {0}", "is not there yet": "还不在"})
    assert catalogue.translated("is not there yet") == "还不在"
    assert catalogue.translated("is not done yet") == "还不是 done"
    assert catalogue.translated("is not") == "是 not"
    assert catalogue.translated("was not") is None


def test_a_hole_says_what_may_stand_in_it():
    catalogue = Catalogue(
        {"a": "甲", "{0}: {1}": "{0:t}：{1:t}", "give {0}": "给{0:T}", "line {0}": "第 {0:d} 行", "of {0}": "共：{0:l}"}
    )
    assert catalogue.translated("a: b") == "甲：b"
    assert catalogue.translated("b: c") is None
    assert catalogue.translated("give a") == "给甲"
    assert catalogue.translated("give b") is None
    assert catalogue.translated("line 3") == "第 3 行"
    assert catalogue.translated("line of text") is None
    assert catalogue.translated("of x, y") == "共：x、y"


WORDS = st.text("ab:", max_size=4)


@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=3, max_size=3))
def test_what_matches_is_the_fixed_parts_with_the_holes_between(fixed, holes):
    holes = holes[: len(fixed) - 1]
    text = "".join(part + hole for part, hole in zip(fixed, [*holes, ""], strict=True))
    found = Template(tuple(fixed)).match(text)
    assert found is not None
    assert "".join(part + hole for part, hole in zip(fixed, [*found, ""], strict=True)) == text


def test_a_long_text_takes_no_longer_than_it_has_to():
    began = time.perf_counter()
    error_in_chinese("(: " * 300_000)
    error_in_chinese("it " * 300_000 + "copied (" * 1000)
    assert time.perf_counter() - began < 5


def test_the_catalogue_is_read_only_when_something_is_said_in_chinese():
    program = (
        "import sys, json\nfrom homeagent.cli import run\n"
        "try: run(sys.argv[1:])\nexcept SystemExit: pass\nprint('homeagent.cli.chinese' in sys.modules)"
    )
    loaded = [
        subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True).stdout
        for words in (("--help", "--lang", "zh"), ("plugin", "info", "x"), ("plugin", "info", "x", "--lang", "zh"))
    ]
    assert [each.splitlines()[-1] for each in loaded] == ["False", "False", "True"]
