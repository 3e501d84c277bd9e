"""A small web on this machine: articles, a search engine in three dialects, redirects, traps, a page made by scripts."""

import contextlib
import gzip
import http.server
import json
import threading
import urllib.parse

ARTICLE = """<!DOCTYPE html><html lang="zh"><head><meta charset="utf-8"><title>阳台种番茄 - 园艺小站</title>
<style>.x{color:red}</style><script>var tracker = "trackerword";</script></head><body>
<header><nav><ul><li><a href="/">首页导航</a></li><li><a href="/shop">商城入口</a></li></ul></nav></header>
<div class="sidebar"><ul><li><a href="/1">热门文章一号链接</a></li><li><a href="/2">热门文章二号链接</a></li></ul></div>
<article><h1>阳台种番茄</h1><p>四月底播种最好。</p><p>盆要深三十厘米。</p>
<p>每天早上浇一次水，叶子发黄时就要减少浇水的次数，并且检查盆底的排水孔有没有堵住。</p><p>不要淋叶子。</p>
<p>Variety that did best here: Gardener's Delight, sown on 28 April in a sunny corner of the south balcony.</p>
<ul><li>肥料：豆饼</li><li>支架：竹竿</li></ul></article>
<div class="comments"><form><input name="q"><button>发表评论</button></form></div>
<footer><p>版权所有 © 2026 园艺小站 备案号 12345678</p><a href="/about">关于我们</a></footer></body></html>"""

SCRIPTED = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>Timetable</title></head><body><main id="m">loading</main>
<script>fetch('/data.json').then(r => r.json()).then(d => {
  document.getElementById('m').innerHTML = '<h1>Timetable 时刻表</h1>' + d.map(t => '<p>' + t + '</p>').join('')})</script>
</body></html>"""

FORM = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>Form</title></head><body style="height:5000px">
<form action="/said"><input name="q"><button type="submit">Send it</button></form>
<a id="out" href="PRIVATE/secret">out</a> <a id="bounce" href="/to?u=PRIVATE/secret">bounce</a>
<a id="new" href="/article" target="_blank">new window</a> <a id="file" href="file:///etc/hostname">file</a>
<img src="PRIVATE/secret-picture"><iframe src="PRIVATE/secret-frame"></iframe>
<script>fetch('PRIVATE/secret-fetch').catch(() => 0); new WebSocket('ws://127.0.0.1:' + 'PRIVATE'.split(':')[2] + '/secret-socket');
navigator.sendBeacon('PRIVATE/secret-beacon', 'x')</script></body></html>"""

# The shapes of three engines, with results that are made up.
DUCK = """<html><head><title>tomatoes at DuckDuckGo</title></head><body><div id="links" class="results">
<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fgarden.example.org%2Ftomato&amp;rut=0a1b">Balcony tomatoes, <b>step by step</b></a></h2>
<div class="result__extras"><a class="result__url" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fgarden.example.org%2Ftomato&amp;rut=0a1b">garden.example.org/tomato</a></div>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fgarden.example.org%2Ftomato&amp;rut=0a1b">Sow in late <b>April</b>; pots of 30 cm.</a></div></div>
<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fnongye.example.cn%2Ffanqie&amp;rut=0a1c">番茄栽培</a></h2>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fnongye.example.cn%2Ffanqie&amp;rut=0a1c">四月播种。</a></div></div>
</div><div class="feedback-btn"><a href="/feedback">Feedback</a></div></body></html>"""

BING = """<html><head><title>番茄 - 搜索</title></head><body><header><a href="/">必应</a></header><ol id="b_results">
<li class="b_algo"><div class="b_tpcn"><a class="tilk" href="https://garden.example.org/tomato"><div class="tptt">garden.example.org</div></a></div>
<h2><a target="_blank" href="https://www.bing.com/ck/a?!&amp;&amp;p=3f2c&amp;u=a1aHR0cHM6Ly9nYXJkZW4uZXhhbXBsZS5vcmcvdG9tYXRv&amp;ntb=1">Balcony tomatoes, step by step</a></h2>
<div class="b_caption"><p class="b_lineclamp2">Sow in late April; pots of 30 cm.</p></div></li>
<li class="b_algo"><h2><a target="_blank" href="https://nongye.example.cn/fanqie">番茄栽培</a></h2><div class="b_caption"><p>四月播种。</p></div></li>
</ol><footer><a href="/privacy">隐私声明</a></footer></body></html>"""

SEARX = {
    "query": "tomatoes",
    "number_of_results": 0,
    "results": [
        {
            "url": "https://garden.example.org/tomato",
            "title": "Balcony tomatoes, step by step",
            "content": "Sow in late April; pots of 30 cm.",
            "engine": "brave",
            "parsed_url": ["https", "garden.example.org", "/tomato", "", "", ""],
            "template": "default.html",
            "engines": ["brave"],
            "positions": [1],
            "score": 1.0,
            "category": "general",
        },
        {
            "url": "https://nongye.example.cn/fanqie",
            "title": "番茄栽培",
            "content": "四月播种。",
            "engine": "bing",
            "score": 0.5,
            "category": "general",
        },
    ],
    "answers": [],
    "suggestions": ["tomatoes balcony"],
    "unresponsive_engines": [],
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        given = dict(urllib.parse.parse_qsl(query))
        self.server.seen.append(self.path)
        match path:
            case "/article":
                return self.page(ARTICLE)
            case "/gbk":
                return self.answer(ARTICLE.replace("utf-8", "gb2312").encode("gb18030"), kind="text/html")
            case "/gzip":
                return self.answer(gzip.compress(ARTICLE.encode()), headers={"Content-Encoding": "gzip"})
            case "/bomb":
                return self.answer(
                    gzip.compress(b"<p>boom</p>" + b" " * 100_000_000), headers={"Content-Encoding": "gzip"}
                )
            case "/scripted":
                return self.page(SCRIPTED)
            case "/data.json":
                return self.answer(
                    json.dumps(["Bus 12 leaves at 07:40.", "末班车二十三点。"]).encode(), kind="application/json"
                )
            case "/form":
                return self.page(FORM.replace("PRIVATE", self.server.private))
            case "/said":
                return self.page(f"<title>Said</title><body><p>You said {given['q']}</p></body>")
            case "/duck":
                return self.page(DUCK)
            case "/bing":
                return self.page(BING)
            case "/searx":
                return self.answer(json.dumps(SEARX).encode(), kind="application/json")
            case "/to":
                return self.answer(b"", 302, headers={"Location": given["u"]})
            case "/loop":
                return self.answer(b"", 302, headers={"Location": "/loop"})
            case "/pdf":
                return self.answer(b"%PDF-1.7", kind="application/pdf")
            case "/plain":
                return self.answer("a < b 与 c".encode(), kind="text/plain; charset=utf-8")
        return self.answer(b"<h1>nothing here</h1>", 404)

    def page(self, text):
        return self.answer(text.encode())

    def answer(self, data, status=200, kind="text/html; charset=utf-8", headers=()):
        self.send_response(status)
        for name, text in {"Content-Type": kind, "Content-Length": str(len(data)), **dict(headers)}.items():
            self.send_header(name, text)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(data)

    do_POST = do_GET  # noqa: N815 - the name is http.server's

    def log_message(self, *_):
        pass


class Web:
    """Two servers: ``host`` may be visited, ``private`` may not; what each was asked is in ``seen`` and ``leaked``."""

    def __init__(self, own, private):
        self.host = f"localhost:{own.server_address[1]}"
        self.address = f"http://{self.host}"
        self.private = own.private
        self.seen, self.leaked = own.seen, private.seen


@contextlib.contextmanager
def web():
    """Serve both on free ports of this machine."""
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)) for _ in range(2)]
        own, private = servers
        own.private = private.private = f"http://127.0.0.1:{private.server_address[1]}"
        for server in servers:
            server.seen = []
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
        yield Web(own, private)


@contextlib.contextmanager
def serving():
    """Serve and yield the address that may be visited."""
    with web() as found:
        yield found.address
