"""What ``homeagent mcp`` says, in English and in Chinese."""

from __future__ import annotations

from typing import Final

__all__ = ["MCP"]

MCP: Final[dict[str, tuple[str, str]]] = {
    # -- help
    "help_mcp": ("use the tools of MCP servers, and be one", "使用 MCP 服务提供的工具，也可作为 MCP 服务"),
    "help_mcp_list": ("list every MCP server and say whether it is on", "列出所有 MCP 服务以及是否启用"),
    "help_mcp_info": ("show what was agreed to of a server; it is not started", "显示已同意的内容，不启动服务"),
    "help_mcp_add": (
        "add a server: start it once, show its tools and policies, ask",
        "添加服务：启动一次，显示工具和策略，确认后启用",
    ),
    "help_mcp_consent": (
        "start a server once, show its tools and policies, ask",
        "启动服务一次，显示工具和策略，确认后启用",
    ),
    "help_mcp_remove": ("take a server out of the settings; what it said stays", "从设置中移除服务，保留它说过的内容"),
    "argument_mcp": ("the name of a server", "服务名称"),
    "argument_mcp_new": (
        "what to call it: small letters, digits, and a - or _ between them",
        "给它起的名称：小写字母、数字，中间可用 - 或 _",
    ),
    "argument_mcp_words": ("after --: the command that runs it, with its arguments", "-- 之后写启动命令和参数"),
    "option_mcp_url": ("where it is, instead of a command", "服务地址，代替启动命令"),
    "option_mcp_key": ("the environment variable that holds its key", "存放密钥的环境变量名"),
    "option_mcp_pass": ("an environment variable to pass on to it, as often as needed", "要传给它的环境变量，可写多次"),
    "option_mcp_cwd": ("the folder it runs in, else one of its own", "运行所在的文件夹，缺省为它自己的文件夹"),
    # -- list, info
    "mcp_none": (
        "There is no MCP server. To add one: homeagent mcp add time -- uvx mcp-server-time",
        "还没有 MCP 服务。添加：homeagent mcp add time -- uvx mcp-server-time",
    ),
    "mcp_line": ("{name}: {state}; it {runs}", "服务 {name}：{state}；{runs}"),
    "mcp_state_on": ("on, tools: {count}", "已启用，{count} 个工具"),
    "mcp_state_off": (
        "off in the settings; to turn it on: homeagent config set mcp.{name}.enabled true",
        "已在设置中停用；启用：homeagent config set mcp.{name}.enabled true",
    ),
    "mcp_state_asks": (
        "off, not agreed to; to look: homeagent mcp consent {name}",
        "未启用，还没有同意；查看：homeagent mcp consent {name}",
    ),
    "mcp_runs": ("runs {what}", "运行 {what}"),
    "mcp_asks": ("asks {what}", "访问 {what}"),
    "mcp_passed": ("may see these environment variables: {names}", "可以看到这些环境变量：{names}"),
    "mcp_rights": (
        "it runs with your rights: it can read your files and use the network",
        "它以你的权限运行：可以读取你的文件、使用网络",
    ),
    "mcp_confirm_destructive": (
        "you are asked before each call of a tool that destroys something",
        "调用会删除或覆盖内容的工具之前，每次都会询问你",
    ),
    "mcp_confirm_always": (
        "you are asked before each call of a tool that does more than read",
        "除只读工具外，每次调用之前都会询问你",
    ),
    "mcp_confirm_never": ("you are not asked before its tools are called", "调用它的工具之前不会询问你"),
    "mcp_tool": ("tool {tool}, {effect}: {treatment}. {summary}", "工具 {tool}，{effect}：{treatment}。{summary}"),
    "mcp_agreed_tool": ("tool {tool}: {treatment}", "工具 {tool}：{treatment}"),
    "mcp_effect_reads": ("only reads", "只读"),
    "mcp_effect_changes": ("may change things", "可能会改动内容"),
    "mcp_effect_destroys": ("may destroy things", "可能会删除或覆盖内容"),
    "mcp_treatment_default": (
        "its output is remembered without control codes and long encoded data",
        "输出去掉控制字符和长编码数据后参与记忆计算",
    ),
    "mcp_by_owner": ("{treatment} (your policy for {pattern})", "{treatment}（你为 {pattern} 设的策略）"),
    "mcp_problem": ("not as it should be: {problem}", "有问题：{problem}"),
    # -- add, consent, remove
    "mcp_looking": ("Starting {name} once, to see what it offers ...", "正在启动 {name}，查看它提供什么……"),
    "mcp_new_tools": ("new since you agreed, tools: {names}", "新增的工具：{names}"),
    "mcp_new_policies": ("more of their output would be remembered: {names}", "记忆范围变大的工具：{names}"),
    "mcp_new_permissions": ("new since you agreed: {names}", "新增的内容：{names}"),
    "mcp_is_on": ("{name} is on; tools: {count}.", "{name} 已启用，工具 {count} 个。"),
    "mcp_added_off": (
        "It stands in the settings and is off. To look again: homeagent mcp consent {name}",
        "它已写入设置，但未启用。再次查看：homeagent mcp consent {name}",
    ),
    "mcp_is_removed": (
        "{name} is taken out. What its tools said stays, under the policies they had.",
        "{name} 已移除。它的工具说过的内容保留，沿用原来的策略。",
    ),
    "mcp_unknown": ("there is no MCP server of that name", "没有这个名称的 MCP 服务"),
    "mcp_known": ("There are {names}", "现有：{names}"),
    "mcp_there": ("there is a server of that name already", "已有同名的服务"),
    "mcp_there_next": ("Take it out first: homeagent mcp remove {name}", "请先移除它：homeagent mcp remove {name}"),
    "mcp_one_of": ("give either a command after -- or --url", "请在 -- 之后写命令，或者用 --url，二选一"),
    "mcp_one_of_next": (
        "Write e.g. homeagent mcp add time -- uvx mcp-server-time",
        "例如：homeagent mcp add time -- uvx mcp-server-time",
    ),
}  # fmt: skip
