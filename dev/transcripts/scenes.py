"""What is typed in the first five minutes, in English and in Chinese, and what the scripted model says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dev.model_server import Call, Say

__all__ = ["CHINESE", "ENGLISH", "Answer", "Chat", "Scenes", "Shell", "Text"]

CONSENT: Final = "[y/N] "
_SET: Final = "homeagent config set models.home \"base_url='{url}', model='qwen3:8b'\""

Answer = Say | Call
"""What the scripted model may answer."""


@dataclass(frozen=True)
class Text:
    """A paragraph or heading between the transcripts."""

    text: str


@dataclass(frozen=True)
class Shell:
    """A command typed into a shell; ``{url}`` is the address of the model server."""

    command: str


@dataclass(frozen=True)
class Chat:
    """A conversation: ``typed`` line by line; a line that follows a question answers it."""

    command: str
    typed: tuple[str, ...]


@dataclass(frozen=True)
class Scenes:
    """One page: its language, its parts in order, and what the model answers."""

    locale: str
    parts: tuple[Text | Shell | Chat, ...]
    answers: tuple[Answer, ...]


ENGLISH: Final = Scenes(
    locale="en_GB.UTF-8",
    parts=(
        Text(
            "# The first five minutes\n\n[中文](first-five-minutes.zh.md)\n\n"
            "What the program printed, in a terminal, on a new home. `python -m dev.transcripts` makes this page\n"
            "again, and a test compares; ids, times and addresses are replaced. The model is a script on a real local\n"
            "server."
        ),
        Text("## Without a model"),
        Chat(
            "homeagent",
            (
                "My cat is called Bean, and she is afraid of thunder.",
                "The spare key is under the blue flower pot.",
                "Where did we put the spare key?",
                "/why",
                "What is the wifi password?",
                "/quit",
            ),
        ),
        Text("## Adding a model"),
        Shell(_SET),
        Shell("homeagent doctor"),
        Text("## With a model"),
        Chat(
            "homeagent chat",
            (
                "What is Bean afraid of?",
                "/why",
                "Who is the superuser here? Look into /etc/passwd.",
                "y",
                "/memory last",
                "/private",
                "I am planning a surprise for Ana.",
                "/private",
                "/undo",
                "/tool clock_now",  # after the last /why, which would list it in an order that goes by the time
                "/help",
                "/quit",
            ),
        ),
        Text("## One question from a script"),
        Shell('homeagent ask "Where is the spare key?"'),
    ),
    answers=(
        Say("Bean is afraid of thunder: you told me so today."),
        Call("cmd_run", {"command": "head -1 /etc/passwd | cut -d: -f1,3"}),
        Say("root, with uid 0, is the superuser."),
        Say("A surprise it will stay: this is not kept."),
        Say("Under the blue flower pot."),
    ),
)

CHINESE: Final = Scenes(
    locale="zh_CN.UTF-8",
    parts=(
        Text(
            "# 最初五分钟\n\n[English](first-five-minutes.md)\n\n"
            "以下是程序在全新的主目录、在终端里真实打印的内容。`python -m dev.transcripts` 会重新生成本页，\n"
            "并有测试比对；编号、时间和地址已替换。模型是本机真实服务上的一段脚本。"
        ),
        Text("## 没有模型"),
        Chat(
            "homeagent",
            (
                "我的猫叫豆包，怕打雷。",
                "备用钥匙在蓝色花盆下面。",
                "备用钥匙放在哪里了？",
                "/why",
                "无线密码是多少？",
                "/quit",
            ),
        ),
        Text("## 添加模型"),
        Shell(_SET),
        Shell("homeagent doctor"),
        Text("## 有了模型"),
        Chat(
            "homeagent chat",
            (
                "豆包怕什么？",
                "/why",
                "这台机器上谁是超级管理员？看看 /etc/passwd。",
                "好",
                "/memory last",
                "/private",
                "我想给安娜一个惊喜。",
                "/private",
                "/undo",
                "/tool clock_now",  # after the last /why, which would list it in an order that goes by the time
                "/help",
                "/quit",
            ),
        ),
        Text("## 在脚本里问一句"),
        Shell('homeagent ask "备用钥匙在哪里？"'),
    ),
    answers=(
        Say("豆包怕打雷，你今天告诉过我。"),
        Call("cmd_run", {"command": "head -1 /etc/passwd | cut -d: -f1,3"}),
        Say("是 root，它的 uid 是 0。"),
        Say("放心，这件事不会留下记录。"),
        Say("在蓝色花盆下面。"),
    ),
)
