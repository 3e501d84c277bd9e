"""The time line, turns raw beside computed, search, and documents."""

from __future__ import annotations

from typing import Final

__all__ = ["MEMORY"]

MEMORY: Final[dict[str, tuple[str, str]]] = {
    "timeline_about": (
        "Every turn, word for word, newest first. Open one to see what memory makes of it, and why.",
        "每一轮对话的原文，最新的在前。打开可以看到记忆如何处理它，以及原因。",
    ),
    "timeline_list": ("Turns, newest first", "对话，最新的在前"),
    "timeline_forgotten": ("Forgotten", "已遗忘"),
    "timeline_interrupted": ("Interrupted", "已中断"),
    "timeline_failed": ("Failed", "失败"),
    "timeline_open": ("Under way", "进行中"),
    "timeline_files": ("Files", "附件"),
    "timeline_silent": ("(no words)", "（没有文字）"),
    "timeline_undated": ("No date", "没有日期"),
    "timeline_all": ("All {count} turns", "共 {count} 轮"),
    "timeline_some": ("{count} turns so far, more as you scroll", "已载入 {count} 轮，继续滚动可加载更多"),
    "timeline_lost": ("The list could not be fetched. Reload the page.", "无法获取列表，请刷新页面。"),
    "every_chat": ("Every chat", "所有聊天"),
    "chat_of": ("Chat", "聊天"),
    "export": ("Export everything (JSON lines)", "导出全部（JSON lines）"),
    "empty_memory": ("Nothing is remembered yet", "还没有任何记忆"),
    "empty_memory_next": (
        "What is said in a chat stands here at once. Older chats come in with: homeagent memory import FILE",
        "聊天中说的话会立刻出现在这里。导入旧聊天：homeagent memory import 文件",
    ),
    "empty_memory_do": ("Say something", "去说点什么"),
    "back_to_timeline": ("Back to the time line", "返回时间线"),
    "turn_title": ("One turn", "一轮对话"),
    "turn_about": (
        (
            "On the left what was said, word for word. On the right what memory computes of it: what is searched, "
            "summarised and read for facts. What is struck through on the left is not in memory."
        ),
        "左边是原文，一字不差。右边是记忆据此计算的文字：搜索、摘要和事实都只用它。左边划掉的部分不在记忆中。",
    ),
    "when": ("When", "时间"),
    "where": ("Where", "地点"),
    "who": ("Who", "说话人"),
    "present": ("Present", "在场"),
    "name": ("Name", "编号"),
    "is_forgotten_about": (
        "This turn is forgotten: the words stay in the log, nothing of them is computed or recalled.",
        "这轮对话已遗忘：原文仍在日志里，但不计算，也不会被想起。",
    ),
    "legend": ("What do the labels mean?", "这些标签是什么意思？"),
    "decision_whole": ("All in memory", "全部进入记忆"),
    "decision_whole_about": ("Every word of it is computed.", "每个字都参与计算。"),
    "decision_cleaned": ("Cleaned", "清洗后进入记忆"),
    "decision_cleaned_about": (
        "A cleaner took out what is noise; the rest is computed.",
        "清洗器去掉了噪声，其余部分参与计算。",
    ),
    "decision_quote": ("Without quotations", "去掉引用后进入记忆"),
    "decision_quote_about": (
        "The reply copied words of a hidden output; those are left out, its own sentences stay.",
        "回答照抄了隐藏的输出，抄来的部分去掉，自己的话保留。",
    ),
    "decision_hidden": ("Not in memory", "不在记忆中"),
    "decision_hidden_about": (
        "The policy of this tool or channel, or of this message, keeps it out. It stays in the log.",
        "这个工具、渠道或这条消息的策略不让它进入记忆。原文仍在日志里。",
    ),
    "decision_failed": ("Left out: its cleaner failed", "已略去：清洗器出错"),
    "decision_failed_about": (
        "The cleaner failed, so nothing is computed; it is tried again when the policy changes.",
        "清洗器出错，所以不计算；策略改变后会重试。",
    ),
    "decision_empty": ("Nothing to compute", "没有可计算的内容"),
    "decision_empty_about": ("There are no words, or the cleaner left none.", "没有文字，或清洗后没有剩下内容。"),
    "decision_forgotten": ("Forgotten", "已遗忘"),
    "decision_forgotten_about": ("It was taken back; it can be brought back.", "已被撤回，可以恢复。"),
    "decision_waiting": ("Waits to be computed", "等待计算"),
    "role_user": ("Said by a person", "人说的话"),
    "role_assistant": ("Answer", "回答"),
    "role_tool": ("Tool output", "工具输出"),
    "role_system": ("Note of the system", "系统说明"),
    "tool_error": ("The tool failed", "工具出错"),
    "because": ("Why:", "原因："),
    "reason: no policy": ("nothing keeps it out", "没有策略限制它"),
    "raw": ("Word for word ({count} characters)", "原文（{count} 字）"),
    "computed": ("What memory computes ({count} characters)", "记忆据此计算（{count} 字）"),
    "rewritten": (
        "A cleaner rewrote this, so its parts don't correspond one to one.",
        "清洗器改写了这段文字，两边无法逐段对应。",
    ),
    "nothing_said": ("No words.", "没有文字。"),
    "nothing_computed": ("Nothing: no word of it is in memory.", "没有：记忆中一个字都没有。"),
    "nothing_waits": ("Not yet: it waits in the queue.", "还没有：正在排队等待计算。"),
    "show_all": ("Show all {count} characters", "显示全部 {count} 字"),
    "left_out": ("Not in memory", "不在记忆中"),
    "change_policy": ("Change what memory keeps of {tool}", "更改 {tool} 的记忆策略"),
    "cites": ("It draws on", "引用了"),
    "unnamed_file": ("File without a name", "未命名文件"),
    "search_about": (
        "Ask the memory and see what speaks for each hit. Below: find out why a sentence is, or is not, remembered.",
        "查询记忆，并看每条结果为何命中。下方可以查出一句话为什么在、或不在记忆中。",
    ),
    "search_memory": ("Search the memory", "搜索记忆"),
    "search_words": ("A question, or words", "问题或词语"),
    "search_do": ("Search", "搜索"),
    "found_nothing": ("Nothing to the point was found.", "没有找到切题的内容。"),
    "answerable": (
        "Memory holds an answer with a probability of {percent} %.",
        "记忆中有答案的可能性为 {percent}%。",
    ),
    "search_pending": (
        "{count} turns are not fully searchable yet.",
        "还有 {count} 轮对话尚未完全可搜索。",
    ),
    "speaks_for_it": ("What speaks for it:", "命中原因："),
    "hit_words": ("same words", "词语相同"),
    "hit_bigrams": ("same characters", "字面相近"),
    "hit_symbols": ("same numbers or codes", "编号与符号相同"),
    "hit_dates": ("same date", "日期相同"),
    "hit_names": ("same name", "名称相同"),
    "hit_meaning": ("similar meaning", "意思相近"),
    "hit_speaker": ("who said it", "说话人"),
    "hit_self": ("said of oneself", "说的是自己"),
    "hit_kind": ("kind of sentence", "句子类型"),
    "hit_length": ("length", "长度"),
    "hit_question": ("is a question", "是问句"),
    "hit_neighbours": ("what stands around it", "前后文"),
    "hit_assistant": ("said by the assistant", "助手所说"),
    "hit_fact": ("states the fact asked for", "正是所问的事实"),
    "hit_newest": ("newest", "最新"),
    "why_not": ("Why is this sentence (not) in memory?", "这句话为什么（不）在记忆中？"),
    "why_not_about": (
        (
            "Write some words as they were said, typed or returned by a tool. You see where they stand and what "
            "became of them."
        ),
        "写下原话、或工具输出中的几个字，就能看到它们在哪里、后来如何处理。",
    ),
    "sentence": ("Words of it", "其中的几个字"),
    "why_not_do": ("Find out", "查一查"),
    "never_said": ("These words stand nowhere that you may see.", "在你能看到的范围内，没有这些字。"),
    "never_said_next": (
        "They were never said here in this form, were said incognito, or were erased.",
        "可能从未这样说过、是在无痕中说的，或已被删除。",
    ),
    "in_memory": ("In memory", "在记忆中"),
    "not_in_memory": ("Not in memory", "不在记忆中"),
    "documents_about": (
        "Conversations that left the window, put together by what they are about.",
        "离开当前窗口的对话，按主题归在一起。",
    ),
    "documents_search": ("What are they about?", "按内容查找"),
    "archive_now": ("Put finished turns away now", "立即归档已结束的对话"),
    "empty_documents": ("No documents yet", "还没有文档"),
    "empty_documents_next": (
        "They are made when a conversation grows long, or when you put finished turns away.",
        "对话变长时会自动生成，也可以手动归档已结束的对话。",
    ),
    "document_pending": ("Its summary is still being worked out.", "摘要还在生成。"),
    "document_turns": ("Its turns", "包含的对话"),
    "document_text": ("Word for word", "原文"),
    "back_to_documents": ("Back to the documents", "返回文档"),
}
"""Key, then English, then Chinese."""
