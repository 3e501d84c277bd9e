"""Facts, the graph, people."""

from __future__ import annotations

from typing import Final

__all__ = ["KNOWLEDGE"]

_TITLES: Final[dict[str, tuple[str, str]]] = {
    "facts_about": (
        "What follows from what was said, when it held, and the words that say it.",
        "由说过的话得出的事实、成立的时间，以及出处。",
    ),
    "facts_of": ("About whom or what?", "关于谁或什么？"),
    "facts_current": ("Only what holds now", "只看现在成立的"),
    "facts_pending": ("{count} turns are still to be read for facts.", "还有 {count} 轮对话尚未提取事实。"),
    "facts_cut": (
        "{shown} of {total} are shown: ask about one subject.",
        "只显示 {total} 条中的 {shown} 条，请指定对象。",
    ),
    "empty_facts": ("No facts yet", "还没有事实"),
    "empty_facts_next": (
        "Say something that is so: “My sister is called Lin and lives in Suzhou.”",
        "说一件事，比如“我妹妹叫小林，住在苏州。”",
    ),
    "empty_facts_do": ("Say something", "去说点什么"),
    "not": ("not", "不是"),
    "state_holds": ("Holds", "成立"),
    "state_planned": ("Planned", "计划中"),
    "state_later": ("Said later", "后来才说"),
    "state_over": ("Over", "已过去"),
    "state_denied": ("Denied", "已否认"),
    "state_wrong": ("Said to be wrong", "已更正"),
    "evidence": ("Evidence ({count})", "出处（{count}）"),
    "confidence": ("Confidence {percent} %", "把握 {percent}%"),
    "right_value": ("What is right instead", "正确的是"),
    "correct": ("Correct", "更正"),
    "is_wrong": ("It is just wrong", "只标记为错误"),
    "write_fact": ("Write a fact", "写入一条事实"),
    "subject": ("Whom or what", "对象"),
    "subject_example": ("me, my mother, a name", "我、我妈妈、名字"),
    "relation": ("Relation", "关系"),
    "value": ("Value", "内容"),
    "write_it": ("Write it", "写入"),
    "graph_about": (
        "Who and what facts connect. Drag it, zoom in, and choose somebody to see the facts.",
        "事实把谁和什么连在一起。可以拖动、缩放，点选可查看其事实。",
    ),
    "graph_cut": ("There is more than is shown.", "只显示了一部分。"),
    "graph_picture": (
        "Graph of {nodes} people and things and {edges} facts",
        "关系图：{nodes} 个人和事物，{edges} 条事实",
    ),
    "graph_list": ("The same as a list", "以列表显示"),
    "entity_person": ("Person", "人"),
    "entity_relative": ("Relative or friend", "亲友"),
    "entity_named": ("Named thing", "有名称的事物"),
    "entity_owned": ("Somebody's thing", "某人的东西"),
    "entity_value": ("Value", "内容"),
    "people_about": (
        "Who spoke, in which channel, and who is one and the same.",
        "谁在哪个渠道说过话，哪些是同一个人。",
    ),
    "empty_people": ("Nobody was here yet", "还没有人来过"),
    "empty_people_next": ("Whoever speaks stands here.", "说过话的人会出现在这里。"),
    "empty_people_do": ("Say something", "去说点什么"),
    "facts_of_person": ("Facts", "事实"),
    "unlink": ("Unlink", "取消关联"),
    "unlink_of": ("Unlink {sender}", "取消关联 {sender}"),
    "link_people": ("Say who a sender is", "指明发送者是谁"),
    "sender": ("Sender", "发送者"),
    "is_person": ("is this person", "是这个人"),
    "link_do": ("Link", "关联"),
    "link_undo": ("Take the last change back", "撤销上次更改"),
    "maybe_one": ("Maybe one and the same", "可能是同一个"),
    "maybe_one_about": ("Nothing is merged by itself.", "不会自动合并。"),
    "merged": ("They count as one now; what was said stays as it is.", "现在视为同一个；原话保持不变。"),
    "unmerge": ("Take it back", "撤销合并"),
    "merge": ("They are one", "合并"),
}

_RELATIONS: Final = """
name name 名字|called called 叫|birthday birthday 生日|age age 年龄|from from 来自|lives_in lives in 住在
address address 地址|works_at works at 工作于|works_as works as 职业是|studies_at studies at 就读于|diet diet 饮食
phone phone 电话|email email 邮箱|size size 尺码|located_at is at 位于|value value 值|costs costs 价格
scheduled scheduled 时间定于|in_charge in charge 负责人|is_a is a 是|has has 有|uses uses 使用|likes likes 喜欢
dislikes dislikes 不喜欢|allergic_to allergic to 过敏|eats eats 吃|drinks drinks 喝|plays plays 玩|speaks speaks 会说
studies studies 在学|plans plans 计划|mother mother 母亲|father father 父亲|parent parent 父母|wife wife 妻子
husband husband 丈夫|spouse spouse 配偶|girlfriend girlfriend 女朋友|boyfriend boyfriend 男朋友
fiance fiancé(e) 未婚夫／妻|daughter daughter 女儿|son son 儿子|child child 孩子|brother brother 兄弟|sister sister 姐妹
grandmother grandmother 奶奶／外婆|grandfather grandfather 爷爷／外公|grandchild grandchild 孙辈|aunt aunt 姑姨
uncle uncle 叔舅|cousin cousin 表／堂亲|nephew nephew 侄子／外甥|niece niece 侄女／外甥女
sister_in_law sister-in-law 嫂子／弟妹|brother_in_law brother-in-law 姐夫／妹夫|mother_in_law mother-in-law 婆婆／岳母
father_in_law father-in-law 公公／岳父|friend friend 朋友|colleague colleague 同事|classmate classmate 同学
roommate roommate 室友|neighbour neighbour 邻居|boss boss 上司|subordinate subordinate 下属|assistant assistant 助理
client client 客户|teacher teacher 老师|student student 学生|coach coach 教练|doctor doctor 医生|dentist dentist 牙医
lawyer lawyer 律师|landlord landlord 房东|tenant tenant 租客|cleaner cleaner 保洁|babysitter babysitter 保姆
plumber plumber 水管工|hairdresser hairdresser 理发师
"""


def _relations() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for each in _RELATIONS.strip().replace("\n", "|").split("|"):
        name, rest = each.split(" ", 1)
        english, chinese = rest.rsplit(" ", 1)
        found[f"relation_{name}"] = (english, chinese)
    return found


KNOWLEDGE: Final[dict[str, tuple[str, str]]] = {**_TITLES, **_relations()}
"""Key, then English, then Chinese."""
