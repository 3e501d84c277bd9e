"""The command line with the offline model: converted once, and vectors made before they are asked for."""

from __future__ import annotations

import threading
from argparse import Namespace

import numpy as np
import pytest

from homeagent.cli.session import Session
from homeagent.cli.terminal import Terminal
from homeagent.memory import Memory, Place, Segment, Turn
from homeagent.memory.embed.convert import MODEL_FILES


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory):
    """One conversion for the tests of this file."""
    return tmp_path_factory.mktemp("models")


def test_a_question_in_other_words_is_answered_and_the_model_is_prepared_with_progress(
    homeagent, home, lines, model_cache, monkeypatch
):
    monkeypatch.setenv("HOMEAGENT_CACHE", str(model_cache))
    (home / "config.toml").unlink()
    turns = [("d1", "我的猫叫豆豆"), ("d2", "楼下新开了一家面馆"), ("d3", "The boiler was serviced in March.")]
    ran = homeagent("memory", "import", lines(*turns), "--json")
    assert ran.json["pending"] == 0
    assert "preparing the offline model" in ran.err
    ran = homeagent("memory", "search", "what is the name of my pet", "--json")
    assert ran.json["hits"][0]["external_id"] == "d1"
    assert ran.json["pending"] == 0
    assert "preparing" not in ran.err
    (made,) = (model_cache / "models").iterdir()
    assert all((made / name).is_file() for name in MODEL_FILES)
    assert not list(home.glob("**/*.onnx"))


def test_turns_kept_without_vectors_get_them_at_the_next_search(homeagent, home, model_cache, monkeypatch):
    monkeypatch.setenv("HOMEAGENT_CACHE", str(model_cache))
    (home / "config.toml").unlink()
    homeagent("ask", "我的猫叫豆豆。")
    ran = homeagent("memory", "search", "what is the name of my pet", "--json")
    assert ran.json["hits"]
    assert ran.json["pending"] == 0
    assert sum(homeagent("memory", "stats", "--json").json["pending"].values()) == 0


class Held:
    """An embedder that makes its vectors only when it is let go."""

    model_id = "held"
    dimensions = 2

    def __init__(self):
        self.let_go = threading.Event()

    def passages(self, texts):
        self.let_go.wait()
        return np.full((len(texts), 2), 0.5**0.5, np.float32)

    def query(self, text):
        return np.full(2, 0.5**0.5, np.float32)


def test_much_that_is_pending_is_made_only_when_asked_for(home, capsys):
    session = Session(Namespace(home=str(home)), Terminal("en", json=False))
    turns = [Turn(Place("cli", "main"), "owner", (Segment("user", f"Lantern {n}."),)) for n in range(400)]
    embedder = Held()
    with Memory.open(home, embedder=embedder) as memory:
        memory.keep_all(turns)
        assert session.settle(memory, whole=False) == 400
        embedder.let_go.set()
        assert session.settle(memory, whole=True) == 0


def test_doctor_loads_the_model_in_earnest(homeagent, home, model_cache, monkeypatch):
    monkeypatch.setenv("HOMEAGENT_CACHE", str(model_cache))
    (home / "config.toml").unlink()
    found = {check["name"]: check for check in homeagent("doctor", "--json").json["checks"]}
    assert found["model"]["level"] == "ok"
    assert "e5" in found["model"]["found"]
