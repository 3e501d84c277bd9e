"""Chinese in pieces: runs of characters, dictionary words, pairs of characters. Takes folded text."""

from __future__ import annotations

import operator
import re
from itertools import accumulate

__all__ = ["FUNCTION_CHARACTERS", "FUNCTION_WORDS", "SCRIPT", "pairs", "segment", "singles"]

# A run of this class has no word breaks: Han, kana, Hangul. For a regular expression's brackets.
SCRIPT = (
    "\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)

# Words that lose their dictionary entry because `fold_text` folds 著 to 着 and 乾 to 干: shown to the dictionary as
# it knows them. Not after a verb: 穿着名牌.
_LOST = re.compile(r"(?<![穿戴看跟随沿带拿顺照接对朝])着(?=[名作称者述])|(?<=[显卓昭专论原编译巨土遗])着|干(?=[隆坤])")
_KNOWN = {"着": "著", "干": "乾"}

# They stand in nearly every sentence, so on their own they find nothing: not indexed as single characters.
FUNCTION_CHARACTERS = frozenset("的了是在和也就都不有我你他她它这那着过吗呢吧啊呀嘛么个与及或而且被把给对从到向")

# What a question is made of, apart from what it is about. A question of nothing else is searched with all of it.
FUNCTION_WORDS = frozenset(
    """
    的 地 得 了 着 过 是 在 有 和 与 跟 及 或 而 且 但 但是 而且 也 都 就 还 又 再 很 太 更 最 不 没
    没有 把 被 给 对 从 到 向 往 于
    为 以 之 其 所 让 用 由 将 并 等 个 一个 一 一下 一些 有些 些 这 那 这个 那个 这些 那些 这里 那里
    这样 那样 此 某
    我 你 您 他 她 它 我们 你们 他们 她们 它们 咱 咱们 自己 大家 我的 你的 他的 她的 人家
    吗 呢 吧 啊 呀 嘛 么 哦 噢 哈 啦 呗 嗯 哎 喂 请 请问 来着 到底 究竟
    什么 啥 哪 哪里 哪儿 哪个 哪些 哪位 哪天 哪年 哪家 谁 谁的 怎么 怎样 怎么样 如何 为什么 为何 为啥
    干嘛 干什么 多少 几 几个 几点
    几号 几次 多久 多大 多长 多高 多远 什么样 什么时候 啥时候 何时 时候 是不是 是否 有没有 能不能 会不会
    要不要 可不可以 什么地方
    告诉 说 说说 说过 记得 还记得 记不记得 知道 想 想要 要 会 能 能够 可以 应该 需要 可能 一直 已经 曾经
    正在 刚才 刚刚
    今天 昨天 前天 明天 后天 今晚 昨晚
    现在 目前 当前 如今 最新 最近 以前 之前 从前 原来 原先 过去 以后 之后 后来 当时 关于 对于 有关 以及
    因为 所以 如果 虽然 那么
    做 去 来 过的 是的 好 好的 上 下 里 中 内 外 时 帮 帮我 查 查查 查一下 看看 找 找找 找一下 发生 事
    事情 东西
    """.split()  # noqa: SIM905 - a list of words reads as words
)


def segment(run: str) -> list[str]:
    """Return the words of a run, in order; joined, they are the run.

    Without the words inside long words ("search mode"): pairs of characters find those, and R@5 is a point better.
    """
    import rjieba  # here, because it reads its dictionary when it is imported

    known = _LOST.sub(lambda lost: _KNOWN[lost[0]], run)
    words: list[str] = rjieba.cut(known)
    if known == run:
        return words
    ends = list(accumulate(map(len, words)))
    return [run[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def pairs(run: str) -> list[str]:
    """Return every two neighbouring characters of a run."""
    return list(map(operator.add, run, run[1:]))


def singles(run: str) -> list[str]:
    """Return the characters of a run that can be asked for alone (猫, 雨)."""
    return [character for character in run if character not in FUNCTION_CHARACTERS]
