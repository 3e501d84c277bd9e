"""How Chinese says it: one row a pattern, tried in order, the first that fits a clause wins.

relation | marks | pattern. A pattern must fit the whole clause, from which connectives in front and particles behind are
taken. ``{s}`` is the subject, ``(?P<o>...)`` the value, ``(?P<no>...)`` makes it a denial. Marks: c it replaces an older
value, n a denial, p over, z without a subject it is the speaker's own; the value has to be N a name, P a place, T a time,
W a profession, # an identifier or number, A the subject has to be a thing, H a person. ``a+b``: two relations, ``o`` and ``o2``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from homeagent.memory.distil.relations import KIN_ZH

__all__ = ["ATTRIBUTES", "ROWS", "VALUE_NOUNS", "Pattern", "compiled"]

_ADVERBS = (
    "现在|目前|如今|今年|已经|一直|最近|从小|平时|一般|其实|特别|特|非常|超级|比较|才|真的|最|很|挺|都|"
    "也|还|就|只|又|总|刚|便|老|自己|每天|早上|晚上|常常|经常|通常|个人|以前|从前|曾经|曾|过去|原来|原先|之前|小时候|当年"
)
_SLOTS = {
    "s": r"(?P<s>.{0,24}?)",
    "adv": f"(?:{_ADVERBS}){{0,4}}",
    "advs": _ADVERBS,
    "o": r"(?P<o>.{1,30}?)",
    "n": r"[\"“「『]?[一-鿿A-Za-z·][一-鿿A-Za-z· ]{0,15}?[\"”」』]?",
    "money": r"(?:[¥￥]\s*)?[\d,.一二三四五六七八九十百千万两半]+\s*(?:万|千|百)?\s*(?:块|元|万|美元|欧元|刀|角|毛)[\d一二三四五六七八九]?钱?(?:每?[一]?(?:个月|月|年|斤|次|天))?",
    "kin": "|".join(sorted(KIN_ZH, key=len, reverse=True)),
    "allergen": (
        "青霉素|头孢|阿司匹林|磺胺|花粉|柳絮|尘螨|灰尘|粉尘|花生|坚果|腰果|核桃|芒果|菠萝|桃子|猕猴桃|草莓|牛奶|乳糖|鸡蛋|蛋白|海鲜|虾|螃蟹|蟹|贝类|鱼|大豆"
        "|麸质|小麦|芝麻|酒精|猫毛|狗毛|猫|狗|动物毛发|乳胶|橡胶|金属|镍|紫外线|冷空气|蜂毒|药物|染发剂"
    ),
    "number": r"[\d.一二三四五六七八九十百千两半]+",
}

_PATTERNS: Final = r"""
called     | z N | (?:以后|大家|别人|朋友们?|同事们?|家里人|你们?|您|请|就|都|可以|一般|平时|也|还是)*(?P<no>(?:别|不要|不用|不许)再?)?(?:叫|喊|称呼)我(?:为|做)?(?P<o>{n})(?:就行|就好|就可以|即可|好)*
name       | N   | {s}{adv}(?:的?(?:名字|大名|全名|小名|名))?(?:是叫|叫做|名叫|叫|唤作)(?P<o>{n})
name       | N   | {s}{adv}的(?:名字|大名|全名|小名)是(?P<o>{n})
name       | z X | (?P<s>我){adv}是(?P<o>{n})
age        |     | {s}(?:{advs}|快|满|今年|已|大概|才)*(?:是)?(?P<o>{number}(?:多|个半)?岁(?:半|多)?)
birthday   |     | {s}的?{adv}(?:生日|出生日期)(?:是|在|为|:)+(?:每年的?)?{o}
birthday   | H   | {s}{adv}(?:是)?(?P<o>.{0,16}?(?:日|号|年|月))(?:出生|生)的?
allergic_to|     | {s}{adv}对{o}(?:严重|有点|会)?过敏
allergic_to| H   | {s}{adv}(?:有)?(?:严重|有点|轻微|轻度)?的?(?P<o>{allergen})(?:严重|有点|会)?过敏
allergic_to| H   | {s}{adv}(?:有)?(?P<o>(?!{kin})[一-鿿]{1,5}?)过敏
diet       | H z | {s}{adv}(?:吃|是)(?P<o>全素|素|斋|素食者|素食主义者|素食)(?:的)?
likes      | z   | {s}{adv}(?:最|特别)?(?:喜欢|爱)的[一-鿿]{1,6}(?:是|就是){o}
likes      | z   | (?P<s>我|我自己|.{0,10}?){adv}(?P<o>无肉不欢|无辣不欢|无酒不欢)
dislikes   | z H | {s}{adv}(?:不|不太|不大|不怎么|从不|从来不)(?:喜欢|爱吃|爱喝|爱看|爱){o}
dislikes   | z H | {s}{adv}(?:讨厌|厌恶|受不了|反感|烦|怕吃|嫌弃|恨|忍不了|接受不了){o}
likes      | z H | {s}{adv}(?:喜欢|喜爱|热爱|偏爱|酷爱|钟爱|爱上|迷上|沉迷|爱好是?|的爱好是|爱)(?:了)?(?:吃|喝)?(?P<o>(?!情|人|我|你|她|他|上).{1,24}?)
drinks     | z n H | {s}{adv}(?:不|不再|再也不|从不|已经不)(?:再)?(?:能)?喝{o}
drinks     | z n H | {s}{adv}(?:戒|戒掉|戒了)(?:掉|了)*(?P<o>咖啡|奶茶|酒|可乐|碳酸饮料|饮料|茶)
drinks     | z c H | {s}{adv}(?:改|换|换成|改成)喝(?:了)?{o}
drinks     | H   | {s}{adv}喝(?P<o>(?!了|过|完|点|一|两|几|不|多|醉|得|什么).{1,12}?)
eats       | z n H | {s}{adv}(?:不|不再|再也不|从不|不能)(?:再)?(?:能)?吃(?P<o>(?!饭|了|饱|早|晚|午|药|得).{1,16}?)
uses       | z n H | {s}{adv}(?:不|不再|再也不|已经不)(?:再)?用{o}
uses       | H   | {s}{adv}(?:用的(?:是|都是)|一直(?:在)?用|在用|改用|换用|平时用){o}
speaks     | H   | {s}{adv}会(?:说|讲){o}
plays      | H   | {s}{adv}(?:会|在学|从小学|练)(?:弹|拉|吹|打)(?P<o>[一-鿿]{1,6}?)
studies_at | H   | {s}{adv}(?:在|就读于|考上|考进|转到)(?:了)?(?P<o>.{1,20}?(?:大学|学院|中学|小学|幼儿园|学校|高中|初中|一中|二中|附中|附小|实验|外国语))(?:读|念|上|就读|学习|上学|读书).{0,8}
studies_at | H   | {s}{adv}(?:就读于|考上|考进|转到)(?:了)?(?P<o>.{1,20}?)
studies_at | H p | {s}{adv}毕业于{o}
studies_at | H p | {s}{adv}是?从?(?P<o>.{2,20}?)毕业的?
studies    | H   | {s}{adv}(?:在学|正在学|在自学|开始学|报班学)(?:习)?{o}
works_at+works_as | H W | {s}{adv}在(?P<o>.{1,18}?)(?:里|那边)?(?:当|做|担任|任)(?:了|过|一[名个位])*(?P<o2>.{1,12}?)
works_at   | H   | {s}{adv}(?:是)?在(?P<o>.{1,18}?)(?:那边|里)?(?:上班|工作|任职|做事|供职|打工|干活|实习)(?:的)?
works_at   | H   | {s}{adv}(?:就职于|供职于|任职于|入职|跳槽到|跳槽去|加入)(?:了)?{o}
works_as   | H   | {s}{adv}(?:是|一直)?(?:做|干|搞|当)(?P<o>[一-鿿A-Z]{1,10}?)的
works_as   | H W | {s}{adv}(?:是|当|做|担任|成为)(?:了|过|一?[名个位])*(?P<o>.{1,14}?)
from       | H   | {s}{adv}是(?:土生土长的)?(?P<o>(?!男|女|好|坏|个|一|这|那|我|你|他|她|本|大|老|病|客|什么|哪|谁|同|两|别|名|路|候选|负责|主持|监护|联系)[一-鿿]{1,8}?)人
from       | H   | {s}{adv}(?:的)?(?:老家|家乡|籍贯)(?:是|在){o}的?
from       | H   | {s}{adv}(?:来自|出生在|生在|出生于){o}
lives_in   | z H c | (?P<s>)(?:我们?)?(?:又|刚|刚刚|已经)*(?:搬家到|搬到|搬去|搬进|搬来)(?:了)?(?P<o>[一-鿿A-Za-z0-9]{1,14}?(?:[市区县镇村路街巷弄苑岛]|家园|公寓|城[东西南北]))(?:住|去|来|生活|定居)?
lives_in   | H c | {s}(?:{advs}|要|准备|打算|会|将|想)*(?:搬家到|搬到|搬去|搬进|搬来|迁到|移居)(?:了)?{o}(?:住|去|来|生活|定居)?
lives_in   | H   | {s}{adv}(?P<no>不再|不|没)?(?:住|定居|居住|生活|租房)(?:在|到|于)(?:了)?{o}
lives_in   | H   | {s}{adv}在(?P<o>.{1,14}?)(?:生活|定居|居住|安家|租房|租房子)
lives_in   | z H P | {s}{adv}住(?P<o>[一-鿿A-Za-z0-9]{2,16}?)
in_charge  | A   | {s}的(?:负责人|管理员|联系人|店长|主管)(?:是|为|换成|改成)(?:了)?{o}
in_charge  | A   | {s}{adv}(?:归|由)(?P<o>.{1,8}?)(?:管|负责|管理|打理)
scheduled  | A n | {s}(?:{advs}|临时|突然)*(?P<o>取消|作废|泡汤|黄|不办|不搞|停办)(?:掉)?
scheduled  | A c T | {s}{adv}(?:时间)?(?:改期|推迟|提前|延期|延后|改约|改|挪|顺延|调整|换)(?:到|至|成|在|为)(?:了)?{o}
scheduled  | A T | {s}{adv}(?:时间)?(?:约|预约|定|订|安排|排)(?:好)?(?:在|到|于|的是|是)(?:了)?{o}
scheduled  | A T | {s}{adv}(?:的?(?:(?<!持续)时间|日期))?(?:是|在|:)(?:在)?{o}(?:开始|举行|开|举办|进行)?
located_at | A c | {s}{adv}(?:被)?(?:我)?(?:挪|移|转移|搬|换|改放|改存|收)(?:到|去|进|在|至)(?:了)?{o}
located_at | A c | (?:我|他|她|妈妈|爸爸)?(?:已经)?(?:把|将)(?P<s>.{1,14}?)(?:都)?(?:挪|移|转移|搬|换|收|放|存|塞|藏|挂|停)(?:到|去|进|在|至)(?:了)?{o}
located_at | A   | {s}{adv}(?:都)?(?:被)?(?:放|存|存放|搁|摆|收|藏|停|挂|锁|落|塞|丢|埋|寄存|贴|装|安装|位于|坐落)(?:在|到|进|于)?(?:了)?(?P<o>(?!的).{1,24}?)
located_at | A   | {s}{adv}(?:就)?在(?P<o>[^着].{0,24}?)
located_at | H P | {s}{adv}(?:人)?在(?P<o>.{2,16}?)(?:出差|旅游|旅行|度假|住院|休假|值班)
costs      | A c | {s}{adv}(?:从.{1,12}?)?(?:涨|降|涨价|降价|调整|调|减)(?:到|至|成|为)(?:了)?(?P<o>{money})
costs      | A   | {s}(?:{advs}|一共|总共|大概|大约|差不多)*(?:的价格|的价钱|价格|价钱|售价)?(?:花了?|要|需要|卖|是|为|收|才|只要|每个?月|一个月|每年|一年|:)*(?:我)?(?P<o>{money})
size       | A   | {s}{adv}(?:的?(?:尺寸|大小|宽度?|长度?|高度?|直径|容量|面积|身高|体重))?{adv}(?:是|有|为|:)?(?P<o>[\d.]+\s*(?:x|×|乘)?\s*[\d.]*\s*(?:寸|英寸|厘米|公分|毫米|平米|平方米|平方|平|米|升|cm|mm|m|L|kg|公斤|斤)(?:高|宽|长|厚|重)?)的?
value      | A c # | {s}{adv}(?:从.{1,24}?)?(?:改成|改为|改走|改用|改到|换成|换为|换到|变成|变为|更新为|更新成|升级到|升到|调到|调成|调为|设成|设为|重置为)(?:了)?{o}
value      | A #   | {s}{adv}(?:应该)?(?:是|为|:|=|设的是|写的是)(?:\s*){o}
has        | z n H | {s}{adv}(?:没有|没)(?P<o>(?!有|什么|事|空|时间|办法|人|想|关系|问题|意见|必要|来|去|吃|做|看|带|用|觉|找|听|睡|说|买|收).{1,14}?)
has        | H   | {s}{adv}(?:养了?|拥有)(?P<o>(?!成|老|生|不).{1,18}?)
has        | H   | {s}{adv}有(?P<o>(?!点|时|空|人|事|没|什么|一点|一些|可能|意思|趣|道理|机会|办法|问题|必要|关|效|用|时间|的|意见|待).{1,20}?)
"""
"""The table."""

ATTRIBUTES: Final = {
    "电话": "phone", "电话号码": "phone", "手机号": "phone", "手机号码": "phone", "手机": "phone", "联系电话": "phone",
    "联系方式": "phone", "号码": "phone", "邮箱": "email", "电子邮箱": "email", "邮件地址": "email", "email": "email",
    "住址": "address", "地址": "address", "家庭地址": "address", "鞋码": "size", "尺码": "size", "身高": "size",
    "体重": "size", "衣服尺码": "size", "鞋号": "size", "年龄": "age", "职业": "works_as", "工作": "works_as",
}  # fmt: skip
"""What a person has one of, and the relation it is."""

VALUE_NOUNS: Final = re.compile(
    r"(?:密码|口令|提示|端口|版本|账号|账户|户号|编号|号码?|序列号|型号|接口|规格|尺寸|网址|链接|ip|地址|域名|品牌|血型|尾数|温度"
    r"|频道|暗号|验证码|邮编|时间|颜色|材质|口径|管径|口味|密钥|系统|硬盘|内存|电压|功率|名称|用户名|昵称|格式|语言|车型|车牌)$",
    re.IGNORECASE,
)
"""A thing that ends so has a value that may be any word."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row of the table: ``relations`` has two names where the pattern has two values."""

    relations: tuple[str, ...]
    marks: frozenset[str]
    pattern: re.Pattern[str]


def compiled(table: str, slots: dict[str, str], *, ignore_case: bool = False) -> tuple[Pattern, ...]:
    """Return the rows of a table of patterns; ``slots`` are put in for ``{name}``."""
    flags = re.IGNORECASE if ignore_case else 0
    rows: list[Pattern] = []
    for line in table.strip().splitlines():
        relation, marks, pattern = line.split("|", 2)
        text = pattern.strip()
        for name, slot in slots.items():
            text = text.replace("{" + name + "}", slot)
        rows.append(Pattern(tuple(relation.strip().split("+")), frozenset(marks.split()), re.compile(text, flags)))
    return tuple(rows)


ROWS: Final = compiled(_PATTERNS, _SLOTS)
"""The table, compiled."""
