"""Facts by rules: what a sentence claims, of whom, and what it does not claim at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.memory.distil.facts import spoken
from tests.memory.worlds import compute_text


def claims(text, *, owner=True):
    """What a text claims, each as "subject relation value", with a minus in front of a denial."""
    found = []
    for each in spoken(compute_text(text), owner=owner):
        draft = each.draft
        sign = "-" if draft.negative else "(past) " if draft.mode == "past" else ""
        found.append(f"{sign}{subject(draft.subject)} {draft.relation} {text[draft.start : draft.end]}")
    return found


def subject(party):
    if party.kind == "me":
        return "me"
    return f"{subject(party.anchor)}.{party.key}" if party.anchor is not None else party.key


SAID = {
    "我叫程砚秋": ["me name 程砚秋"],
    "别叫我小栗子，叫我阿澈": ["-me called 小栗子", "me called 阿澈"],
    "我对芒果过敏": ["me allergic_to 芒果"],
    "我同事林小满吃素，聚餐要给她留菜": ["me colleague 林小满", "林小满 diet 素"],
    "我自己无肉不欢，最爱牛腩煲": ["me likes 无肉不欢", "me likes 牛腩煲"],
    "备用钥匙在鞋柜第二层": ["备用钥匙 located_at 鞋柜第二层"],
    "服务器 SSH 端口是 2200": ["服务器 SSH 端口 value 2200"],
    "SSH 改走 47310，老口子已经关掉": ["SSH value 47310"],
    "nova 的负责人是方若宁": ["nova in_charge 方若宁"],
    "体检改到周五上午": ["体检 scheduled 周五上午"],
    "周六的羽毛球取消了": ["-羽毛球 scheduled 周六"],
    "我女儿今年六岁，喜欢恐龙": ["me.daughter age 六岁", "me.daughter likes 恐龙"],
    "我老公青霉素过敏": ["me.husband allergic_to 青霉素"],
    "我同事林小满海鲜过敏": ["me colleague 林小满", "林小满 allergic_to 海鲜"],
    "我严重花粉过敏": ["me allergic_to 花粉"],
    "搬家啦，现在住城西的白桦苑": ["me lives_in 城西的白桦苑"],
    "搬到梧桐路了": ["me lives_in 梧桐路"],
    "沙发搬到阳台了": ["沙发 located_at 阳台"],
    "我以前住在洛阳": ["(past) me lives_in 洛阳"],
    "我妈妈的电话是 13800001111": ["me.mother phone 13800001111"],
    "這把傘放在門後": [],
    "By the way, my name is Marek.": ["me name Marek"],
    "I do not drink coffee anymore, I switched to barley tea.": ["-me drinks coffee", "me drinks barley tea"],
    "My aunt Wilhelmina lives in Graz and works as a baker.": [
        "me aunt Wilhelmina",
        "Wilhelmina lives_in Graz",
        "Wilhelmina works_as baker",
    ],
    "Mrs Adler has a canary.": ["Mrs Adler has canary"],
    "The ladder is behind the shed.": ["ladder located_at behind the shed"],
    "My locker code at the pool is 6042.": ["me.locker code at the pool value 6042"],
    "I used to live in Malmö.": ["(past) me lives_in Malmö"],
    "Our flight got cancelled.": ["-me.flight scheduled cancelled"],
}


@pytest.mark.parametrize("text", SAID)
def test_a_sentence_claims_what_it_says_and_no_more(text):
    assert claims(text) == SAID[text]


@pytest.mark.parametrize(
    "text",
    [
        "我应该住在杭州还是上海？",
        "你记得我住在哪吗",
        "要是我住在海边就好了",
        "他说他住在三亚",
        "听说老板要搬到厦门",
        "开玩笑的，我叫孙悟空",
        "“我讨厌下雨”是歌词",
        "我可能会去学木工",
        "不用帮我订位了",
        "程砚秋：我住在西安",
        "我妈叫我吃饭",
        "今天我把体检记成周四，差点闹笑话",
        "辛苦啦，小栗子！",
        "Which invoices did Odalys Brandt approve in March?",
        "If I lived in Rome I would be happy.",
        "He says he lives in Oslo.",
        "I might move to Kyoto.",
        "No thanks, I don't want a robot vacuum.",
        "Just kidding, I have nine toes.",
        "Do you like jazz?",
        "I wish I had a balcony.",
    ],
)
def test_questions_conditions_hearsay_jokes_and_quotes_claim_nothing(text):
    assert claims(text) == []


def test_a_clause_without_a_subject_is_never_given_to_the_speaker_after_somebody_else_was_spoken_of():
    assert claims("我女儿，今年上三年级，喜欢画画") == ["me.daughter likes 画画"]
    assert claims("小姨来了。喜欢喝茶。") == []
    assert claims("My aunt Wilhelmina came by. She likes fennel.") in ([], ["Wilhelmina likes fennel"])


def test_the_assistant_and_tools_speak_for_nobody():
    assert claims("我住在云端，我喜欢你", owner=False) == []
    assert claims("I live in the cloud and my name is Nova.", owner=False) == []
    assert claims("林小满吃素", owner=False) == ["林小满 diet 素"]


@pytest.mark.parametrize(
    "text", ["都" * 590, "我是" * 295, "a " * 295, "my " * 190, "I now really " * 45, "(" * 600, '"' * 599]
)
def test_no_text_makes_the_rules_slow(text):
    claims("warm 热身")
    began = time.process_time()
    claims(text)
    assert time.process_time() - began < 0.5


def test_every_value_and_subject_stands_verbatim_in_its_sentence():
    for text, wanted in SAID.items():
        for each in spoken(compute_text(text), owner=True):
            assert each.draft.start < each.draft.end <= len(text)
            assert each.sentence.text in text
        assert wanted is not None


PIECES = st.sampled_from(
    [
        "我",
        "我女儿",
        "林小满",
        "我的同事",
        "My sister",
        "my dog Rex",
        "I",
        "She",
        "The key",
        "是",
        "叫",
        "住在",
        "对",
        "过敏",
        "的",
        "不",
        "喜欢",
        "在",
        "改成",
        " is",
        " lives in",
        " likes",
        "'s",
        " was moved to",
        " 2200",
        " Graz",
        "周六",
        " on Friday",
        "，",
        "。",
        ". ",
        ", ",
        "“",
        "”",
        '"',
        "\n",
        "？",
        "�",
        "\x00",
        "𠮷",
        "ﬁ",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join), st.booleans())
def test_whatever_is_said_the_rules_end_and_point_into_the_text(text, owner):
    for each in spoken(compute_text(text), owner=owner):
        assert 0 <= each.draft.start < each.draft.end <= len(text)
        party = each.draft.subject
        while party is not None:
            assert owner or party.kind != "me"
            assert 0 <= party.start <= party.end <= len(text) or party.kind == "me"
            party = party.anchor
