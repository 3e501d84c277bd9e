"""What stands around every view, and signing in."""

from __future__ import annotations

from typing import Final

__all__ = ["FRAME"]

FRAME: Final[dict[str, tuple[str, str]]] = {
    "skip": ("Skip to the content", "跳到正文"),
    "menu": ("Show or hide the menu", "显示或隐藏菜单"),
    "nav": ("Views", "页面"),
    "nav_talk": ("Talk", "对话"),
    "nav_memory": ("Memory", "记忆"),
    "nav_home": ("Home", "管理"),
    "nav_chat": ("Chat", "聊天"),
    "nav_timeline": ("Time line", "时间线"),
    "nav_search": ("Search and explain", "搜索与解释"),
    "nav_documents": ("Documents", "文档"),
    "nav_facts": ("Facts", "事实"),
    "nav_graph": ("Graph", "关系图"),
    "nav_people": ("People", "人物"),
    "nav_forget": ("Forget and erase", "遗忘与删除"),
    "nav_policies": ("Policies", "记忆策略"),
    "nav_plugins": ("Plugins", "插件"),
    "nav_models": ("Models and usage", "模型与用量"),
    "nav_settings": ("Settings", "设置"),
    "theme_auto": ("Theme: as the system has it. Change to dark", "主题：跟随系统。点击切换到深色"),
    "theme_dark": ("Theme: dark. Change to light", "主题：深色。点击切换到浅色"),
    "theme_light": ("Theme: light. Change to the system's", "主题：浅色。点击切换为跟随系统"),
    "sign_out": ("Sign out ({person})", "退出登录（{person}）"),
    "pending": ("Computing: {count} to go", "正在计算：还有 {count} 项"),
    "pending_some": ("Some of what was said is still being computed", "还有内容正在计算"),
    "close": ("Close", "关闭"),
    "cancel": ("Cancel", "取消"),
    "none": ("None", "无"),
    "more": ("More", "更多"),
    "unfit": ("{field}: {problem}", "{field}：填写有误（{problem}）"),
    "sign_in": ("Sign in", "登录"),
    "sign_in_about": (
        "This is the memory of one household. Show the token that stands for you.",
        "这是一个家庭的记忆。请用你的令牌登录。",
    ),
    "sign_in_wrong": ("This token does not hold (any more).", "此令牌无效或已作废。"),
    "sign_in_often": ("Wrong too often. Wait a minute.", "错误次数太多，请等一分钟。"),
    "sign_in_broken": (
        "The tokens of this home can't be read, so nobody is let in. The log of the server says why.",
        "此主目录的令牌无法读取，因此不允许任何人进入。原因见服务的日志。",
    ),
    "sign_in_link": (
        "This link was used already, or is older than half an hour. Sign in with the token.",
        "此链接已经用过，或已超过半小时。请用令牌登录。",
    ),
    "sign_in_help": (
        "The server printed a token when it started. For another one: homeagent token new",
        "服务启动时打印了令牌。再建一个：homeagent token new",
    ),
    "token": ("Token", "令牌"),
    "not_found": ("Not found", "找不到页面"),
    "not_found_about": ("There is no view at this address", "这个地址没有页面"),
    "not_found_next": (
        "Choose one from the menu, or look for words that were said.",
        "请从菜单中选择，或搜索说过的话。",
    ),
}
"""Key, then English, then Chinese."""
