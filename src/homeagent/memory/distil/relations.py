"""The relations a fact may have: canonical English names, and whether a thing has one value of it at a time."""

from __future__ import annotations

from typing import Final

from homeagent.errors import InputError

__all__ = ["FUNCTIONAL", "KIN", "KIN_EN", "KIN_ZH", "KNOWN", "RELATIONS", "checked_relation", "kin_of"]

_ONE = frozenset(
    (
        *("name", "called", "birthday", "age", "from", "lives_in", "address", "works_at", "works_as", "studies_at"),
        *("diet", "phone", "email", "size", "located_at", "value", "costs", "scheduled", "in_charge"),
    )
)
_MANY = frozenset(
    (
        *("is_a", "has", "uses", "likes", "dislikes", "allergic_to"),
        *("eats", "drinks", "plays", "speaks", "studies", "plans"),
    )
)

# relation | Chinese words | English words; "+" where there is one at a time.
_KIN_TABLE = """
mother+          | 妈妈 母亲 老妈 妈 娘               | mother mom mum mommy mummy
father+          | 爸爸 父亲 老爸 爸 爹               | father dad daddy papa
parent           | 父母 爸妈 家长                     | parents parent
wife+            | 老婆 妻子 太太 媳妇                | wife
husband+         | 老公 丈夫                          | husband
spouse+          | 爱人 伴侣 对象 另一半              | spouse partner
girlfriend+      | 女朋友 女友                        | girlfriend
boyfriend+       | 男朋友 男友                        | boyfriend
fiance+          | 未婚妻 未婚夫                      | fiance fiancee fiancé fiancée
daughter         | 女儿 闺女 大女儿 小女儿            | daughter
son              | 儿子 大儿子 小儿子                 | son
child            | 孩子 宝宝 娃                       | child kid baby
brother          | 哥哥 弟弟 兄弟 大哥 二哥 小弟 哥 弟 | brother
sister           | 姐姐 妹妹 大姐 二姐 小妹 姐 妹     | sister
grandmother      | 奶奶 外婆 姥姥                     | grandmother grandma granny nan
grandfather      | 爷爷 外公 姥爷                     | grandfather grandpa granddad
grandchild       | 孙子 孙女 外孙 外孙女              | grandson granddaughter grandchild
aunt             | 姑姑 姨妈 舅妈 婶婶 伯母 小姨 姑妈 | aunt auntie
uncle            | 叔叔 舅舅 姑父 伯父 姨夫 大伯      | uncle
cousin           | 表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹 | cousin
nephew           | 侄子 外甥                          | nephew
niece            | 侄女 外甥女                        | niece
sister_in_law    | 嫂子 弟妹 小姑子                   | sister-in-law
brother_in_law   | 姐夫 妹夫 小舅子                   | brother-in-law
mother_in_law    | 婆婆 岳母 丈母娘                   | mother-in-law
father_in_law    | 公公 岳父 老丈人                   | father-in-law
friend           | 好朋友 朋友 好友 闺蜜 哥们 发小    | friend mate buddy
colleague        | 同事                               | colleague coworker co-worker workmate
classmate        | 老同学 同学                        | classmate
roommate         | 室友 舍友 合租室友                 | roommate flatmate housemate
neighbour        | 邻居                               | neighbour neighbor
boss             | 老板 上司 领导                     | boss manager supervisor
subordinate      | 下属 手下 徒弟                     | subordinate apprentice
assistant        | 助理 秘书                          | assistant secretary
client           | 客户 甲方                          | client customer
teacher          | 老师 班主任                        | teacher tutor
student          | 学生                               | student
coach            | 教练                               | coach trainer
doctor           | 医生 主治医生 家庭医生             | doctor gp
dentist          | 牙医                               | dentist
lawyer           | 律师                               | lawyer solicitor
landlord         | 房东                               | landlord landlady
tenant           | 租客 房客                          | tenant lodger
cleaner          | 保洁 保洁阿姨                      | cleaner
babysitter       | 保姆 月嫂                          | babysitter nanny childminder
plumber          | 水管工                             | plumber
hairdresser      | 理发师                             | hairdresser barber
"""


def _table() -> tuple[frozenset[str], frozenset[str], dict[str, str], dict[str, str]]:
    every: set[str] = set()
    one: set[str] = set()
    chinese: dict[str, str] = {}
    english: dict[str, str] = {}
    for line in _KIN_TABLE.strip().splitlines():
        name, words_zh, words_en = (part.strip() for part in line.split("|"))
        relation = name.rstrip("+")
        every.add(relation)
        if name.endswith("+"):
            one.add(relation)
        chinese |= dict.fromkeys(words_zh.split(), relation)
        english |= dict.fromkeys(words_en.split(), relation)
    return frozenset(every), frozenset(one), chinese, english


KIN, _ONE_KIN, KIN_ZH, KIN_EN = _table()
"""Who somebody is to somebody: the relations, and the words of both languages that name them."""

FUNCTIONAL: Final = _ONE | _ONE_KIN
"""Relations of which there is one value at a time: a newer one bounds it."""

RELATIONS: Final = FUNCTIONAL | _MANY | KIN
"""Every relation there is."""

KNOWN: Final = ", ".join(sorted(RELATIONS - KIN))
"""Those that are not about who somebody is, for messages."""


def kin_of(words: str) -> str | None:
    """Return who "mother", 妈妈 or 我妈妈 is to the one who says so, or None when that is no word for a person."""
    return KIN_EN.get(words) or KIN_ZH.get(words.removeprefix("我").removeprefix("的"))


def checked_relation(relation: str) -> str:
    """Return the relation. Raises `InputError` when there is none of that name."""
    if relation not in RELATIONS:
        raise InputError(
            f"relation {relation!r}", "is not known", f"Use one of {KNOWN}; or a word for a person such as 'mother'"
        )
    return relation
