"""What ``homeagent policy`` says, in English and in Chinese."""

from __future__ import annotations

from typing import Final

__all__ = ["POLICY"]

POLICY: Final[dict[str, tuple[str, str]]] = {
    # -- help
    "help_policy": ("what of a tool's output or a channel may be computed", "哪些工具输出和渠道内容可以参与计算"),
    "help_policy_list": ("list every tool and channel with its policy", "列出所有工具和渠道的策略"),
    "help_policy_set": ("set your policy for a tool or channel", "为工具或渠道设置策略"),
    "help_policy_test": ("say what 'set' would do, and change nothing", "试算 set 的效果，不做任何改动"),
    "argument_policy": ("a name, or a glob such as 'mcp.server.*'", "名称，或通配符（如 'mcp.server.*'）"),
    "option_no_memory": ("compute nothing of it", "完全不参与计算"),
    "option_cleaner": ("compute what this cleaner leaves", "只计算清洗后的内容"),
    "option_plain": ("compute all of it", "全部参与计算"),
    "option_unset": ("take your policy back", "取消自己设置的策略"),
    "option_channel_policy": ("NAME is a channel, not a tool", "NAME 是渠道而不是工具"),
    # -- list
    "policies_none": ("No tool or channel has spoken yet.", "还没有任何工具或渠道的内容。"),
    "policy_line": (
        "{kind} {name}: {treatment} ({origin}); {segments} segments, {raw} characters said, {computed} computed",
        "{kind} {name}：{treatment}（{origin}）；{segments} 段，原文 {raw} 字，计算 {computed} 字",
    ),
    "policy_kind_tool": ("tool", "工具"),
    "policy_kind_channel": ("channel", "渠道"),
    "policy_treatment_plain": ("plain", "全部计算"),
    "policy_treatment_hidden": ("hidden", "不计算"),
    "policy_treatment_cleaner": ("cleaner {cleaner}", "清洗 {cleaner}"),
    "policy_treatment_default": ("default cleaner", "默认清洗"),
    "policy_origin_declared": ("declared by its plugin", "插件声明"),
    "policy_origin_config": ("your setting for {pattern}", "你对 {pattern} 的设置"),
    "policy_origin_override": ("set in the memory for {pattern}", "记忆中对 {pattern} 的设置"),
    "policy_origin_returns_memory": ("it returns memory", "返回的是记忆"),
    "policy_origin_default": ("nobody declared a policy", "未声明策略"),
    # -- set and test
    "policy_changed": ("{kind} {name}: {before} -> {after}", "{kind} {name}：从“{before}”改为“{after}”"),
    "policy_same": ("Kept. Nothing that has spoken changes.", "已保存，现有内容没有变化。"),
    "policy_hidden_now": ("In effect. {count} segments to derive again.", "已生效，有 {count} 段需要重新计算。"),
    "policy_waits": (
        "{count} still wait; they are derived in the background of the next commands.",
        "还有 {count} 项待计算，会在之后的命令中继续。",
    ),
    "policy_done": ("Derived.", "计算完成。"),
    "policy_unknown": ("there is no policy of yours for it", "没有为它设置过策略"),
    "policy_unknown_next": ("See 'homeagent policy list'", "请看 homeagent policy list"),
    "trial_segments": (
        "{segments} segments: {before} computed characters now, {after} then",
        "{segments} 段：现在计算 {before} 字，之后 {after} 字",
    ),
    "trial_replies": (
        "{replies} replies that quote them: {before} computed characters now, {after} then",
        "引用它们的回复 {replies} 条：现在计算 {before} 字，之后 {after} 字",
    ),
    "trial_facts": ("facts: {going} go, {coming} come", "事实：减少 {going} 条，增加 {coming} 条"),
    "trial_example": ("e.g. {turn}, {role} ({decision}: {reason})", "例如 {turn}，{role}（{decision}：{reason}）"),
    "trial_nothing": ("Nothing was changed.", "没有做任何改动。"),
    "step_trial": ("trying it out", "试算"),
}
"""Messages by key, in English and in Chinese; gaps in braces."""
