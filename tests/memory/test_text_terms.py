"""Index terms: what a question and a passage must share so that one finds the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent.memory.compute import ComputeText, DoorKey, QueryText
from homeagent.memory.text.fold import fold_text
from homeagent.memory.text.terms import QueryTerms, Terms, passage_terms, query_terms

ANY_TEXT = st.text(alphabet=st.characters())
CHINESE = st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2)
MESSY = st.lists(
    st.sampled_from(
        ["river-stage-dev", "v3.17.0", "/opt/x/heron-small.bin", "don't", "猫", "雨天", "1,204", "302,303",
         "+86 138 0013",
         "C++", "a@b.org", "👍🏽", "'", "--", "...", "/", "\x00", "\ud83d", "HTTPServer", "e-mail",
         "x" * 200, "00", "三百二",
         "ledger:closed", "８８１", "，", "http://", "é", "ß", "İ", "\u0345",
         "A1B2C3", "9" * 100, "0" * 63 + ".0.0", "_", "\\"]
    )
).flatmap(lambda parts: st.sampled_from(["", " ", "\n", "-", "."]).map(lambda glue: glue.join(parts)))  # fmt: skip


def passage(text: str) -> Terms:
    return passage_terms(ComputeText(DoorKey(), text))


def question(text: str) -> QueryTerms:
    return query_terms(QueryText(text))


def every(terms: Terms) -> list[str]:
    return [*terms.words, *terms.bigrams, *terms.symbols]


def missing(asked: str, said: str) -> set[str]:
    """Terms of the question's matter that the passage does not have.

    Chinese dictionary words are left out: how they are cut depends on their neighbours. Bigrams don't.
    """
    terms, found = question(asked).content, passage(said)
    return (
        ({word for word in terms.words if word.isascii()} - set(found.words))
        | (set(terms.bigrams) - set(found.bigrams))
        | (set(terms.symbols) - set(found.symbols))
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("RFC-0007", "RFC-0007 chose event sourcing."),
        ("RFC 7", "RFC-0007 chose event sourcing."),
        ("CL883", "see CL-883, please"),
        ("river-stage-dev", "The repo river-stage-dev holds the charts."),
        ("stage river", "The repo river-stage-dev holds the charts."),
        ("tab_owner", "The column `tab_owner` stores it."),
        ("tab owner", "The column tab_owner stores it."),
        ("heron model", "class HeronModel(Base):"),
        ("heronmodel", "class HeronModel(Base):"),
        ("/opt/models/heron-small.bin", "it is at /opt/models/heron-small.bin."),
        ("+86 138 0013/opt/x/heron.bin", "+86 138 0013/opt/x/heron.bin"),
        ("opt/x/138 0013 8000", "opt/x/138 0013 8000"),
        ("heron-small.bin", "it is at /opt/models/heron-small.bin."),
        ("heron-small", "it is at /opt/models/heron-small.bin."),
        ("heron small bin", "it is at /opt/models/heron-small.bin."),
        ("deploy.py", "跑一下deploy.py就好"),
        ("3.17.0", "Heron v3.17.0 added signed builds."),
        ("v3.17.0", "Heron 3.17.0 added signed builds."),
        ("3.17", "Heron v3.17.0 added signed builds."),
        ("1204", "it cost 1,204 crowns"),
        ("1,204", "it cost 1204 crowns"),
        ("302", "rooms 302,303"),
        ("7.1 GB/s", "The new drive reads 7.1 GB/s (measured twice)."),
        ("(measured twice", "The new drive reads 7.1 GB/s (measured twice)."),
        ("say \"don't mail".replace("say ", ""), "Don’t mail the tax forms."),
        ("tax AND forms NOT", "Don't mail the tax forms."),
        ("ledger:closed", "Column ledger:closed must stay nullable."),
        ("drive* ^reads -twice", "The new drive reads it twice."),
        ("NEAR(drive) {forms}: *", "near the drive, forms"),
        ("Caroline", "Caroline's shoes"),
        ("Caroline’s shoe", "the shoes of Caroline"),
        ("cafe", "the café at the corner"),
        ("email", "an e-mail came"),
        ("bob@example.org", "write to Bob@Example.org!"),
        ("B座302", "评审改到Ｂ座３０２会议室，门禁尾号８８１。"),
        ("门禁尾号 881", "评审改到Ｂ座３０２会议室，门禁尾号８８１，９９２。"),
        ("ＵＳＢ扩展坞", "USB 扩展坞在 5 号柜"),
        ("猫", "家里的猫叫豆包"),
        ("雨", "明天有雨，阳台的花要搬进来"),
        ("屿白", "项目接口人换成钟离屿白了"),
        ("書櫃第三層", "备用钥匙放在书柜第三层的铁盒里"),
        ("13800138000", "电话 +86 138 0013 8000"),
        ("80000", "装修预算不能超过八万"),
        ("👍", "好的👍🏽"),
        ("a3f9c2d", "fixed in a3f9c2d1e0b7a3f9c2d1e0b7a3f9c2d1e0b7a3f9"),
        ("8443", "ports 8443/tcp, 192.168.1.20:8443"),
        ("192.168.1.20", "http://192.168.1.20:8443/"),
        ("zqgate31", "host=zqgate31;"),
        ("C++", "I like C++."),
    ],
)
def test_a_passage_has_every_term_of_a_question_that_names_it(asked: str, said: str) -> None:
    assert every(question(asked).content)
    assert not missing(asked, said)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("8443", "8843 端口给语音网关用"),
        ("3.17.0", "Heron v3.1.7 and v3.18.0"),
        ("3.1.7", "Heron v3.17.0"),
        ("RFC-0007", "RFC-0070 chose plain tables."),
        ("river-stage-dev", "The repo river-stage holds it."),
        ("204", "it cost 1,204 crowns"),
        ("42", "run 41 took 421 seconds, 4.2"),
        ("30", "at 12:30 on 2026-05-30"),
    ],
)
def test_look_alikes_share_no_symbol(asked: str, said: str) -> None:
    assert not set(question(asked).symbols) & set(passage(said).symbols)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("138-0013-8000", "电话 13800138000"),
        ("0571-88996677", "前台 0571-8899 6677"),
        ("13800138000", "电话 +8613800138000"),
        ("三百二", "花了320块"),
        ("8万", "预算八万"),
        ("电话 (555) 010-1234", "555 010 1234"),
    ],
)
def test_a_number_is_found_however_it_was_written(asked: str, said: str) -> None:
    assert set(question(asked).symbols) & set(passage(said).symbols)


def test_question_words_are_marked_and_the_matter_is_not() -> None:
    terms = question("备用钥匙放在哪里")
    assert "哪里" in terms.stop
    assert "钥匙" in terms.content.bigrams
    assert "哪里" not in terms.content.words
    assert question("what did I buy").content.words == ("buy",)


def test_words_that_folding_took_from_the_dictionary_are_still_words() -> None:
    assert "着名" in passage("她是著名的歌手").words
    assert "干隆" in passage("乾隆的瓷器").words
    assert passage("乾隆皇帝的著作").words == passage("乾隆皇帝的着作").words


@pytest.mark.parametrize("text", ["who are you", "我", "你是谁", "the", "的", "现在呢"])
def test_a_question_of_function_words_only_still_searches_with_them(text: str) -> None:
    content = question(text).content
    assert every(content)
    assert set(content.words) <= set(passage(text).words)


@pytest.mark.parametrize("text", ["", "   ", "\x00", "\ud83d", "!!! ... ---", '"*^:()'])
def test_text_without_anything_to_find_has_no_terms(text: str) -> None:
    assert every(passage(text)) == []
    assert every(question(text).content) == []


def test_terms_are_bounded_for_hostile_text() -> None:
    for text in (
        "a." * 20_000,
        "/a1" * 20_000,
        "-" * 50_000,
        "x1" * 20_000,
        "'s" * 20_000,
        "9," * 20_000,
        "12 34-" * 9_000,
    ):
        terms = every(passage(text))
        assert sum(map(len, terms)) <= 6 * len(text) + 1_000


@given(ANY_TEXT | MESSY)
def test_every_term_is_valid_and_cutting_never_raises(text: str) -> None:
    for term in every(passage(text)) + every(question(text)):
        assert 0 < len(term) <= 64
        assert not any(
            character.isspace() or character == "\0" or "\ud800" <= character <= "\udfff" for character in term
        )


@given(MESSY)
def test_a_text_finds_itself(text: str) -> None:
    assert not missing(text, text)


@given(ANY_TEXT | MESSY)
def test_the_same_text_has_the_same_terms(text: str) -> None:
    assert passage(text) == passage(text)
    assert question(text) == question(text)


@given(MESSY)
def test_letter_case_and_script_change_no_symbol_or_bigram(text: str) -> None:
    assert set(question(fold_text(text)).bigrams) == set(question(text).bigrams)


@given(CHINESE, st.data())
def test_any_two_characters_of_a_chinese_text_find_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 2))
    end = data.draw(st.integers(start + 2, len(text)))
    asked = question(text[start:end])
    assert set(asked.content.bigrams) & set(passage(text).bigrams)


def test_a_phone_number_is_asked_for_whole_and_other_numbers_by_their_groups() -> None:
    assert query_terms(QueryText("138-1234-5687 是谁的号码")).symbols == ("13812345687",)
    assert {"8443", "8444", "8445"} <= set(query_terms(QueryText("8443 8444 8445")).symbols)
