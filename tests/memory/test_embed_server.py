"""Vectors from a server, against a real HTTP server in this process that answers as it is told."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from homeagent.errors import EmbedError
from homeagent.memory.compute import ComputeText, DoorKey, QueryText
from homeagent.memory.embed import Embedder, EmbeddingServer, ServerEmbedder

ASCENDING = [1.0, 2.0, 2.0]


class Server(ThreadingHTTPServer):
    """Answers ``/v1/embeddings`` with one vector a text; what differs from that is set on the instance."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.failures, self.body, self.delay, self.vector = [], [], None, 0.0, ASCENDING

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, request):
        if self.body is not None:
            return self.body
        data = [
            {"object": "embedding", "index": number, "embedding": [len(text) + self.vector[0], *self.vector[1:]]}
            for number, text in enumerate(request["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        # The order is the server's to choose; the index counts.
        return json.dumps({"object": "list", "data": data[::-1], "model": request["model"], "usage": usage})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers.get("Authorization"), request))
        time.sleep(self.server.delay)
        status = self.server.failures.pop(0) if self.server.failures else 200
        content = (self.server.answer(request) if status == 200 else '{"error": {"message": "not today"}}').encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def embedder(server):
    made = ServerEmbedder(EmbeddingServer(server.url, "tiny", dimensions=3, retries=0))
    yield made
    made.close()


def computed(*texts):
    return [ComputeText(DoorKey(), text) for text in texts]


def body(*vectors, indices=None):
    numbers = range(len(vectors)) if indices is None else indices
    data = [{"index": number, "embedding": vector} for number, vector in zip(numbers, vectors, strict=True)]
    return json.dumps({"data": data, "model": "tiny"})


def test_vectors_come_in_the_order_of_the_texts_and_with_length_one(server, embedder):
    one: Embedder = embedder

    vectors = one.passages(computed("", "aa", "aaaa"))

    assert (vectors.shape, vectors.dtype) == ((3, 3), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert vectors[:, 0].tolist() == sorted(vectors[:, 0].tolist())
    assert one.query(QueryText("aa")).tolist() == vectors[1].tolist()
    assert one.passages([]).shape == (0, 3)


def test_texts_are_sent_in_batches_with_their_prefixes_and_without_what_json_cannot_hold(server):
    embedder = ServerEmbedder(EmbeddingServer(server.url, "e5", 3, None, "query: ", "passage: ", batch=2))

    embedder.passages(computed("a\0b", "\ud800", "猫"))
    embedder.query(QueryText("谁"))
    embedder.close()

    sent = [request["input"] for _, _, request in server.requests]
    assert sent == [["passage: ab", "passage: \ufffd"], ["passage: 猫"], ["query: 谁"]]
    assert {path for path, _, _ in server.requests} == {"/v1/embeddings"}


def test_an_empty_text_is_sent_as_a_space(server, embedder):
    embedder.passages(computed("", "\0"))

    assert server.requests[0][2]["input"] == [" ", " "]


def test_dimensions_that_were_not_given_are_asked_for_once(server):
    embedder = ServerEmbedder(EmbeddingServer(server.url, "tiny"))

    assert (embedder.dimensions, embedder.dimensions, len(server.requests)) == (3, 3, 1)
    embedder.close()


def test_the_key_comes_from_the_environment_and_shows_nowhere(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret-123")
    url = server.url.replace("http://", "http://user:pass@")
    embedder = ServerEmbedder(EmbeddingServer(url, "tiny", key_variable="MY_KEY"))
    server.failures = [401] * 3

    with pytest.raises(EmbedError, match="MY_KEY") as caught:
        embedder.query(QueryText("a"))

    assert server.requests[0][1] in {"Bearer secret-123", "Basic dXNlcjpwYXNz"}
    for shown in (str(caught.value), embedder.model_id):
        assert "secret-123" not in shown
        assert "pass@" not in shown
    embedder.close()


def test_a_missing_key_is_an_error_before_anything_is_sent(server, monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    embedder = ServerEmbedder(EmbeddingServer(server.url, "tiny", key_variable="MY_KEY"))

    with pytest.raises(EmbedError, match="MY_KEY is not set"):
        embedder.query(QueryText("a"))

    assert server.requests == []


def test_a_server_that_fails_for_a_moment_is_tried_again(server):
    embedder = ServerEmbedder(EmbeddingServer(server.url, "tiny", 3, retries=2))
    server.failures = [503, 429]

    assert embedder.query(QueryText("a")).shape == (3,)
    assert len(server.requests) == 3
    embedder.close()


@pytest.mark.parametrize(
    ("status", "step"), [(400, "makes embeddings"), (401, "key"), (404, "base_url"), (429, "wait"), (500, "log")]
)
def test_a_refusal_says_what_the_server_said_and_what_to_do(server, embedder, status, step):
    server.failures = [status]

    with pytest.raises(EmbedError) as caught:
        embedder.query(QueryText("a"))

    assert caught.value.where == f"embedding server {embedder.model_id}"
    assert str(status) in caught.value.problem
    assert "not today" in caught.value.problem
    assert step in caught.value.next_step


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (body([1, 2, 3]), "asked for 2 vectors, the answer has 1"),
        (body([1, 2, 3], [1, 2, 3], [1, 2, 3]), "asked for 2 vectors, the answer has 3"),
        (body([1, 2, 3], [1, 2, 3], indices=[0, 0]), "not one for each text"),
        (body([1, 2, 3], [1, 2, 3], indices=[[], {}]), "not one for each text"),
        (body([1, 2], [1, 2]), "expected vectors of 3 numbers"),
        (body([1, 2, 3], [1, 2]), "no list of numbers"),
        (body([1, 2, 3], [1, 2, "many"]), "no list of numbers"),
        (body([1, 2, 3], None), "no list of numbers"),
        (body([], []), "expected vectors of 3 numbers"),
        (body([1, 2, 3], [1, 2, float("nan")]), "no direction"),
        (body([1, 2, 3], [1, 2, float("inf")]), "no direction"),
        (body([1, 2, 3], [1e300, 1e300, 1e300]), "no direction"),
        (body([1, 2, 3], [0, 0, 0]), "no direction"),
        ('{"data": null}', "no list of vectors"),
        ('{"error": "no such model"}', "no list of vectors"),
        ("[]", "can't be read|no list of vectors"),
        ("<html>", "can't be read|no list of vectors"),
    ],
)
def test_an_answer_with_anything_wrong_is_refused_whole(server, embedder, answer, problem):
    server.body = answer

    with pytest.raises(EmbedError, match=problem):
        embedder.passages(computed("a", "b"))


def test_a_server_that_does_not_answer_in_time_is_an_error(server):
    embedder = ServerEmbedder(EmbeddingServer(server.url, "tiny", 3, timeout=0.05, retries=0))
    server.delay = 0.5

    with pytest.raises(EmbedError, match=r"no answer within 0\.05 s"):
        embedder.query(QueryText("a"))
    embedder.close()


def test_a_server_that_is_not_there_is_an_error():
    with Server() as closed:
        url = closed.url
    embedder = ServerEmbedder(EmbeddingServer(url, "tiny", 3, retries=0))

    with pytest.raises(EmbedError, match="can't be reached") as caught:
        embedder.query(QueryText("a"))
    assert "check that it runs" in str(caught.value)
    embedder.close()


def test_the_model_id_tells_models_servers_and_prefixes_apart():
    def name(url="http://a/v1", model="m", **other):
        return ServerEmbedder(EmbeddingServer(url, model, **other)).model_id

    names = [name(), name(model="n"), name("http://b/v1"), name("http://a:81/v1"), name(query_prefix="q: ")]

    assert len(set(names)) == len(names)
    assert name("http://a/v1/") == name()


@pytest.mark.parametrize("url", ["", "localhost:11434/v1", "file:///etc/passwd"])
def test_an_address_that_is_no_web_address_is_refused(url):
    with pytest.raises(EmbedError, match="base_url"):
        EmbeddingServer(url, "m")
