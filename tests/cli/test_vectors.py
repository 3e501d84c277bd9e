"""The command line with the offline model: converted once, and vectors made before they are asked for."""

from __future__ import annotations

import pytest

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


def test_doctor_loads_the_model_in_earnest(homeagent, home, model_cache, monkeypatch):
    monkeypatch.setenv("HOMEAGENT_CACHE", str(model_cache))
    (home / "config.toml").unlink()
    found = {check["name"]: check for check in homeagent("doctor", "--json").json["checks"]}
    assert found["model"]["level"] == "ok"
    assert "e5" in found["model"]["found"]
