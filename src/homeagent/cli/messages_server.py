"""What ``homeagent serve`` and ``homeagent token`` say, in English and in Chinese."""

from __future__ import annotations

from typing import Final

__all__ = ["SERVER"]

SERVER: Final[dict[str, tuple[str, str]]] = {
    "help_serve": (
        "run the server: always on, for OpenAI and MCP clients and pages",
        "运行服务，供 OpenAI、MCP 客户端和网页使用",
    ),
    "help_mcp_serve": (
        "be an MCP server for the program that starts this, over standard input and output",
        "作为启动它的程序的 MCP 服务，使用标准输入和输出",
    ),
    "option_mcp_person": ("in whose name it speaks (owner)", "以谁的名义访问（缺省 owner）"),
    "help_token": ("say who may speak to the server", "管理谁可以访问服务"),
    "help_token_new": ("make a token and show it once", "新建令牌，只显示一次"),
    "help_token_list": ("list the tokens, without their values", "列出令牌，不显示其内容"),
    "help_token_revoke": ("let a token hold no longer", "作废一个令牌"),
    "option_port": (
        "the port to listen at, 0 for a free one (8470)",
        "监听的端口，0 表示任选空闲端口（缺省 8470）",
    ),
    "option_host": (
        "the address to listen at (127.0.0.1: this machine only)",
        "监听的地址（缺省 127.0.0.1，只限本机）",
    ),
    "option_name": (
        "a further host name under which clients ask for it; repeat for several",
        "客户端访问时还可使用的主机名，可重复",
    ),
    "option_no_token": ("print no token", "不打印令牌"),
    "option_token_person": ("whose token it is (owner); others are members", "令牌属于谁（缺省 owner），其余为成员"),
    "option_token_for": ("what it is for, to tell it from others", "用途说明，便于区分"),
    "argument_token": ("the id that 'token list' shows", "token list 显示的编号"),
    "serves": ("HomeAgent listens at {url}", "HomeAgent 已启动：{url}"),
    "serves_passing": (
        "This token holds until the server stops; one that stays: homeagent token new",
        "此令牌在服务停止前有效；新建长期令牌：homeagent token new",
    ),
    "serves_first": (
        "This is the owner's token, shown this once; another one: homeagent token new",
        "这是主人的令牌，只显示这一次；再建一个：homeagent token new",
    ),
    "serves_page": (
        "The page, signed in by this link (once, within half an hour): {link}",
        "打开网页（此链接自动登录，半小时内可用一次）：{link}",
    ),
    "serves_clients": (
        "OpenAI clients: base_url {url}/v1, the token as key. MCP: {url}/mcp",
        "OpenAI 客户端：base_url 填 {url}/v1，密钥填令牌。MCP：{url}/mcp",
    ),
    "serves_others": (
        "Others in the network can reach it, and over plain HTTP they can read tokens: put a TLS proxy before it",
        "网络中的其他人可以访问它，明文 HTTP 会泄露令牌：请在前面加 TLS 代理",
    ),
    "token_line": ("{id}  {person}  {made}  {name}", "{id}　属于 {person}　{made}　{name}"),
    "token_none": ("No tokens yet: homeagent token new", "还没有令牌：homeagent token new"),
    "token_made": (
        "For {person}; it is shown this once. To take it back: homeagent token revoke {id}",
        "属于 {person}，只显示这一次。作废：homeagent token revoke {id}",
    ),
    "token_revoked": ("Token {id} of {person} holds no longer", "{person} 的令牌 {id} 已作废"),
}
"""Key, then English, then Chinese."""
