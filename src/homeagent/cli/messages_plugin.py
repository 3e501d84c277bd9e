"""What ``homeagent plugin`` says, in English and in Chinese."""

from __future__ import annotations

from typing import Final

__all__ = ["PLUGIN"]

PLUGIN: Final[dict[str, tuple[str, str]]] = {
    # -- help
    "help_plugin": ("look after plugins, and write one", "管理插件，编写插件"),
    "help_plugin_list": ("list every plugin and say whether it is on", "列出所有插件以及是否启用"),
    "help_plugin_info": ("show a plugin's tools, policies and permissions", "显示插件的工具、策略和权限"),
    "help_plugin_check": (
        "say what is wrong with plugins: manifest, tools, cleaners on recorded outputs",
        "检查插件：清单、工具、清洗器对样本输出的效果",
    ),
    "help_plugin_dev": (
        "run a plugin while you write it: live reload, and call its tools",
        "边写边试插件：自动重新加载，直接调用工具",
    ),
    "help_plugin_new": ("write a small plugin that works, with a test", "生成一个可用的小插件和它的测试"),
    "help_plugin_install": ("show what a plugin wants, ask, put it into the home", "显示插件的要求，确认后装入主目录"),
    "help_plugin_enable": ("turn a plugin on; what it wants is shown and asked first", "启用插件，先显示其要求并确认"),
    "help_plugin_consent": ("show all that a plugin wants, and ask again", "显示插件的全部要求，重新确认"),
    "help_plugin_disable": ("turn a plugin off", "停用插件"),
    "help_plugin_remove": ("take a plugin out of the home; its data stays", "从主目录移除插件，保留它的数据"),
    "option_plugin_yes": ("agree without being asked", "不询问，直接同意"),
    "argument_plugin": ("the name of a plugin, or a file or folder", "插件名称，或文件、文件夹"),
    "argument_plugin_path": ("a plugin's file or folder", "插件的文件或文件夹"),
    "argument_plugin_new": (
        "the name of the new plugin: small letters, digits, _ and -",
        "新插件的名称：小写字母、数字、_ 和 -",
    ),
    # -- list, info
    "plugin_line": ("{name} {version}: {state}", "插件 {name} {version}：{state}"),
    "plugin_state_built_in": ("built in, tools: {count}", "内置，{count} 个工具"),
    "plugin_state_off": (
        "off; to turn it on: homeagent plugin enable {name}",
        "未启用；启用：homeagent plugin enable {name}",
    ),
    "plugin_state_on": ("on", "已启用"),
    "plugin_state_asks": (
        "off: it wants more than was agreed to; to look: homeagent plugin enable {name}",
        "已停用：要求超出了之前的同意；查看：homeagent plugin enable {name}",
    ),
    "plugin_state_broken": ("can't be used: {problem}", "无法使用：{problem}"),
    "plugin_where": ("from {path}", "来自 {path}"),
    "plugin_permissions": ("permissions: {permissions}", "权限：{permissions}"),
    "plugin_limit_net_enforced": ("  no network: enforced by the kernel here", "  无网络：由本机内核强制"),
    "plugin_limit_net_declared": (
        "  no network: only declared, this machine can't enforce it",
        "  无网络：仅声明，本机无法强制",
    ),
    "plugin_limit_net_declared_hosts": (
        "  these hosts and no other: only declared, this machine can't enforce it",
        "  只能访问这些主机：仅为声明，本机无法强制",
    ),
    "plugin_limit_net_hosts": (
        "  these hosts and no other: enforced by the kernel here and by a proxy",
        "  只能访问这些主机：由本机内核和代理强制",
    ),
    "plugin_limit_net_open": ("  the whole network is open to it, by net:*", "  可以访问整个网络（net:*）"),
    "plugin_limit_files_enforced": (
        "  files and programs beyond these: kept from it by the kernel here",
        "  除此之外的文件和程序：由本机内核禁止",
    ),
    "plugin_limit_files_declared": (
        "  files and programs beyond these: only declared, this machine can't enforce it",
        "  除此之外的文件和程序：仅声明，本机无法强制",
    ),
    "plugin_dependencies": ("packages: {packages}", "依赖包：{packages}"),
    "plugin_settings": ("settings in [plugins.{name}]: {settings}", "[plugins.{name}] 的设置：{settings}"),
    "plugin_nothing": ("none", "无"),
    "plugin_no_tools": ("no tool is declared plainly with @tool", "没有用 @tool 直接声明的工具"),
    "plugin_tool": ("tool {tool}: {treatment}. {summary}", "工具 {tool}：{treatment}。{summary}"),
    "plugin_treatment_plain": ("all of its output is remembered", "全部输出参与记忆计算"),
    "plugin_treatment_no_memory": ("none of its output is remembered", "输出不参与记忆计算"),
    "plugin_treatment_cleaner": (
        "of its output what {cleaner} leaves is remembered",
        "输出经 {cleaner} 清洗后参与记忆计算",
    ),
    # -- install, enable, disable, remove
    "plugin_new_tools": ("new since you agreed, tools: {names}", "新增的工具：{names}"),
    "plugin_new_policies": ("more of their output would be remembered: {names}", "记忆范围变大的工具：{names}"),
    "plugin_new_permissions": ("new since you agreed, permissions: {names}", "新增的权限：{names}"),
    "plugin_new_dependencies": ("new since you agreed, packages: {names}", "新增的依赖包：{names}"),
    "plugin_ask": ("Turn it on? [y/N] ", "要启用吗？[y/N] "),
    "plugin_not_agreed": ("It stays off; nothing was changed.", "保持停用，没有做任何改动。"),
    "plugin_needs_yes": ("what it wants is not agreed to yet", "还没有同意它的要求"),
    "plugin_needs_yes_next": ("Read the lines above, then add --yes", "请阅读上面的内容，然后加上 --yes"),
    "plugin_channel_next": (
        "channel {name} answers whom you name by id: homeagent config set channels.{name}.owners '[\"ID\"]'",
        "频道 {name} 只回答你按编号指定的人：homeagent config set channels.{name}.owners '[\"编号\"]'",
    ),
    "plugin_is_on": ("{name} is on; tools: {count}.", "{name} 已启用，工具 {count} 个。"),
    "plugin_preparing": ("Making its environment and loading {name} ...", "正在准备 {name} 的运行环境……"),
    "plugin_is_off": ("{name} is off.", "{name} 已停用。"),
    "plugin_removed": ("{name} is taken out.", "{name} 已移除。"),
    "plugin_data_left": ("Its data is still in {path}", "它的数据仍在 {path}"),
    # -- dev
    "dev_home": ("Its home is {home}", "使用的主目录：{home}"),
    "dev_help": (
        "Call a tool: NAME key=value. :tools, :raw and :computed show all, :sample records the last output, :quit",
        "调用工具：工具名 key=value。:tools 列出工具，:raw、:computed 显示全文，:sample 记录上次输出，:quit 退出",
    ),
    "dev_loaded": ("{name} {version} is loaded.", "已加载 {name} {version}。"),
    "dev_before": ("The one before goes on.", "之前的版本继续运行。"),
    "dev_printed": ("printed: {text}", "打印：{text}"),
    "dev_progress": ("... {text}", "进度：{text}"),
    "dev_done": ("done", "完成"),
    "dev_failed": ("failed", "失败"),
    "dev_raw": (
        "{tool}: {state} in {seconds} s; raw, {length} characters:",
        "{tool}：{state}，{seconds} 秒；原文 {length} 字符：",
    ),
    "dev_computed": (
        "computed, {length} characters ({decision}: {reason}):",
        "参与计算 {length} 字符（{decision}：{reason}）：",
    ),
    "dev_left_out": ("[{count} characters left out]", "[略去 {count} 字符]"),
    "dev_more_lines": ("  | ... {count} more lines", "  | …… 还有 {count} 行"),
    # -- check, new
    "plugin_checked": ("{path}: {name} {version}", "{path}：插件 {name} {version}"),
    "plugin_checked_tool": ("  tool {tool}: {treatment}", "  工具 {tool}：{treatment}"),
    "plugin_hint": ("hint: {field}: {reason}", "提示：{field}：{reason}"),
    "plugin_good": ("{name} is in order; tools: {count}.", "{name} 没有问题，工具 {count} 个。"),
    "plugin_problem": ("{field}: {reason}", "{field} 有问题：{reason}"),
    "plugin_problem_step": ("  {hint}", "  解决办法：{hint}"),
    "plugin_written": ("Written: {file}", "已生成 {file}"),
    "plugin_new_next": (
        "Try it: homeagent plugin dev {folder}, homeagent plugin check {folder}, and in {folder}: python -m pytest",
        "试一试：homeagent plugin dev {folder}、homeagent plugin check {folder}，并在 {folder} 中运行 python -m pytest",
    ),
}  # fmt: skip
"""Messages by key, in English and in Chinese; gaps in braces."""
