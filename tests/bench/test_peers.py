"""Measuring other memories: the protocol with a toy peer in a process of its own, and what is said of one that fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.data import Sets
from bench.dialogues import Dialogues
from bench.options import Options
from bench.peers.drivers.serving import embedder
from bench.peers.environments import OURSELVES, PEERS, Package, python_of
from bench.peers.process import Driver, PeerError
from bench.peers.report import measured_peer, peers_table
from bench.peers.vectors import VectorServer
from bench.vectors import HashedEmbedder, RememberingEmbedder

TOY = "tests.bench.toy_peer"


@pytest.fixture
def server():
    with VectorServer(RememberingEmbedder(HashedEmbedder())) as serving:
        yield serving


@pytest.fixture
def toy(tmp_path):
    with Driver(Path(sys.executable), TOY, tmp_path, seconds=20) as driver:
        yield driver


def unit(name, text):
    return {"id": name, "date": "", "messages": [{"role": "user", "content": text}]}


def test_what_is_added_is_found_and_what_a_peer_prints_is_no_answer(toy, server, tmp_path):
    opened = toy.open(tmp_path, server.address)
    assert (opened.version, opened.uses_vectors) == ("1.0", True)
    toy.add("noise", [unit("a", "the spare key"), unit("b", "备用钥匙在花盆下面")])
    answer = toy.ask("noise", "where is the spare key", 1)
    assert answer.ids == ("a",)
    assert answer.texts == ("the spare key",)
    assert toy.ask("noise", "备用钥匙在花盆下面", 5).ids == ("b", "a")
    assert answer.seconds > 0
    toy.close()
    assert not (tmp_path / "units").exists()


def test_a_peer_that_falls_is_told_in_its_own_words(toy, server, tmp_path):
    toy.open(tmp_path, server.address)
    with pytest.raises(PeerError, match=r"^ValueError: there is no such chat$"):
        toy.add("fall", [unit("a", "words")])
    with pytest.raises(PeerError, match="no such chat"):
        toy.ask("fall", "words", 1)


def test_a_driver_that_is_silent_or_not_there_is_an_error(tmp_path):
    gone = Driver(Path(sys.executable), "bench.no_such_driver", tmp_path)
    with gone, pytest.raises(PeerError, match="No module named"):
        gone.open(tmp_path, "")
    silent = Driver(Path(sys.executable), "asyncio", tmp_path, seconds=0.01)
    with silent, pytest.raises(PeerError, match="no answer to 'open'"):
        silent.open(tmp_path, "")


def test_a_whole_peer_is_measured_on_a_set_and_on_both_probes(toy, server, smoke):
    dialogues = Dialogues(Sets(smoke), "smoke")
    found = measured_peer(toy, server, dialogues, dialogues.conversations)
    asked = [each for row in dialogues.conversations for each in row.queries if not each.adversarial]
    assert found["n"] == len(asked)
    assert 0 < found["R@1"] <= found["R@5"] <= found["R@10"] <= 100
    assert found["disk_mb"] >= 0
    assert found["add_ms"] > 0
    assert found["tool_output"]["characters_of_output"] > 20_000
    assert found["tool_output"]["secret_handed_out"]
    assert 0 <= found["chinese"]["R@1"] <= found["chinese"]["R@5"]
    assert found["chinese"]["found_nothing"] == 0
    assert "R@5" in peers_table({"sets": {"smoke": {"toy": found}}})


def test_this_memory_is_measured_like_a_peer_and_hands_out_no_hidden_output(server, smoke, tmp_path):
    dialogues = Dialogues(Sets(smoke), "smoke")
    with Driver(python_of(OURSELVES, tmp_path), OURSELVES.driver, tmp_path) as driver:
        found = measured_peer(driver, server, dialogues, dialogues.conversations)
    assert found["R@5"] > 50
    assert found["chinese"]["R@1"] > 50
    assert found["tool_output"]["reply_found_at_5"]
    assert not found["tool_output"]["secret_handed_out"]


def test_vectors_are_served_as_passages_or_as_questions(server):
    class Marked(HashedEmbedder):
        def query(self, text):
            return -super().query(text)

    with VectorServer(RememberingEmbedder(Marked())) as marked:

        def asked():
            return embedder(marked.address)(["the spare key"])[0]

        passage = asked()
        marked.asking = True
        question = asked()
    assert question == [-number for number in passage]


def test_one_that_pip_can_not_install_is_told_with_its_error(tmp_path):
    nobody = Package("nobody", ("./there-is-no-such-folder",), TOY)
    with pytest.raises(PeerError, match=r"pip install failed: .*there-is-no-such-folder"):
        python_of(nobody, tmp_path)


def test_every_peer_has_a_driver():
    for package in PEERS:
        assert (Path("bench/peers/drivers") / f"{package.driver.rsplit('.', 1)[1]}.py").is_file()


def test_the_command_refuses_a_set_that_is_not_there(bench, smoke, tmp_path):
    answer = bench("peers", "--data", smoke, "--set", "nothing", "--embedder", "hashed", "--environments", tmp_path)
    assert answer.code == 2
    assert "nothing" in answer.err
    assert Options(Sets(smoke)).names == ()
