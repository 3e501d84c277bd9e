"""Estimates of tokens, held against counts that real tokenizers gave (Qwen's, GPT-4o's o200k, GPT-4's cl100k)."""

from __future__ import annotations

import json

import pytest

from homeagent.models import Attachment, Message, ModelRequest, TokenEstimator, ToolCall, ToolSpec, Usage

SAMPLES: dict[str, tuple[str, int, int, int]] = {
    "english": (
        (
            "I was thinking about our trip to the lake last summer, when Melanie's kids learn"
            "ed how to swim. Do you remember the name of the small hotel where we stayed? I'd"
            " like to book two rooms there again for the first week of July, if the prices ha"
            "ven't gone up too much since then."
        ),
        62,
        60,
        62,
    ),
    "chinese": (
        (
            "我在想去年夏天我们去湖边的那次旅行，当时小满刚刚学会游泳。你还记得我们住的那家小"
            "旅馆叫什么名字吗？如果价格没有涨太多的话，我想在七月的第一个星期再订两间房，顺便"
            "问问他们有没有儿童餐和停车位。"
        ),
        60,
        75,
        118,
    ),
    "mixed": (
        (
            "帮我看一下 deploy.py 的报错：TypeError: unsupported operand type(s) for +: 'int'"
            " and 'str'，应该是 config.json 里的 port 写成了字符串，改成整数 8080 就好了，然后"
            "重新运行 docker compose up -d。"
        ),
        59,
        58,
        68,
    ),
    "code": (
        (
            'def read_key(source: Source) -> str | None:\n    """Return the key of a sourc'
            'e as it is now."""\n    if source.key_env:\n        key = os.environ.get(sour'
            'ce.key_env, "").strip()\n        if not key:\n            raise KeyMissingErro'
            'r(source.where, "its key is missing", "Set it")\n        return key\n    ret'
            "urn None\n"
        ),
        75,
        75,
        75,
    ),
    "listing": (
        (
            "total 48\ndrwxr-xr-x 5 root root 4096 Nov 30 14:12 .\ndrwxr-xr-x 3 root root 409"
            "6 Nov 30 13:55 ..\n-rw-r--r-- 1 root root 1187 Nov 30 14:02 README.md\n-rwxr-xr-"
            "x 1 root root 8732 Nov 30 14:12 deploy.py\n"
        ),
        113,
        92,
        92,
    ),
    "passwd": (
        (
            "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin"
            "\nbin:x:2:2:bin:/bin:/usr/sbin/nologin\nsys:x:3:3:sys:/dev:/usr/sbin/nologin\n"
        ),
        66,
        70,
        66,
    ),
    "json": (
        (
            '{\n  "path": "/home/user/资料.txt",\n  "ok": true,\n  "lines": 120,\n  "'
            'content": "明天上午九点开会，请带上季度报表。"\n}'
        ),
        44,
        46,
        52,
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_an_estimate_is_near_what_tokenizers_count(name) -> None:
    text, qwen, o200k, cl100k = SAMPLES[name]
    found = TokenEstimator().text(text)

    assert 0.7 <= found / qwen <= 1.45
    assert 0.75 <= found / o200k <= 1.3
    assert found * TokenEstimator().margin("any") >= max(qwen, o200k, cl100k)


@pytest.mark.parametrize("true_cjk", [0.6, 0.8, 1.9])
@pytest.mark.parametrize("true_other", [0.8, 1.25])
def test_reports_of_the_server_correct_both_scripts(true_cjk, true_other) -> None:
    tokens = TokenEstimator()
    chinese, english = "今天天气很好，我们去公园散步吧。", "The quick brown fox jumps over the lazy dog. "

    requests = [
        ModelRequest(
            (Message("user", chinese * (number % 4 + 1) * 20), Message("assistant", english * 30 * (number % 3 + 1)))
        )
        for number in range(12)
    ]
    for request in requests[:8]:
        tokens.observe(request, Usage(round(counted(request, true_cjk, true_other)), 1), "m")
    for request in requests[8:]:
        exact = counted(request, true_cjk, true_other)
        assert tokens.request(request, "m") == pytest.approx(exact, rel=0.12)


def counted(request, true_cjk, true_other) -> float:
    """Return the tokens of a model whose Chinese and English cost so many times the estimate."""
    factors = [true_cjk if message.text[0] > "\u2000" else true_other for message in request.messages]
    texts = [TokenEstimator().text(message.text) for message in request.messages]
    return sum(tokens * factor for tokens, factor in zip(texts, factors, strict=True))


def test_margins_shrink_when_the_server_has_counted() -> None:
    tokens = TokenEstimator()
    request = ModelRequest((Message("user", "hello there"),))
    before = tokens.margin("m")
    for _ in range(2):
        tokens.observe(request, Usage(tokens.request(request), 0), "m")

    assert (before, tokens.margin("m"), tokens.margin("other")) == (1.65, 1.15, 1.65)
    assert tokens.request(request, "m") == pytest.approx(tokens.request(request), abs=1)


def test_nonsense_reports_do_no_harm() -> None:
    tokens = TokenEstimator()
    request = ModelRequest((Message("user", "hello there " * 100),))
    for count in (0, 1, 10_000_000, 0):
        tokens.observe(request, Usage(count, 0), "m")
    tokens.observe(ModelRequest(()), Usage(5, 0), "m")

    assert 0.3 <= tokens.request(request, "m") / tokens.request(request) <= 4


@pytest.mark.parametrize("text", ["4417 90210 3.14159 ", "今天天气很好，我们去公园散步吧。", "The quick brown fox. "])
@pytest.mark.parametrize("first", [1, 12, 200])
def test_a_server_that_always_counts_the_same_makes_no_prompt_too_long(text, first) -> None:
    tokens = TokenEstimator()
    for size in range(first, 400, first):
        tokens.observe(ModelRequest((Message("user", text * size),)), Usage(100, 0), "m")
    sent = tokens.text(text * 1000, "m") * tokens.margin("m")

    assert sent >= 1.65 * tokens.text(text * 1000), "as careful as before anything was learnt"


@pytest.mark.parametrize(
    ("text", "least"), [("今天天气很好，我们去公园散步吧。", 0.65), ("The quick brown fox. ", 0.9)]
)
@pytest.mark.parametrize("share", [0.52, 0.6, 0.7])
def test_a_server_that_counts_a_little_too_few_is_believed_only_so_far(text, least, share) -> None:
    tokens = TokenEstimator()
    for size in range(10, 400, 10):
        request = ModelRequest((Message("user", text * size),))
        tokens.observe(request, Usage(int(share * tokens.request(request)) + 1, 0), "m")

    assert tokens.text(text * 1000, "m") * tokens.margin("m") >= least * tokens.text(text * 1000)


def test_a_server_that_leaves_out_what_it_had_cached_is_not_believed() -> None:
    tokens = TokenEstimator()
    said = "I was thinking about our trip to the lake last summer. "
    for size in range(10, 100):
        request = ModelRequest((Message("user", said * size),))
        exact = tokens.request(request)
        tokens.observe(request, Usage(exact if size == 10 else exact - tokens.text(said * (size - 1)), 0), "m")

    whole = ModelRequest((Message("user", said * 100),))
    assert tokens.request(whole, "m") >= tokens.request(whole)
    assert tokens.margin("m") == 1.65


def test_a_cheap_picture_makes_no_server_doubtful() -> None:
    tokens = TokenEstimator()
    picture = Message("user", "look", attachments=(Attachment("image/png", b"x" * 100_000, "a.png"),))
    for _ in range(3):
        tokens.observe(ModelRequest((picture,)), Usage(90, 0), "m", frozenset({"image/*"}))
        tokens.observe(ModelRequest((Message("user", "hello there " * 100),)), Usage(210, 0), "m")

    assert tokens.margin("m") == 1.15


def test_everything_in_a_request_counts() -> None:
    tokens = TokenEstimator()
    plain = tokens.message(Message("user", "look"))
    picture = Message("user", "look", attachments=(Attachment("image/png", b"x" * 100_000, "a.png"),))
    call = Message("assistant", tool_calls=(ToolCall("c", "cmd_run", json.dumps({"command": "ls " * 50})),))
    tool = ToolSpec(
        "cmd_run", "Run a command. " * 20, {"type": "object", "properties": {"command": {"type": "string"}}}
    )

    assert tokens.message(picture, takes=frozenset({"image/*"})) > plain + 1000
    assert plain < tokens.message(picture) < plain + 60
    assert tokens.message(call) > 50
    assert tokens.tools((tool,)) > 80
    whole = tokens.request(ModelRequest((picture, call), (tool,)))
    assert whole >= tokens.message(picture) + tokens.message(call) + tokens.tools((tool,))


@pytest.mark.parametrize("text", ["", " ", "\n" * 100, "\ud800\0", "😀" * 100, "ก" * 100, "a" * 10_000])
def test_any_text_has_an_estimate(text) -> None:
    assert 0 <= TokenEstimator().text(text) <= max(2 * len(text.encode("utf-8", "replace")), 1)


def test_a_huge_text_is_sampled_and_near_the_whole() -> None:
    tokens = TokenEstimator()
    part = "total 12\ndrwxr-xr-x 2 root root 4096 Jan  1 00:00 资料\n" * 100

    assert tokens.text(part * 2000) == pytest.approx(tokens.text(part) * 2000, rel=0.05)
