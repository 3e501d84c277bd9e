"""A plugin's folder is copied as it is at the moment, whoever else is at work in it."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import describe, find_source
from homeagent.plugins.boundary import PluginError
from homeagent.plugins.installing import put_in

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = '[tool.homeagent]\nname = "busy"\nversion = "1"\nsdk = ">=0.1"\nmodule = "home_busy"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "busy"
    (made / "home_busy").mkdir(parents=True)
    (made / "homeagent.toml").write_text(MANIFEST)
    (made / "home_busy" / "__init__.py").write_text('"""Does nothing."""\n')
    return made


def test_what_comes_and_goes_meanwhile_is_no_part_of_it(folder: Path, tmp_path: Path) -> None:
    done = threading.Event()

    def work() -> None:
        passing = folder / "cache-files" / "deep"
        while not done.is_set():
            passing.mkdir(parents=True)
            (passing / "one").write_text("one")
            shutil.rmtree(passing.parent)

    other = threading.Thread(target=work)
    other.start()
    try:
        source = find_source(folder)
        told = describe(source)
        for _ in range(100):
            code = put_in(tmp_path / "home", source, told)
            assert (code / "home_busy" / "__init__.py").read_text() == '"""Does nothing."""\n'
    finally:
        done.set()
        other.join()


def test_what_is_there_and_can_not_be_copied_is_an_error(folder: Path, tmp_path: Path) -> None:
    (folder / "away").symlink_to(tmp_path / "nowhere")
    source = find_source(folder)
    with pytest.raises(PluginError, match="can't be copied"):
        put_in(tmp_path / "home", source, describe(source))
    assert [each.name for each in (tmp_path / "home").rglob("*")] == ["installed", "busy"]
