"""``homeagent mcp``: servers are shown before they are agreed to, asked about again when they grow, and taken out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from homeagent.mcp_client import consents_of

SERVERS = Path(__file__).parent.parent / "mcp_client"
FRIENDLY, RAW = SERVERS / "friendly.py", SERVERS / "raw.py"


def test_a_server_is_added_shown_agreed_to_and_used(homeagent, home):
    refused = homeagent("mcp", "add", "friend", "--", sys.executable, FRIENDLY)
    assert refused.code == 1
    assert "tool greet, only reads: its output is remembered without control codes" in refused.err
    assert "tool noise, may change things: none of its output is remembered. Return noise." in refused.err
    assert "tool wipe, may destroy things" in refused.err
    assert "it runs with your rights" in refused.err
    assert "add --yes" in refused.err
    assert "homeagent mcp consent friend" in refused.err
    assert "off, not agreed to" in homeagent("mcp", "list").out
    assert "There is no tool friend__greet" in homeagent("ask", "/tool friend__greet name=Bean").out

    done = homeagent("mcp", "consent", "friend", "--yes")
    assert (done.code, done.out) == (0, "friend is on; tools: 10.\n")
    assert homeagent("mcp", "list").out.startswith("friend: on, tools: 10; it runs ")
    said = homeagent("ask", "/tool friend__greet name=Bean")
    assert "Hello Bean, 你好" in said.out
    assert "zqnoise8841" in homeagent("ask", "/tool friend__noise").out
    assert not homeagent("--json", "memory", "search", "zqnoise8841").json["hits"]
    policies = homeagent("policy", "list").out
    assert "mcp.friend.noise" in policies
    assert "mcp.friend.greet" in policies


def test_the_owners_policies_stand_at_the_server_and_stay_when_it_is_gone(homeagent, home):
    homeagent("mcp", "add", "raw", "--yes", "--", sys.executable, RAW)
    assert homeagent("config", "set", "mcp.raw.policies.*", "no_memory").code == 0
    assert "(your policy for mcp.raw.*)" in homeagent("mcp", "info", "raw").out
    assert "acted" in homeagent("ask", "/tool raw__act").out
    assert not homeagent("--json", "memory", "search", "acted").json["hits"]
    assert homeagent("mcp", "remove", "raw").code == 0
    assert "There is no MCP server" in homeagent("mcp", "list").out
    assert not homeagent("--json", "memory", "search", "acted").json["hits"]
    assert "mcp.raw.act" in homeagent("policy", "list").out
    assert consents_of(home).all() == {}
    homeagent("mcp", "add", "raw", "--yes", "--", sys.executable, RAW)  # without the policy: now it is taken back
    assert homeagent("--json", "memory", "search", "acted").json["hits"]


def test_a_command_that_changed_is_asked_about_again(homeagent, home, caplog):
    homeagent("mcp", "add", "raw", "--yes", "--", sys.executable, RAW)
    assert homeagent("config", "set", "mcp.raw.args", f"['{RAW}', 'twice']").code == 0
    assert "off, not agreed to" in homeagent("mcp", "list").out
    assert "There is no tool raw__act" in homeagent("ask", "/tool raw__act").out
    assert "its command or address has changed" in caplog.text
    asked = homeagent("mcp", "consent", "raw")
    assert asked.code == 1
    assert f"new since you agreed: runs {sys.executable} {RAW} twice" in asked.err
    assert "not as it should be: it has 2 tools named 'say'" in asked.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("add", "friend"), "give either a command after -- or --url"),
        (("add", "friend", "--url", "http://h/", "--", "x"), "give either a command after -- or --url"),
        (("add", "Friend", "--", "x"), "a server is named with"),
        (("add", "friend", "--url", "ftp://h/"), "http:// or https://"),
        (("consent", "nobody"), "there is no MCP server of that name"),
        (("info", "nobody"), "there is no MCP server of that name"),
        (("remove", "nobody"), "there is no MCP server of that name"),
        (("add", "gone", "--yes", "--", "no-such-program-here"), "can't be started"),
        (("add", "gone", "--yes", "--", sys.executable, RAW, "exits"), "it did not start"),
    ],
)
def test_what_is_wrong_is_said(homeagent, words, told):
    done = homeagent("mcp", *words)
    assert done.code == 1
    assert told in done.err
    assert "Traceback" not in done.err


def test_it_speaks_chinese(homeagent, home):
    asked = homeagent("--lang", "zh", "mcp", "add", "friend", "--", sys.executable, FRIENDLY)
    assert "工具 noise，可能会改动内容：输出不参与记忆计算。Return noise." in asked.err
    assert "它以你的权限运行" in asked.err
    gone = homeagent("--lang", "zh", "mcp", "add", "gone", "--yes", "--", "no-such-program-here")
    assert "无法启动" in gone.err
    wrong = homeagent("--lang", "zh", "mcp", "add", "exits", "--yes", "--", sys.executable, RAW, "exits")
    assert "服务 'exits'" in wrong.err
    assert "it did not start" not in wrong.err


def test_json_is_one_object(homeagent, home):
    done = homeagent("--json", "mcp", "add", "raw", "--yes", "--", sys.executable, RAW)
    assert [tool["policy"] for tool in done.json["tools"]] == ["default", "default"]
    assert homeagent("--json", "mcp", "list").json["servers"][0]["state"] == "on"
    assert set(homeagent("--json", "mcp", "info", "raw").json["tools"]) == {"say", "act"}


def test_asking_without_servers_loads_nothing_of_the_protocol(home):
    program = (
        "import sys; from homeagent.cli import run; code = run(['ask', 'My cat is called Bean.']); "
        "print(code, sorted({name.partition('.')[0] for name in sys.modules} & {'mcp', 'mcp_types', 'jsonschema'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
