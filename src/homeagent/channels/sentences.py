"""What the hub itself says in a chat, in English and Chinese. None of it is memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from homeagent.models import ModelError

if TYPE_CHECKING:
    from homeagent.config import ChannelOptions
    from homeagent.errors import HomeAgentError

__all__ = ["Language", "failure", "is_no", "is_yes", "language_of", "say"]

Language = Literal["en", "zh"]
"""A language that people are spoken to in."""

_SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "thinking": ("thinking", "正在想"),
    "tool": ("{tool}", "{tool}"),
    "tools": ("{tool} ({count})", "{tool}（第 {count} 次）"),
    "asking": ("waiting for your answer", "在等你回答"),
    "status": ("... {what} · {seconds} s", "…… {what} · {seconds} 秒"),
    "status_done": ("done · {seconds} s", "完成 · {seconds} 秒"),
    "status_failed": ("stopped · {seconds} s", "停下了 · {seconds} 秒"),
    "ask": ("{question}\n(yes or no)", "{question}\n（回答“是”或“否”）"),
    "stranger": (
        "I am the assistant of one household and only talk with the people of this home.",
        "我是一个家庭的助手，只和这家里的人说话。",
    ),
    "failed": (
        "I could not answer that: something went wrong here. The log of this home says what.",
        "这条我没能回答：这边出了问题，日志里写着原因。",
    ),
    "no_model": (
        "I could not answer that: the model gave no answer. The log of this home says why.",
        "这条我没能回答：模型没有给出回答，日志里写着原因。",
    ),
    "given_up": (
        "I was interrupted several times while answering this and have stopped trying. Please ask me again.",
        "回答这条时我被打断了好几次，已经不再尝试。请再问我一次。",
    ),
    "refused": ("I may not answer that: {reason}", "这条我不能回答：{reason}"),
    "resume": (
        (
            "This program stopped the turn that began with the words below, before there was an answer. What was said "
            "and done in it stands above. Go on with it now: do nothing twice that was done already, and answer."
            "\n{words}"
        ),
        "本程序在回答之前中断了以下面这些话开始的那一轮。其中说过和做过的都在上面。现在接着做：做过的不要再做，然后回答。\n{words}",
    ),
}
_CHINESE: Final = re.compile("[\u3400-\u9fff]")
_YES: Final = frozenset({"y", "yes", "ok", "okay", "sure", "是", "是的", "好", "好的", "可以", "行", "同意", "嗯"})
_NO: Final = frozenset({"n", "no", "nope", "否", "不", "不行", "不可以", "不同意", "不要", "别", "算了"})


def say(key: str, language: Language, /, **values: object) -> str:
    """Return a sentence."""
    english, chinese = _SENTENCES[key]
    return (chinese if language == "zh" else english).format(**values)


def language_of(text: str, options: ChannelOptions) -> Language:
    """Return the language to speak in: the one that is set, else that of the message."""
    if options.language != "auto":
        return options.language
    return "zh" if _CHINESE.search(text) else "en"


def failure(error: HomeAgentError, language: Language) -> str:
    """Return that a turn failed, for whoever waits for the answer: nothing of files, addresses or settings."""
    return say("no_model" if isinstance(error, ModelError) else "failed", language)


def is_yes(text: str) -> bool:
    """Whether a message agrees, and says nothing else."""
    return text.strip().strip(".!。！").casefold() in _YES


def is_no(text: str) -> bool:
    """Whether a message disagrees, and says nothing else."""
    return text.strip().strip(".!。！").casefold() in _NO
