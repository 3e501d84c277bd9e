"""Names in a text: of people, places and groups in Chinese, capitalised words in English."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from homeagent.memory.distil.tagging import RuleTagger, aligned, is_chinese

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.compute import ComputeText
    from homeagent.memory.distil.tagging import Word

__all__ = ["SURNAMES", "TITLES_ZH", "looks_like_person", "names"]

SURNAMES: Final = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦马苗凤"
    "花方俞任袁柳鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹"
    "狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡"
    "凌霍虞万支柯昝管卢莫经房裘缪干解应宗丁宣贲邓郁单杭洪包诸左石崔吉钮龚程嵇邢滑裴陆荣翁荀羊惠甄曲家封芮储"
    "靳汲邴糜松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全郗班仰秋仲伊宫宁仇栾暴甘厉戎祖武符刘景詹束龙叶幸司韶郜黎"
    "薄印宿白怀蒲邰从鄂索咸籍赖卓蔺屠蒙池乔阴胥能苍双闻莘党翟谭贡劳姬申扶堵冉宰郦雍璩桑桂濮牛寿通边扈燕冀"
    "浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容向古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄阙东殴殳沃利蔚越夔隆"
    "师巩厍聂晁勾敖融冷訾辛阚那简饶空曾毋沙乜养鞠须丰巢关蒯相查后荆红游竺权逯盖益桓公肖佟佘尉"
)
"""Characters that a Chinese family name begins with."""

TITLES_ZH: Final = (
    *("老师", "医生", "大夫", "护士", "阿姨", "叔叔", "师傅", "先生", "女士", "小姐", "太太", "奶奶"),
    *("爷爷", "姐", "哥", "总", "经理", "教授", "律师", "教练", "主任", "老板", "院长", "校长"),
    *("同学", "伯伯", "婆婆", "大爷", "大妈", "大姐", "大哥", "警官"),
)
"""What follows a family name when a person is spoken of politely."""

_TITLED = re.compile(f"[\u4e00-\u9fff]{{1,2}}(?:{'|'.join(TITLES_ZH)})")
_NICK = re.compile("[阿小老大][\u4e00-\u9fff]")
_ENGLISH = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof|St|Sir|Aunt|Uncle)\.? )?\b[A-Z\u00c0-\u00de][\w'\u00c0-\u024f-]+"
    r"(?: (?:of |de |van |von )?[A-Z\u00c0-\u00de][\w\u00c0-\u024f-]+)*"
)
_NO_NAME = frozenset(
    [
        "i",
        "the",
        "a",
        "an",
        "and",
        "but",
        "or",
        "so",
        "if",
        "it",
        "he",
        "she",
        "we",
        "they",
        "you",
        "my",
        "your",
        "his",
        "her",
        "our",
        "their",
        "this",
        "that",
        "these",
        "those",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "can",
        "could",
        "will",
        "would",
        "shall",
        "should",
        "may",
        "might",
        "must",
        "what",
        "when",
        "where",
        "who",
        "why",
        "how",
        "which",
        "yes",
        "no",
        "not",
        "ok",
        "okay",
        "thanks",
        "thank",
        "please",
        "hi",
        "hello",
        "hey",
        "sorry",
        "well",
        "oh",
        "there",
        "here",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "with",
        "by",
        "as",
        "of",
        "then",
        "just",
        "also",
        "after",
        "before",
        "today",
        "tomorrow",
        "yesterday",
        "tonight",
        "now",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "good",
        "great",
        "nice",
        "noted",
        "sure",
        "let",
        "i'm",
        "i've",
        "i'd",
        "i'll",
        "it's",
        "he's",
        "she's",
        "don't",
    ]
)
_NO_NAME_ZH = frozenset(
    (
        "谢谢",
        "东西",
        "时间",
        "段时间",
        "高兴",
        "安全",
        "安静",
        "温暖",
        "明天",
        "和平",
        "经常",
        "祝福",
        "应该",
        "平时",
        "马上",
        "方便",
    )
)
_TAGGER = RuleTagger()
_DICTIONARY = RuleTagger(hidden_words=False)


def looks_like_person(text: str) -> bool:
    """Tell whether a Chinese text reads as somebody's name: 方若宁, 阿澈, 陈医生."""
    if _TITLED.fullmatch(text) or _NICK.fullmatch(text):
        return True
    if not 2 <= len(text) <= 4 or text[0] not in SURNAMES:
        return False
    first = _DICTIONARY.words(text)[0]  # 房租 and 温度 begin like names, but a dictionary knows them
    return first.tag in ("name", "place") or len(first.text) == 1


def names(text: ComputeText) -> Iterator[ComputeText]:
    """Yield the names of a text, in order."""
    shaped = aligned(text.text)
    if is_chinese(shaped):
        for word in _TAGGER.words(shaped):
            if is_chinese(word.text) and _is_chinese_name(word):
                yield text.slice(word.start, word.end)
    for match in _ENGLISH.finditer(shaped):
        start, end = match.span()
        first, _, rest = match[0].partition(" ")
        if first.lower() in _NO_NAME:
            if not rest or rest.split(" ")[0].lower() in _NO_NAME:
                continue
            start += len(first) + 1
        elif not rest and _begins_sentence(shaped, start):
            continue
        yield text.slice(start, end)


def _is_chinese_name(word: Word) -> bool:
    if word.text in _NO_NAME_ZH or len(word.text) < 2:
        return False
    if word.tag in ("place", "group"):
        return len(_DICTIONARY.words(word.text)) == 1
    return word.tag == "name" and looks_like_person(word.text)


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return not before or before[-1] in ".!?\n:\"'*-"
