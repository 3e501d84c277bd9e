"""A gateway on this machine that answers for Bilibili's hosts: the page with its state, the player's API, subtitles.

The paths, the shapes and the codes are those of the real service, as yt-dlp's extractor asks for them; the videos are
made up.
"""

import contextlib
import http.server
import json
import threading
import urllib.parse

KNIVES = {
    "bvid": "BV1vL411G7N7",
    "aid": 463665680,
    "cid": 427143201,
    "videos": 1,
    "pic": "http://i1.hdslb.com/bfs/archive/26d2d0b1296534c91ba758076ba33b2ec047e340.jpg",
    "title": "【厨房小课】磨刀的角度到底是多少？",
    "pubdate": 1634554558,
    "ctime": 1634554558,
    "desc": "磨刀石先泡水十分钟。\n角度十五度，两面各二十下。\n更多内容：https://www.bilibili.com/read/cv123456",
    "duration": 254,
    "rights": {"bp": 0, "elec": 0, "download": 1, "is_stein_gate": 0},
    "owner": {"mid": 1680903, "name": "爱下厨的阿岚", "face": "http://i0.hdslb.com/bfs/face/x.jpg"},
    "stat": {
        "aid": 463665680,
        "view": 88123,
        "danmaku": 402,
        "reply": 77,
        "favorite": 910,
        "like": 5120,
        "coin": 33,
        "share": 12,
    },
    "pages": [{"cid": 427143201, "page": 1, "part": "磨刀", "duration": 254}],
}
ENGLISH = KNIVES | {
    "bvid": "BV1aB4y1c7dE",
    "aid": 777,
    "cid": 888,
    "title": "Why sourdough needs a cold night",
    "desc": "-",
    "pages": [{"cid": 888, "page": 1, "part": "dough", "duration": 254}],
    "owner": {"mid": 5, "name": "Bread Lab", "face": ""},
}
VIDEOS = {each["bvid"]: each for each in (KNIVES, ENGLISH)}
TAGS = {KNIVES["bvid"]: ["厨房", "磨刀"], ENGLISH["bvid"]: ["bread", "sourdough"]}
SUBTITLES = {
    427143201: [
        {
            "id": 1,
            "lan": "ai-zh",
            "lan_doc": "中文（自动生成）",
            "is_lock": False,
            "subtitle_url": "//aisubtitle.hdslb.com/bfs/ai_subtitle/prod/zh?auth_key=1777037253-b28028-0-2c79",
            "type": 1,
        },
        {
            "id": 2,
            "lan": "en-US",
            "lan_doc": "English",
            "is_lock": False,
            "subtitle_url": "//aisubtitle.hdslb.com/bfs/subtitle/en.json",
            "type": 0,
        },
    ],
    888: [
        {
            "id": 3,
            "lan": "en-US",
            "lan_doc": "English",
            "is_lock": False,
            "subtitle_url": "//i0.hdslb.com/bfs/subtitle/dough.json",
            "type": 0,
        }
    ],
}
BODIES = {
    "/bfs/ai_subtitle/prod/zh": ["大家好，今天讲磨刀", "先泡十分钟", "拇指按住刀背，不要急"],
    "/bfs/subtitle/en.json": ["hello"],
    "/bfs/subtitle/dough.json": ["Keep the dough at four degrees", "until Wednesday morning"],
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        whole = urllib.parse.urlsplit(self.path)
        host, _, path = whole.path.removeprefix("/").partition("/")
        path = f"/{path}"
        given = dict(urllib.parse.parse_qsl(whole.query))
        match host:
            case "www.bilibili.com" if path.startswith("/video/"):
                return self.page(path.removeprefix("/video/").strip("/"))
            case "b23.tv":
                return self.answer(b"", 302, Location="/www.bilibili.com/video/BV1aB4y1c7dE?share_source=copy_web&p=1")
            case "api.bilibili.com":
                return self.api(path, given)
            case "i0.hdslb.com" | "aisubtitle.hdslb.com" if path in BODIES:
                lines = [
                    {"from": 0.7 + 4 * n, "to": 4.5 + 4 * n, "sid": n + 1, "location": 2, "content": text, "music": 0}
                    for n, text in enumerate(BODIES[path])
                ]
                return self.answer(
                    {
                        "font_size": 0.4,
                        "font_color": "#FFFFFF",
                        "type": "AIsubtitle",
                        "lang": "zh",
                        "version": "v1.7.0.4",
                        "body": lines,
                    }
                )
        return self.answer(b"not found", 404)

    def page(self, name):
        if name == "BV1GoneGone1":
            state = {"error": {"trueCode": -404, "message": "啥都木有"}}
        elif name == "BV1Tired1Out":
            return self.answer(b"<html>security control policy</html>", 412)
        else:
            video = VIDEOS[name]
            tags = [{"tag_id": n, "tag_name": tag} for n, tag in enumerate(TAGS[name])]
            state = {
                "aid": video["aid"],
                "bvid": name,
                "p": 1,
                "videoData": video,
                "upData": {"mid": str(video["owner"]["mid"]), "name": video["owner"]["name"], "sign": ""},
                "tags": tags,
            }
        text = json.dumps(state, ensure_ascii=False, separators=(",", ":")).replace("/", "\\u002F")
        script = f"<script>window.__INITIAL_STATE__={text};(function(){{var s;}}());</script>"
        return self.answer(
            f"<!DOCTYPE html><html><head><title>x_哔哩哔哩_bilibili</title>{script}</head><body></body></html>".encode()
        )

    def api(self, path, given):
        match path:
            case "/x/web-interface/nav":
                images = {
                    name: f"https://i0.hdslb.com/bfs/wbi/{letter * 32}.png"
                    for name, letter in (("img_url", "7"), ("sub_url", "4"))
                }
                return self.answer(
                    {"code": -101, "message": "账号未登录", "ttl": 1, "data": {"isLogin": False, "wbi_img": images}}
                )
            case "/x/player/pagelist":
                return self.answer({"code": 0, "message": "0", "ttl": 1, "data": VIDEOS[given["bvid"]]["pages"]})
            case "/x/player/wbi/playurl":
                good = "w_rid" in given and "wts" in given
                stream = {
                    "id": 16,
                    "baseUrl": "https://upos-sz-mirror.bilivideo.com/1/427143201-1-30011.m4s?e=x",
                    "mimeType": "video/mp4",
                    "codecs": "avc1.64001E",
                    "bandwidth": 300000,
                    "width": 640,
                    "height": 360,
                }
                data = {
                    "quality": 16,
                    "timelength": 254117,
                    "accept_quality": [16],
                    "support_formats": [],
                    "dash": {"duration": 254, "video": [stream], "audio": []},
                }
                return self.answer({"code": 0 if good else -352, "message": "0", "ttl": 1, "data": data})
            case "/x/player/wbi/v2":
                cid = int(given["cid"])
                points = (
                    [
                        {"type": 2, "from": 0, "to": 60, "content": "泡石头"},
                        {"type": 2, "from": 60, "to": 254, "content": "找角度"},
                    ]
                    if cid == 427143201
                    else []
                )
                data = {
                    "aid": 1,
                    "cid": cid,
                    "view_points": points,
                    "need_login_subtitle": False,
                    "subtitle": {"allow_submit": False, "lan": "", "subtitles": SUBTITLES[cid]},
                }
                return self.answer({"code": 0, "message": "0", "ttl": 1, "data": data})
        return self.answer({"code": -404, "message": "啥都木有", "ttl": 1})

    def answer(self, value, status=200, **headers):
        data = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        for name, text in {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Length": str(len(data)),
            **headers,
        }.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving():
    """Serve on a free port of this machine and yield the address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
