"""Questions, acknowledgements, questions about oneself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent.memory.compute import ComputeText, DoorKey, QueryText
from homeagent.memory.text.speech import asks_about_self, is_acknowledgement, is_question


@pytest.mark.parametrize(
    "text",
    ["Where is the key?", "what did I buy yesterday", "who put in the boiler", "how long did run 42 take",
     "Ok. Do you know it",
     "钥匙在哪里", "8843 端口是谁在用", "还打吗", "你喜欢什么？", "体检到底是哪天",
     "which Heron version added signed builds", "预算是多少",
     "is the dog there", "你呢"],
)  # fmt: skip
def test_questions_are_seen_with_and_without_a_mark(text: str) -> None:
    assert is_question(QueryText(text))


@pytest.mark.parametrize(
    "text",
    ["When I was young, I lived in Bonn.", "The key is in the box.", "没什么", "怎么都行", "我住在北京",
     "what a day!", "I know who did it.",
     "好吧", "", "猫", "是我自己做的。", "Do it.", "Have a nice day!", "今天开了家长会"],
)  # fmt: skip
def test_statements_are_no_questions(text: str) -> None:
    assert not is_question(ComputeText(DoorKey(), text))


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "OK!",
        "Thanks",
        "好的，收到。",
        "嗯嗯",
        "Got it, thanks!",
        "记下了 👍",
        "好。",
        "Noted.",
        "You’re welcome!",
        "",
        "哈哈哈",
        "收到",
    ],
)
def test_replies_that_carry_nothing_are_acknowledgements(text: str) -> None:
    assert is_acknowledgement(ComputeText(DoorKey(), text))


@pytest.mark.parametrize(
    "text", ["好的，青团！", "改好了，周五。", "ok, port 8443", "no", "豆包加油。", "青团", "8443", "Nice hat."]
)
def test_replies_that_carry_something_are_not(text: str) -> None:
    assert not is_acknowledgement(ComputeText(DoorKey(), text))


@pytest.mark.parametrize(
    "text", ["what do I drink now", "my address", "我住哪", "where are the keys of mine", "what’s in my bag"]
)
def test_questions_about_oneself_are_seen(text: str) -> None:
    assert asks_about_self(QueryText(text))


@pytest.mark.parametrize(
    "text", ["tell me about Ondine", "帮我查一下8443", "我们公司在哪", "who is Bob", "i18n", "告诉我魏棠的电话"]
)
def test_a_favour_is_not_about_oneself(text: str) -> None:
    assert not asks_about_self(QueryText(text))


@given(st.text(alphabet=st.characters()))
def test_nothing_raises(text: str) -> None:
    is_question(QueryText(text))
    is_acknowledgement(QueryText(text))
    asks_about_self(QueryText(text))
