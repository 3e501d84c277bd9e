"""Policies."""

from __future__ import annotations

from typing import Final

__all__ = ["POLICIES"]

POLICIES: Final[dict[str, tuple[str, str]]] = {
    "policies_about": (
        (
            "What enters memory of each tool and channel. Words stay in the log whatever you choose here, so every "
            "choice can be changed back."
        ),
        "每个工具和渠道的内容如何进入记忆。无论怎么选，原文都留在日志里，所以随时可以改回来。",
    ),
    "policies_how": ("How to hide a tool, and what the choices mean", "如何隐藏一个工具，各个选项是什么意思"),
    "policy_change": ("Change a policy", "更改策略"),
    "policy_kind": ("Kind", "类型"),
    "tool": ("Tool", "工具"),
    "channel": ("Channel", "渠道"),
    "tools": ("Tools", "工具"),
    "channels": ("Channels", "渠道"),
    "policy_name": ("Name, or a pattern such as web_*", "名称，或 web_* 这样的通配"),
    "policy_what": ("What enters memory", "进入记忆的内容"),
    "cleaner": ("Cleaner", "清洗器"),
    "treatment_plain": ("All of it", "全部"),
    "treatment_plain_about": ("Every word of the output is computed.", "输出的每个字都参与计算。"),
    "treatment_cleaner": ("What a cleaner leaves", "清洗后的部分"),
    "treatment_cleaner_about": (
        "A cleaner takes out the noise first, for example json(content) keeps one field of a JSON answer.",
        "先由清洗器去掉噪声，例如 json(content) 只保留 JSON 中的一个字段。",
    ),
    "treatment_hidden": ("Nothing (hidden)", "不进入（隐藏）"),
    "treatment_hidden_about": (
        (
            "Neither output nor arguments enter memory. To hide a tool: choose “Change” beside it, choose this, "
            "try it, then set it."
        ),
        "输出和参数都不进入记忆。隐藏工具的方法：点它旁边的“更改”，选择此项，先试算，再设定。",
    ),
    "treatment_default": ("The default cleaner", "默认清洗器"),
    "treatment_default_about": (
        (
            "For tools that nobody described: control characters and embedded files are taken out, very long outputs "
            "are shortened."
        ),
        "用于没有声明策略的工具：去掉控制字符和内嵌文件，截短过长的输出。",
    ),
    "change": ("Change", "更改"),
    "policy_amounts": (
        "{segments} outputs so far: {raw} characters said, {computed} computed",
        "至今 {segments} 段：原文 {raw} 字，参与计算 {computed} 字",
    ),
    "policy_amounts_one": (
        "1 output so far: {raw} characters said, {computed} computed",
        "至今 1 段：原文 {raw} 字，参与计算 {computed} 字",
    ),
    "try_policy": ("See what it would do", "试算效果"),
    "try_policy_about": ("Trying changes nothing.", "试算不会改变任何东西。"),
    "unset_policy": ("Take my word back", "撤销我的设置"),
    "working_out": ("Working it out, to the character…", "正在逐字试算……"),
    "would": ("What this policy would do to {name}", "这个策略对 {name} 的效果"),
    "would_nothing": ("Nothing that is in memory would change.", "记忆中的内容不会有任何变化。"),
    "would_drop": (
        "Would drop words of {segments} segments: {before} characters are computed now, {after} then.",
        "将去掉 {segments} 段中的内容：现在计算 {before} 字，之后 {after} 字。",
    ),
    "would_drop_one": (
        "Would drop words of 1 segment: {before} characters are computed now, {after} then.",
        "将去掉 1 段中的内容：现在计算 {before} 字，之后 {after} 字。",
    ),
    "would_add_one": (
        "Would bring in words of 1 segment: {before} characters are computed now, {after} then.",
        "将加入 1 段中的内容：现在计算 {before} 字，之后 {after} 字。",
    ),
    "would_replies_one": (
        "1 reply quotes them: {before} characters of it are computed now, {after} then.",
        "有 1 条回答引用了它们：现在计算 {before} 字，之后 {after} 字。",
    ),
    "show_examples_one": ("Show 1 example", "查看 1 个例子"),
    "policy_set_one": (
        "Set. 1 segment waits to be computed anew; what is to be hidden is hidden already.",
        "已设定。1 段等待重新计算，需要隐藏的已经隐藏。",
    ),
    "would_add": (
        "Would bring in words of {segments} segments: {before} characters are computed now, {after} then.",
        "将加入 {segments} 段中的内容：现在计算 {before} 字，之后 {after} 字。",
    ),
    "would_replies": (
        "{replies} replies quote them: {before} characters of theirs are computed now, {after} then.",
        "有 {replies} 条回答引用了它们：现在计算 {before} 字，之后 {after} 字。",
    ),
    "would_facts": ("{going} facts would go, {coming} would come.", "将去掉 {going} 条事实，新增 {coming} 条。"),
    "show_examples": ("Show {count} examples", "查看 {count} 个例子"),
    "computed_now": ("Computed now", "现在参与计算的"),
    "computed_then": ("Computed then", "之后参与计算的"),
    "set_policy": ("Set this policy", "设定此策略"),
    "set_policy_about": (
        "What it hides is hidden at once; the rest is computed anew in the background.",
        "需要隐藏的立刻隐藏，其余在后台重新计算。",
    ),
    "policy_set": (
        "Set. {count} segments wait to be computed anew; what is to be hidden is hidden already.",
        "已设定。{count} 段等待重新计算，需要隐藏的已经隐藏。",
    ),
    "see_policies": ("See all policies", "查看全部策略"),
    "derived": ("Done: everything is computed under the policies in force.", "完成：全部内容已按现行策略计算。"),
    "deriving": ("Computing anew: {steps}", "正在重新计算：{steps}"),
    "step_of_door": ("by policy", "按策略处理"),
    "step_of_index": ("index", "索引"),
    "step_of_embed": ("vectors", "向量"),
    "step_of_distil": ("facts", "事实"),
    "step_of_document": ("documents", "文档"),
}
"""Key, then English, then Chinese."""
