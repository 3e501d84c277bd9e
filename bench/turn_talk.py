"""A long talk with small facts in it that are asked for at its end; the same every time."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FACTS", "Fact", "small_talk"]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something said once, the question about it, and the word that only the saying holds."""

    said: str
    question: str
    answer: str


FACTS: Final = (
    Fact("The code of the shed door is 4817.", "What is the code of the shed door?", "4817"),
    Fact("Our plumber is called Radoslav Hintze.", "What is our plumber called?", "Hintze"),
    Fact("I left the spare key under the third flower pot.", "Where did I leave the spare key?", "flower pot"),
    Fact("Grandmother's knee operation is on the 14th of June.", "When is grandmother's operation?", "14th of June"),
    Fact("The boiler takes filters of type QX-220.", "Which filters does the boiler take?", "QX-220"),
    Fact("My sister moved to Tampere last spring.", "Where did my sister move?", "Tampere"),
    Fact("The cat must not eat the tuna from Miramar.", "What must the cat not eat?", "Miramar"),
    Fact("We paid 1,340 euros for the new awning.", "How much did we pay for the awning?", "1,340"),
    Fact("Jonah's teacher is Mrs. Vantongeren.", "Who is Jonah's teacher?", "Vantongeren"),
    Fact("The wine for the wedding comes from Pezinok.", "Where does the wedding's wine come from?", "Pezinok"),
    Fact("车库的备用遥控器在蓝色工具箱里。", "车库的备用遥控器在哪里？", "蓝色工具箱"),
    Fact("外婆的药一天吃两次，每次半片。", "外婆的药怎么吃？", "半片"),
    Fact("物业的电话尾号是 6309。", "物业的电话尾号是多少？", "6309"),
    Fact("小满的钢琴老师姓欧阳。", "小满的钢琴老师姓什么？", "欧阳"),
    Fact("我们家的宽带是枫林电信装的。", "家里的宽带是哪家装的？", "枫林电信"),
    Fact("阳台的窗帘要做两米六宽。", "阳台的窗帘要做多宽？", "两米六"),
    Fact("爸爸的生日礼物藏在书柜最上层。", "爸爸的生日礼物藏在哪？", "书柜最上层"),
    Fact("下次体检约在海棠医院。", "下次体检约在哪家医院？", "海棠医院"),
    Fact("煤气表的编号是 GB77-041。", "煤气表的编号是什么？", "GB77-041"),
    Fact("楼下面包店的碱水面包只有周四有。", "碱水面包哪天有？", "周四"),
)
"""Invented; every answer is a word that `small_talk` never says."""

_WHO: Final = ("My neighbour", "The man at the market", "A friend from work", "Somebody on the bus", "The gardener")
_DID: Final = ("talked about", "complained about", "laughed about", "asked me about", "would not stop about")
_WHAT: Final = ("the weather", "old films", "a football match", "the price of bread", "his garden", "the new tram line")
_ZH: Final = (
    "今天又下了一会儿雨",
    "路上有点堵",
    "晚饭吃得很简单",
    "隔壁在装修，有点吵",
    "下午看了一会儿书",
    "外面风很大",
)
_REPLY: Final = "I see. That sounds like an ordinary day, and it is good that you tell me. "


def small_talk(seed: int = 7) -> Iterator[tuple[str, str]]:
    """Yield what the person says and a model's reply, without end; about 80 tokens each time, a third in Chinese."""
    draw = random.Random(seed)  # noqa: S311 - reproducible sentences, no secrets
    while True:
        if draw.random() < 1 / 3:
            said = "，".join(draw.sample(_ZH, 3)) + "。"
        else:
            said = " ".join(f"{draw.choice(_WHO)} {draw.choice(_DID)} {draw.choice(_WHAT)}." for _ in range(3))
        yield said, _REPLY * draw.randint(1, 2)
