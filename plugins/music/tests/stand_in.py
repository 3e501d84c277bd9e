"""A server on this machine that answers as NetEase Cloud Music does: the paths, the shapes and the refusals of its API.

The songs are in the public domain or made up.
"""

import contextlib
import http.server
import json
import threading
import urllib.parse

FAREWELL = {
    "id": 5271858,
    "name": "送别",
    "artists": [
        {
            "id": 11127,
            "name": "李叔同",
            "picUrl": None,
            "alias": [],
            "albumSize": 0,
            "picId": 0,
            "fansGroup": None,
            "img1v1Url": "https://p2.music.126.net/6y-UleORITEDbvrOLV0Q8A==/5639395138885805.jpg",
            "img1v1": 0,
            "trans": None,
        }
    ],
    "album": {
        "id": 512145,
        "name": "学堂乐歌",
        "artist": {"id": 0, "name": "", "picUrl": None},
        "publishTime": 1104508800000,
        "size": 12,
        "copyrightId": 0,
        "status": 1,
        "picId": 109951163200234839,
        "mark": 0,
    },
    "duration": 163472,
    "copyrightId": 7003,
    "status": 0,
    "alias": [],
    "rtype": 0,
    "ftype": 0,
    "mvid": 0,
    "fee": 8,
    "rUrl": None,
    "mark": 134217728,
}
SYNE = {
    "id": 28406557,
    "name": "Auld Lang Syne",
    "ar": [
        {"id": 33, "name": "Robert Burns", "tns": [], "alias": []},
        {"id": 34, "name": "The Hearth Choir", "tns": [], "alias": []},
    ],
    "al": {
        "id": 2808,
        "name": 'Songs for the "Old Year"',
        "picUrl": "https://p1.music.126.net/x==/109951.jpg",
        "tns": [],
        "pic": 109951,
    },
    "dt": 201000,
    "fee": 0,
    "mark": 0,
}
LYRICS = {
    5271858: {
        "sgc": False,
        "sfy": False,
        "qfy": False,
        "lyricUser": {
            "id": 5271858,
            "status": 99,
            "demand": 0,
            "userid": 247658846,
            "nickname": "某某",
            "uptime": 1366946758186,
        },
        "lrc": {
            "version": 34,
            "lyric": '{"t":0,"c":[{"tx":"作词: "},{"tx":"李叔同","li":"http://p1.music.126.net/x.jpg","or":"orpheus://nm/artist/home?id=11127"}]}\n[ti:送别]\n[by:某某]\n[offset:500]\n[00:01.000] 作曲 : J. P. Ordway\n[00:18.84]长亭外，古道边\n[00:21:85][01:10.02]芳草碧连天\n\n[02:40.00]今宵别梦寒\n',
        },
        "klyric": {"version": 0, "lyric": ""},
        "tlyric": {
            "version": 2,
            "lyric": "[00:18.84]Beyond the long pavilion, beside the old road\n[00:21.85]the scented grass meets the sky\n",
        },
        "code": 200,
    },
    28406557: {
        "sgc": False,
        "sfy": False,
        "qfy": False,
        "needDesc": True,
        "pureMusic": True,
        "nolyric": True,
        "code": 200,
        "briefDesc": None,
    },
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        given = dict(urllib.parse.parse_qsl(query))
        if "music.163.com" not in self.headers.get("Referer", ""):
            return self.answer({"code": -460, "message": "Cheating"})
        match path:
            case "/api/search/get":
                return self.answer(found(given["s"], int(given["limit"])))
            case "/api/song/detail":
                songs = [song for song in (FAREWELL, SYNE) if f"[{song['id']}]" == given["ids"]]
                return self.answer({"songs": songs, "equalizers": {}, "code": 200})
            case "/api/song/lyric":
                return self.answer(LYRICS[int(given["id"])])
        return self.answer({"code": 404, "message": "not found"}, 404)

    def answer(self, value, status=200):
        data = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json;charset=UTF-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def found(words, limit):
    match words:
        case "too often":
            return {"code": -460, "message": "Cheating"}
        case "html":
            return b"<html>gateway</html>"
        case "wrong":
            return {"msg": "参数错误", "code": 400}
    songs = [song for song in (FAREWELL, SYNE) if words.split()[0] in song["name"]]
    result = {"songs": songs[:limit], "hasMore": False, "songCount": len(songs)} if songs else {"songCount": 0}
    return {"result": result, "code": 200}


@contextlib.contextmanager
def serving():
    """Serve on a free port of this machine and yield the address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
