"""Two small probes: what a peer does with the output of a tool, and with Chinese.

*Tool output*: one exchange with 24,000 characters of a terminal's log between question and reply, put into a chat of
ordinary small talk the way the peer takes an exchange. Whether the reply's fact is found among the first five, whether
the log's secret is handed out, and how many characters come with it.
*Chinese*: thirty sentences, ten questions that share words with one of them, no spaces between words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench.metrics import percentile

if TYPE_CHECKING:
    from bench.peers.process import Driver
    from bench.peers.vectors import VectorServer

__all__ = ["probe_texts", "probed_chinese", "probed_tools"]

_FIRST: Final = 5
_SECRET: Final = "hx-71-qv-90-token"  # noqa: S105 - made up, to be looked for
_LINES: Final = 320
_TALK: Final = (
    "Good morning, did you sleep well?", "The bread from the corner shop is gone already.",
    "Let us take the bus at nine.", "It rained the whole night.", "Can you water the plants, please?",
    "The film last night was far too long.", "I put your scarf on the chair.", "We are out of coffee.",
    "The neighbours are painting their fence.", "Lunch is in the oven.", "My phone needs a new battery.",
    "The train was late again.",
)  # fmt: skip
_SENTENCES: Final = (
    "我妹妹在杭州的一家书店上班。", "爷爷每天早上去湖边打太极拳。", "新买的洗衣机放在阳台上。",
    "豆豆是一只三岁的橘猫。",
    "我们的暗号是红烧茄子。", "下周五要去医院做体检。", "自行车的钥匙挂在门后面。", "姑姑最喜欢喝龙井茶。",
    "小区的游泳池六月份开放。", "爸爸的手术安排在十月。", "楼下的早餐店关门了。", "昨天的雨下了一整夜。",
    "我把雨伞忘在地铁上了。", "客厅的灯泡该换了。", "邻居家的孩子考上大学了。", "妈妈学会了做蛋糕。",
    "这本小说我看了两遍。", "晚上我们去看电影吧。", "冰箱里没有牛奶了。", "公司搬到了新的办公楼。",
    "周末想去爬山。", "手机的屏幕碎了。", "老师夸他画得好。", "今天的会议取消了。", "快递放在门口了。",
    "他的航班晚点两个小时。", "这家餐厅的鱼很新鲜。", "我报名了一个摄影班。", "朋友送了我一盆绿萝。",
    "秋天的银杏叶很漂亮。",
)  # fmt: skip
_QUESTIONS: Final = (
    "谁在书店上班？", "爷爷在哪里打太极拳？", "洗衣机放在什么地方？", "豆豆是什么动物？", "我们的暗号是什么？",
    "什么时候去医院体检？", "自行车钥匙在哪儿？", "姑姑爱喝什么茶？", "游泳池几月开放？", "爸爸什么时候做手术？",
)  # fmt: skip


def probe_texts() -> list[str]:
    """Return every passage of the probes, to be embedded beforehand."""
    return [*_TALK, *_SENTENCES, "\n".join(content for _, content in _exchange())]


def probed_tools(driver: Driver, server: VectorServer) -> dict[str, object]:
    """Return what became of an exchange with a long log in it."""
    driver.add("probe tools", [_unit(f"talk{place}", ("user", text)) for place, text in enumerate(_TALK)])
    driver.add("probe tools", [_unit("exchange", *_exchange())])
    server.asking = True
    fact = driver.ask("probe tools", "Which user does the backup service run as?", _FIRST)
    secret = driver.ask("probe tools", f"What is {_SECRET}?", _FIRST)
    server.asking = False
    return {
        "reply_found_at_5": "exchange" in fact.ids,
        "secret_handed_out": any(_SECRET in text for text in (*fact.texts, *secret.texts)),
        "characters_handed_out": max((len(text) for text in fact.texts), default=0),
        "characters_of_output": len(_exchange()[1][1]),
    }


def probed_chinese(driver: Driver, server: VectorServer) -> dict[str, object]:
    """Return recall of ten Chinese questions, and how many found nothing at all."""
    driver.add("probe chinese", [_unit(str(place), ("user", text)) for place, text in enumerate(_SENTENCES)])
    server.asking = True
    answers = [driver.ask("probe chinese", text, _FIRST) for text in _QUESTIONS]
    server.asking = False
    first = [answer.ids[:1] == (str(place),) for place, answer in enumerate(answers)]
    five = [str(place) in answer.ids for place, answer in enumerate(answers)]
    return {
        "R@1": round(100 * sum(first) / len(first), 1),
        "R@5": round(100 * sum(five) / len(five), 1),
        "found_nothing": sum(not answer.ids for answer in answers),
        "ask_ms_p50": round(1000 * percentile([answer.seconds for answer in answers], 0.5), 2),
    }


def _unit(name: str, *messages: tuple[str, str]) -> dict[str, object]:
    said = [{"role": role, "content": content} for role, content in messages]
    return {"id": name, "date": "", "messages": said}


def _exchange() -> tuple[tuple[str, str], ...]:
    lines = [
        f"Mar 03 09:{n // 60:02}:{n % 60:02} host systemd[{n}]: Started session {n} of slice {n * 7919 % 9973}."
        for n in range(_LINES)
    ]
    lines[_LINES // 2] = f"Mar 03 09:02:40 host agent[77]: accepted {_SECRET} from the console"
    return (
        ("user", "Look at the journal and tell me about the backup service."),
        ("tool", "\n".join(lines)),
        ("assistant", "The backup service runs as the user nightowl, so it can't read the root folder."),
    )
