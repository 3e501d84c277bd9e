"""What kind of saying a text is: a question, a mere acknowledgement, a question about oneself. Rules, no model.

All are conservative: in doubt the answer is no, and recall treats the text like any other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from homeagent.memory.compute import ComputeText, QueryText

__all__ = ["asks_about_self", "asks_how_it_stands", "corrects", "is_acknowledgement", "is_question", "tells_of_change"]

_SENTENCE = re.compile(r"(?<=[.!?。])\s+|(?<=[!?。])|\n+")
_QUESTION_EN = re.compile(
    r"^(?:(?:and|so|but|ok|okay|hey|hi|well|also|then)[, ]+)*"
    r"(?:(?:who|whom|whose|which|what(?! an? )(?! the hell))\b(?! (?:i|we|you) \w+ed\b)"
    r"|(?:when|where|why|how)(?:'s| (?:do|does|did|is|are|was|were|will|would|can|could|should|have|has|had|"
    r"much|many|long|old|far|often|big|tall|come|about)\b)"
    r"|(?:do|does|did|is|are|was|were|can|could|will|would|should|have|has|had|am) "
    r"(?:i|you|we|they|he|she|it|there|the|this|that|these|those|my|your|our|his|her|their|any|anyone|someone)\b"
    r"|(?:tell|remind|show) me (?:what|when|where|who|which|how|why|about|again)\b)[^.!]*$"
)
_QUESTION_ZH = re.compile(
    r"(?:吗|么|呢|没有|了没)[?。!~ ]*$(?<!什么)(?<!这么)(?<!那么)(?<!没有)|(?:吗|呢) *\?*$"
    r"|是不是|有没有|能不能|会不会|要不要|可不可以|是否|什么时候|为什么|怎么样|怎样|如何"
    r"|多少(?!有|都|会)|几点|几号|几个|多久|多大|多长|(?<!没)(?<!不)什么(?!都|也|的)|(?<![不没])怎么(?!都|也|可能|说)"
    r"|哪(?:里|儿|个|些|天|位|年|家|款|种|一)(?!都|也)|谁(?!都|也)|啥(?!都|也)"
)
_OVER = re.compile(
    r"\b(?:did|was|were|had|went|came|bought|said|told|met|got|ate|saw|made|gave|took|happened|ever|first"
    r"|(?!(?:need|feed|seed|shed|speed|weed|bed|red|fed|hundred|called|named|supposed|scheduled|planned|allowed|located"
    r"|stored|parked|booked|based|married|spelled|pronounced|used)\b)[a-z]{2,}ed)\b|了|过(?![敏期滤程节年户来去])|发生|曾|当时|第一"
)
_STATED = re.compile(r"[,.。;!]")

_ACKNOWLEDGED = frozenset(
    """
    ok okay okey k kk fine sure thanks thx ty cheers noted understood great good nice cool perfect done
    agreed alright
    right yes yep yeah yup indeed exactly absolutely lovely awesome wonderful hm hmm mhm ah oh wow haha lol
    好 好的 好吧 好呀 好啊 好哒 好嘞 好了 好滴 嗯 嗯嗯 恩 哦 噢 喔 啊 行 行吧 行的 成 可以 可以的 没问题
    没事 收到 明白 明白了 懂了 知道了
    了解 了解了 记下了 记下来了 记住了 记好了 已记录 已记下 记录了 更新了 改好了 谢谢 谢谢你 谢谢您 多谢
    谢了 谢啦 感谢 辛苦 辛苦了 辛苦啦
    不客气 不用谢 是 是的 是呀 是啊 对 对的 对啊 对呀 没错 哈 哈哈 哈哈哈 呵呵 嘿嘿 棒 真棒 太好了
    太棒了 不错 挺好 加油 好耶 再见 拜拜 晚安
    """.split()  # noqa: SIM905 - a list of words reads as words
) | frozenset(
    (
        "got it", "thank you", "thank you so much", "thanks a lot", "many thanks", "you're welcome", "youre welcome",
        "no problem", "no worries", "will do", "sounds good", "all right", "of course", "i see", "makes sense",
        "good idea", "well done", "very good", "very well", "all good", "all done", "i will remind you", "good job",
        "understood thanks", "ok thanks", "ok thank you", "thanks again", "that's great", "that's fine", "my pleasure",
        "sounds great", "good to know", "i got it", "will do so", "noted thanks", "take care", "good night", "bye",
    )
)  # fmt: skip
_PHRASES = re.compile(r"[^\w' ]+|_")
_LONGEST_ACKNOWLEDGEMENT = 60
_LONGEST_CORRECTION = 200

_SELF_EN = re.compile(r"\b(?:i|my|mine|myself|me|i'm|i've|i'd|i'll|im|ive)\b")
_SELF_ZH = re.compile(r"我(?!们)|俺|咱(?!们)|本人")
_FAVOUR = re.compile(
    r"\b(?:tell|remind|show|give|help|let|ask|send|find) me\b|\b(?:can|could|may) i (?:ask|know)\b"
    r"|\bi (?:want|need|would like|'d like) to know\b|(?:帮|告诉|给|跟|替|提醒|让)我|我想(?:知道|问|查|了解|看)|我问"
)


_CHANGE_EN = re.compile(
    r"\b(?:(?<!not )(?<!n't )changed|switched|moved|moves|renamed|replaced|rescheduled|postponed|pushed|cancell?ed"
    r"|called off|is off|are off|swapped|upgraded|raised|lowered|went (?:up|down)|gave up|gave|sold|no longer"
    r"|any ?more|any longer|these days|instead|from (?:now|today|tomorrow|next \w+) on|from (?:now|today)|as of|now"
    r"|(?:has|have|got) an? new"
    r"|there(?:'s| is) an? new|the new|after all|turns out|that(?:'s| is| was) (?:wrong|not right|incorrect)"
    r"|actually no|correction|scratch that|i (?:meant|was wrong|misspoke|misread|mixed up)|my mistake)\b"
)
_CHANGE_ZH = re.compile(
    r"(?:说|记|看|搞|写|弄|听|打)错(?!过)|不对|更正|纠正|改(?:成|到|为|走|用|叫|约|期|签|名|口|吃|喝|去|坐|骑|在)|换(?:成|到|去|了|新|.{1,8}了)"
    r"|搬(?:到|去|进|来|家|了)|跳槽|取消|作废|推迟|提前到|延期|顺延|挪(?:到|去)|不再|已经不|不.{1,8}了|不.{1,6}[,，;；]\s*而?是|不是.{1,8}而?是"
    r"|[涨加减增降]到|涨价|降价|涨了|调(?:到|成|为)|升(?:到|级|为)|从(?:今天|现在|明天|下周|下个?月)(?:起|开始)|转(?:到|去|学|岗)|不叫"
    r"|现在|如今|以后|新的?(?:号码|地址|电话|密码|手机号)|不是这样|卖了|戒了"
)
_CORRECTS = re.compile(
    r"(?:说|记|看|搞|写|弄|听|打|发)错(?!过)|不对|更正|纠正|改(?:成|到|为|签|期|约)|推迟"
    r"|\b(?:typo|correction|i meant|scratch that|make that|actually|wait,? no|my mistake"
    r"|that(?:'s| is| was) (?:wrong|not right|incorrect)|sorry,? (?:it|that)(?:'s| is| was))\b"
)


def corrects(text: ComputeText) -> bool:
    """Tell whether ``text`` takes back what was said right before."""
    return len(text) <= _LONGEST_CORRECTION and _CORRECTS.search(fold_text(text.text)) is not None


def tells_of_change(text: ComputeText) -> bool:
    """Tell whether ``text`` says that something is not any more what it was, or was said wrongly."""
    folded = fold_text(text.text[:2000])
    return _CHANGE_EN.search(folded) is not None or _CHANGE_ZH.search(folded) is not None


def asks_how_it_stands(text: QueryText) -> bool:
    """Tell whether ``text`` asks how something is, and not what happened or was done."""
    return _OVER.search(fold_text(text.text)) is None


def is_question(text: ComputeText | QueryText) -> bool:
    """Tell whether ``text`` ends in a question, with or without a question mark."""
    sentences = [part for part in _SENTENCE.split(fold_text(text.text[-2000:])) if part and part.strip()]
    if not sentences:
        return False
    last = sentences[-1].strip().rstrip("\"')")
    if last.endswith("?"):
        return True
    if _QUESTION_EN.match(last):
        return True
    return len(last) <= 40 and not _STATED.search(last[:-1]) and _QUESTION_ZH.search(last) is not None


def is_acknowledgement(text: ComputeText | QueryText) -> bool:
    """Tell whether ``text`` is nothing but short signs of having heard: ``ok, thanks``, ``好的，收到`` (or empty)."""
    if len(text.text) > _LONGEST_ACKNOWLEDGEMENT:
        return False
    phrases = (" ".join(part.split()) for part in _PHRASES.split(fold_text(text.text)))
    return all(phrase in _ACKNOWLEDGED for phrase in phrases if phrase)


def asks_about_self(text: QueryText) -> bool:
    """Tell whether the asker asks about himself (my, I, 我). "Tell me" and 帮我 ask about something else."""
    bare = _FAVOUR.sub(" ", fold_text(text.text[-2000:]))
    return _SELF_EN.search(bare) is not None or _SELF_ZH.search(bare) is not None
