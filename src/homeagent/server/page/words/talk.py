"""Chats, and the first look at a new home."""

from __future__ import annotations

from typing import Final

__all__ = ["TALK"]

TALK: Final[dict[str, tuple[str, str]]] = {
    "chats": ("Chats", "聊天列表"),
    "new_chat": ("New chat", "新聊天"),
    "no_chats": ("No chats yet.", "还没有聊天。"),
    "untitled": ("Untitled", "无标题"),
    "turns_count": ("{count} turns", "{count} 轮"),
    "turns_count_one": ("1 turn", "1 轮"),
    "more_chats": ("{count} older chats: find them in the time line", "另有 {count} 个较早的聊天，可在时间线中查找"),
    "older_turns": ("Show older turns", "显示更早的对话"),
    "said_so_far": ("What was said", "对话内容"),
    "runs_elsewhere": ("A turn of this chat is under way.", "这个聊天中有一轮对话正在进行。"),
    "empty_chat": ("Nothing was said here yet", "这里还没有对话"),
    "empty_chat_next": (
        "Tell me something to remember, or ask for something you told me before.",
        "告诉我要记住的事，或问我你以前说过的事。",
    ),
    "write": ("Write a message", "写消息"),
    "write_here": ("Write a message…", "写消息……"),
    "write_help": ("Enter sends, Shift+Enter begins a new line.", "Enter 发送，Shift+Enter 换行。"),
    "send": ("Send", "发送"),
    "stop": ("Stop", "停止"),
    "retry": ("Take back and try again", "撤回并重试"),
    "private": ("Incognito", "无痕"),
    "private_note": (
        "Incognito: nothing that is said now is kept, neither on the disk nor in memory.",
        "无痕：现在说的话不会保留，既不写入磁盘，也不进入记忆。",
    ),
    "private_kept": ("Incognito: not kept", "无痕：不保留"),
    "not_computed": ("Keep, but don't compute", "保留但不计算"),
    "not_computed_about": (
        "What you say stays in the log word for word, and enters no search, summary or fact",
        "原话逐字留在日志里，但不进入搜索、摘要和事实",
    ),
    "attach": ("Attach a file", "添加附件"),
    "detach": ("Take {name} off", "移除 {name}"),
    "file_refused": ("A file is too large (20 MB at most), or there are too many", "文件太大（最多 20 MB）或太多"),
    "you": ("You", "你"),
    "thinking": ("Thinking…", "思考中……"),
    "writing": ("Writing…", "正在回答……"),
    "recalled": ("Recalled {count} passages…", "想起 {count} 段内容……"),
    "recalled_one": ("Recalled 1 passage…", "想起 1 段内容……"),
    "tool_runs": ("{tool} runs…", "{tool} 正在运行……"),
    "running": ("Running…", "运行中……"),
    "tool_done": ("Done in {seconds} s", "完成，用时 {seconds} 秒"),
    "tool_failed": ("Failed after {seconds} s", "失败，用时 {seconds} 秒"),
    "arguments": ("Arguments", "参数"),
    "output": ("Output", "输出"),
    "question": ("A tool asks before it goes on", "工具请求确认"),
    "agree": ("Yes, do it", "同意"),
    "decline": ("No", "不同意"),
    "tokens": ("{count} tokens", "{count} 个 token"),
    "look_computed": ("What memory makes of it", "看记忆如何处理"),
    "why": ("Why this answer? What was recalled", "为何这样回答？看想起了什么"),
    "nothing_recalled": ("Nothing was recalled for this message.", "没有为这条消息想起任何内容。"),
    "recalled_for": ("Recalled for: {question}", "为此回忆：{question}"),
    "nothing_to_the_point": ("Nothing that was found is to the point.", "找到的内容都不切题。"),
    "given": ("The model got it", "已交给模型"),
    "not_given": ("Left out", "未采用"),
    "older_value": ("Older value", "旧的说法"),
    "open_turn": ("Open the turn", "打开这轮对话"),
    "facts_given": ("Facts that the model got", "交给模型的事实"),
    "is_forgotten": ("Forgotten", "已遗忘"),
    "status": ("Status", "状态"),
    "status_done": ("Done", "已完成"),
    "status_failed": ("Failed", "失败"),
    "status_interrupted": ("Interrupted", "已中断"),
    "status_open": ("Under way", "进行中"),
    "welcome": ("Welcome to your home", "欢迎"),
    "welcome_about": (
        "HomeAgent keeps every word of your household, on this machine only. Choose who answers.",
        "HomeAgent 只在本机逐字保存家里说过的话。先选择由谁来回答。",
    ),
    "with_model": ("Answer with a model", "用模型回答"),
    "with_model_about": (
        (
            "Any server that speaks the OpenAI protocol: on this machine, in the house, or a paid one. It is asked "
            "for its list of models, which costs nothing."
        ),
        "任何兼容 OpenAI 协议的服务：本机、家中或付费的都行。保存时只查询模型列表，不产生费用。",
    ),
    "offline": ("Go on without one", "不用模型"),
    "offline_about": (
        (
            "Everything but free answers works: what you say is kept and found again, tools run, nothing leaves the "
            "house. You can add a model at any time."
        ),
        "除自由回答外都能用：说过的话会保存并能找到，工具能运行，数据不出家门。以后随时可以添加模型。",
    ),
    "go_offline": ("Go on offline", "离线使用"),
    "source_name": ("Name of the source", "来源名称"),
    "base_url": ("Address (base URL)", "地址（base URL）"),
    "model": ("Model", "模型"),
    "key": ("Key, if it needs one", "密钥（需要时填写）"),
    "source_prices": ("What it costs, for the sums on this page", "价格，用于本页统计费用"),
    "prompt_price": ("Price of a million tokens in", "每百万输入 token 的价格"),
    "completion_price": ("Price of a million tokens out", "每百万输出 token 的价格"),
    "key_env": ("or the environment variable with the key", "或填写存放密钥的环境变量名"),
    "key_about": (
        "A key is written into a private file of the home and is never shown again.",
        "密钥写入主目录下的私有文件，以后不再显示。",
    ),
    "save_and_try": ("Save and try it", "保存并测试"),
    "trying": ("Asking it…", "正在询问……"),
    "source_ok": ("{name} would answer. Its models: {models}", "{name} 可以使用。它的模型：{models}"),
    "model_answers": ("The model answers. What next?", "模型可用。接下来："),
    "next_steps": ("Three things to try:", "可以试试："),
    "step_talk": ("Say something: “My sister is called Lin.”", "说一句话，比如“我妹妹叫小林。”"),
    "step_look": ("Look at what memory makes of it", "看看记忆如何处理它"),
    "step_policy": ("Say which tools stay out of memory", "设定哪些工具不进入记忆"),
}
"""Key, then English, then Chinese."""
