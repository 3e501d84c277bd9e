"""A stand-in of NapCat on this machine: OneBot v11 over HTTP and WebSocket, with NapCat's shapes and refusals.

``POST /_event`` sends an event to whoever listens, ``POST /_put/NAME`` puts a file there, ``GET /_calls`` tells what was
called.
"""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from websockets.sync.server import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from websockets.sync.server import ServerConnection

TOKEN = "t0k3n"
BOT, OWNER, MING, STRANGER = 10000, 10001, 10002, 66666
FAMILY, WORK = 123456, 654321


def message(
    number: int, user: int, raw: str, *, group: int = 0, name: str = "", card: str = "", parts: object = None
) -> dict[str, object]:
    """Return a message as NapCat sends it."""
    found: dict[str, object] = {
        "self_id": BOT,
        "user_id": user,
        "time": 1777600823 + number,
        "message_id": number,
        "message_seq": number,
        "real_id": number,
        "real_seq": str(4500 + number),
        "message_type": "group" if group else "private",
        "sender": {"user_id": user, "nickname": name, "card": card, **({"role": "member"} if group else {})},
        "raw_message": raw,
        "font": 14,
        "sub_type": "normal" if group else "friend",
        "message": parts or [{"type": "text", "data": {"text": raw}}],
        "message_format": "array",
        "post_type": "message",
    }
    if group:
        found |= {"group_id": group, "group_name": "家庭群"}
    else:
        found["target_id"] = user
    return found


class World:
    """What the QQ of this stand-in holds, and what was done to it."""

    def __init__(self) -> None:
        self.url = self.ws_url = ""
        self.now = 0
        self.calls: list[tuple[str, dict[str, object]]] = []
        self.sockets: set[ServerConnection] = set()
        self.refuse: dict[str, tuple[int, str]] = {}
        self.files: dict[str, bytes] = {}
        self.messages = {
            each["message_id"]: each
            for each in (
                message(
                    101, MING, "外婆家的 WiFi 密码是 tiger-2026&#91;大写&#93;", group=FAMILY, name="小明", card="明明"
                ),
                message(102, OWNER, "[CQ:reply,id=101][CQ:at,qq=10002,name=明明] 收到", group=FAMILY, name="Anna"),
                message(103, BOT, "I am here.", group=FAMILY, name="bot"),
                message(104, OWNER, "the boiler was serviced on Tuesday", name="Anna"),
                message(
                    105,
                    MING,
                    "[CQ:file,file=装修报价.docx,file_id=/f-105,file_size=9000]",
                    group=FAMILY,
                    name="小明",
                    card="明明",
                    parts=[
                        {
                            "type": "file",
                            "data": {"file": "装修报价.docx", "file_id": "/f-105", "file_size": "9000"},
                        }
                    ],
                ),
                message(106, OWNER, "[CQ:video,file=holiday.mp4,url=URL/files/holiday.mp4,file_size=12]", name="Anna"),
            )
        }

    def answer(self, action: str, given: dict[str, object]) -> dict[str, object]:
        """Do what an action asks, and answer as NapCat does."""
        self.calls.append((action, given))
        if action in self.refuse:
            code, words = self.refuse[action]
            return _failed(code, words)
        if action == "get_msg":
            found = self.messages.get(int(str(given["message_id"])))
            return _ok(self._with_addresses(found)) if found else _failed(1200, "消息不存在")
        if action in ("get_group_msg_history", "get_friend_msg_history"):
            kind, number = ("group_id", given.get("group_id")) if "group" in action else ("user_id", given["user_id"])
            rows = [
                each
                for each in self.messages.values()
                if each.get(kind) == number and (kind == "group_id" or "group_id" not in each)
            ]
            until = given.get("message_seq")
            rows = [each for each in rows if until is None or each["message_id"] <= until]
            return _ok({"messages": rows[-int(str(given.get("count", 20))) :]})
        if action in ("send_group_msg", "send_private_msg"):
            number = 900 + sum(name.startswith("send_") for name, _ in self.calls)
            return _ok({"message_id": number})
        if action == "get_recent_contact" and self.now:
            return _ok([{"peerUin": str(FAMILY), "msgTime": str(self.now), "chatType": 2, "peerName": "家庭群"}])
        tables = _tables(self.url)
        return _ok(tables.get(action)) if action in tables else _ok(None)

    def _with_addresses(self, found: dict[str, object]) -> dict[str, object]:
        raw = str(found["raw_message"]).replace("URL/", f"{self.url}/")
        parts = found["message"]
        if "[CQ:video" in raw:
            parts = [{"type": "video", "data": {"file": "holiday.mp4", "url": f"{self.url}/files/holiday.mp4"}}]
        return {**found, "raw_message": raw, "message": parts}

    def tell(self, event: dict[str, object]) -> None:
        """Send an event to whoever listens."""
        if event.get("post_type") == "message":
            self.messages[event["message_id"]] = event
        for socket in list(self.sockets):
            socket.send(json.dumps(event, ensure_ascii=False))


def _ok(data: object) -> dict[str, object]:
    return {"status": "ok", "retcode": 0, "data": data, "message": "", "wording": "", "echo": None}


def _failed(code: int, words: str) -> dict[str, object]:
    return {"status": "failed", "retcode": code, "data": None, "message": words, "wording": words, "echo": None}


def _tables(url: str) -> dict[str, object]:
    member = {"group_id": FAMILY, "sex": "unknown", "age": 0, "area": "", "level": "12", "title": "大厨"}
    times = {"join_time": 1600000000, "last_sent_time": 1777600823}
    return {
        "get_login_info": {"user_id": BOT, "nickname": "bot"},
        "get_group_list": [
            {
                "group_id": FAMILY,
                "group_name": "家庭群",
                "group_remark": "",
                "member_count": 4,
                "max_member_count": 200,
            },
            {"group_id": WORK, "group_name": "Work 项目组", "group_remark": "", "member_count": 31},
        ],
        "get_friend_list": [
            {"user_id": OWNER, "nickname": "Anna", "remark": "", "sex": "female", "level": 30},
            {"user_id": MING, "nickname": "小明", "remark": "Cousin Ming", "sex": "male", "level": 8},
        ],
        "get_group_member_list": [
            {**member, "user_id": BOT, "nickname": "bot", "card": "", "role": "member"},
            {**member, "user_id": OWNER, "nickname": "Anna", "card": "", "role": "owner"},
            {**member, "user_id": MING, "nickname": "小明", "card": "明明", "role": "admin"},
            {**member, "user_id": STRANGER, "nickname": "Anna", "card": "Anna", "role": "member"},
        ],
        "get_group_member_info": {
            **member,
            **times,
            "user_id": MING,
            "nickname": "小明",
            "card": "明明",
            "role": "admin",
        },
        "get_recent_contact": [
            {
                "lastestMsg": message(101, MING, "hi", group=FAMILY, name="小明"),
                "peerUin": str(FAMILY),
                "remark": "",
                "msgTime": "1777636800",
                "chatType": 2,
                "msgId": "7499",
                "sendNickName": "小明",
                "sendMemberName": "明明",
                "peerName": "家庭群",
            },
            {"peerUin": str(OWNER), "remark": "", "msgTime": "1777600800", "chatType": 1, "peerName": "Anna"},
        ],
        "get_group_root_files": {
            "files": [
                {
                    "group_id": FAMILY,
                    "file_id": "/5e1d0c9a-77aa-4d0e",
                    "file_name": "春游路线.pdf",
                    "busid": 102,
                    "size": 345678,
                    "upload_time": 1777500000,
                    "dead_time": 0,
                    "modify_time": 1777500000,
                    "download_times": 7,
                    "uploader": MING,
                    "uploader_name": "明明",
                }
            ],
            "folders": [
                {
                    "group_id": FAMILY,
                    "folder_id": "/a1b2",
                    "folder": "/a1b2",
                    "folder_name": "照片 2026",
                    "create_time": 1700000000,
                    "creator": OWNER,
                    "create_name": "Anna",
                    "total_file_count": 18,
                }
            ],
        },
        "get_group_files_by_folder": {"files": [], "folders": []},
        "get_group_file_url": {"url": f"{url}/files/quote.docx"},
        "get_private_file_url": {"url": f"{url}/files/note.txt"},
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        world: World = self.server.world  # type: ignore[attr-defined]
        data = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path.startswith("/_put/"):
            world.files[self.path.removeprefix("/_put/")] = data
            return self._json(200, {})
        given = json.loads(data or b"{}")
        if self.path == "/_event":
            world.tell(given)
            return self._json(200, {})
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self._json(403, {"message": "token verify failed!"})
        return self._json(200, world.answer(self.path.strip("/"), given))

    def do_GET(self) -> None:
        world: World = self.server.world  # type: ignore[attr-defined]
        if self.path == "/_calls":
            return self._json(200, world.calls)
        name = self.path.removeprefix("/files/")
        if name == "away":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/secret")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        data = world.files.get(name)
        return self._data(200 if data is not None else 404, data or b"", "application/octet-stream")

    def _json(self, status: int, value: object) -> None:
        self._data(status, json.dumps(value, ensure_ascii=False).encode(), "application/json")

    def _data(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def standing_in() -> Iterator[World]:
    """Run both servers."""
    world = World()
    web = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    web.world = world  # type: ignore[attr-defined]
    world.url = f"http://127.0.0.1:{web.server_port}"

    def listen(socket: ServerConnection) -> None:
        if socket.request is None or socket.request.headers.get("Authorization") != f"Bearer {TOKEN}":
            socket.send(json.dumps(_failed(1403, "token验证失败"), ensure_ascii=False))
            return
        about = {"time": 1777600800, "self_id": BOT, "post_type": "meta_event"}
        socket.send(json.dumps({**about, "meta_event_type": "lifecycle", "sub_type": "connect"}))
        status = {"online": True, "good": True}
        socket.send(json.dumps({**about, "meta_event_type": "heartbeat", "status": status, "interval": 30000}))
        world.sockets.add(socket)
        with contextlib.suppress(Exception):
            for _ in socket:
                pass
        world.sockets.discard(socket)

    with serve(listen, "127.0.0.1", 0) as sockets:
        world.ws_url = f"ws://127.0.0.1:{sockets.socket.getsockname()[1]}"
        threads = [threading.Thread(target=each.serve_forever, daemon=True) for each in (web, sockets)]
        for thread in threads:
            thread.start()
        try:
            yield world
        finally:
            for socket in list(world.sockets):
                socket.close()
            web.shutdown()
            web.server_close()
            sockets.shutdown()
            for thread in threads:
                thread.join(5)


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Run it and yield its two addresses, separated by a space."""
    with standing_in() as world:
        yield f"{world.url} {world.ws_url}"
