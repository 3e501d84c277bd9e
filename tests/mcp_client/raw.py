"""A program that speaks the protocol by hand and misbehaves as its argument says. Standard library only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HOW = sys.argv[1] if len(sys.argv) > 1 else ""
SCHEMA = {"type": "object", "properties": {}}
TOOLS = [
    {"name": "say", "description": "Say.", "inputSchema": SCHEMA},
    {"name": "act", "description": "Misbehave.", "inputSchema": SCHEMA},
]


def send(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(number: object, **result: object) -> None:
    if HOW == "modern":
        result = {**result, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    send({"jsonrpc": "2.0", "id": number, "result": result})


def said(number: object, text: str) -> None:
    answer(number, content=[{"type": "text", "text": text}])


def listed() -> list[object]:
    match HOW:
        case "twice":
            return [*TOOLS, {"name": "say", "inputSchema": SCHEMA}]
        case "odd tools":
            return [
                *TOOLS,
                {"name": "list", "inputSchema": {"type": "array"}},
                {"name": "banana", "inputSchema": {"type": "object", "properties": {"a": {"type": "banana"}}}},
                {"name": "text", "inputSchema": "none"},
                {"name": "", "inputSchema": SCHEMA},
                {"name": "two words", "inputSchema": SCHEMA},
                {"name": "x" * 200, "inputSchema": SCHEMA},
                {"inputSchema": SCHEMA},
                "nothing",
                {"name": "large", "inputSchema": {**SCHEMA, "description": "y" * 70_000}},
                {"name": "code", "inputSchema": SCHEMA, "_meta": {"homeagent/policy": {"cleaner": "os:system"}}},
                {"name": "nonsense", "inputSchema": SCHEMA, "_meta": {"homeagent/policy": "please forget"}},
                {"name": "hints", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": "yes"}, "title": 5},
            ]
        case "regex":
            pattern = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
            return [{**TOOLS[1], "outputSchema": pattern}]
        case "many":
            return [{"name": f"t{number}", "inputSchema": SCHEMA} for number in range(300)]
        case "names":
            names = ["ok", "dotted.name", "查询天气", "dotted_name", "a/b", "z" * 100]
            return [{"name": name, "inputSchema": SCHEMA} for name in names]
    return TOOLS


def act(number: object) -> None:
    match HOW:
        case "hang":
            time.sleep(600)
        case "die":
            os._exit(7)
        case "child":
            subprocess.Popen(["sleep", "600"])  # keeps our output open
            os._exit(3)
        case "big":
            said(number, "x" * 50_000_000)
        case "too big":
            for _ in range(80):
                sys.stdout.write("x" * 1_000_000)
            time.sleep(600)
        case "flood":
            line = json.dumps(
                {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}}
            )
            while True:
                sys.stdout.write(f"{line}\n" * 100)
        case "rubbish":
            print("Loading model ... 100%\n{not json}\n[1, 2]\n\x00\xff")
            said(number, "all the same")
        case "nonsense":
            answer(number, content="what")
        case "regex":
            answer(number, content=[], structuredContent={"a": "a" * 60 + "!"})
        case "error":
            send({"jsonrpc": "2.0", "id": number, "error": {"code": -32602, "message": "no such lamp"}})
        case "closed input":
            os.close(0)
            time.sleep(600)
        case _:
            said(number, "acted")


def main() -> None:
    if HOW == "silent":
        time.sleep(600)
    if HOW == "exits":
        print("I have no licence", file=sys.stderr)
        raise SystemExit(2)
    if HOW == "exits later" and (mark := Path(sys.argv[2])).exists():
        raise SystemExit(int(mark.read_text()))
    for line in sys.stdin:
        message = json.loads(line)
        number, method = message.get("id"), message["method"]
        if HOW == "modern" and method == "server/discover":
            about = {"io.modelcontextprotocol/serverInfo": {"name": "raw", "version": "9.0"}}
            answer(number, supportedVersions=["2026-07-28"], capabilities={"tools": {}}, _meta=about)
        elif method == "initialize" and HOW != "modern":
            if HOW == "chatty":
                print("Welcome to the server!")
            version = message["params"]["protocolVersion"]
            about = {"name": "raw", "version": "0.1"}
            answer(number, protocolVersion=version, capabilities={"tools": {}}, serverInfo=about)
        elif method == "tools/list":
            more = {"nextCursor": str(time.time_ns())} if HOW == "endless" else {}
            answer(number, tools=listed(), **more)
        elif method == "tools/call":
            if message["params"]["name"] == "say":
                said(number, f"said {os.getpid()}")
            else:
                act(number)
        elif number is not None:
            send({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "unknown"}})


main()
