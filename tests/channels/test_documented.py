"""The plugin that docs/channels.md shows is a whole one."""

from __future__ import annotations

import asyncio
import importlib.util
import re
from typing import TYPE_CHECKING

from dev.ratchet import ROOT
from homeagent_sdk import Outgoing, Plugin
from homeagent_sdk.testing import FakeHost
from tests.channels.worlds import in_loop, until

if TYPE_CHECKING:
    from pathlib import Path


@in_loop
async def test_the_channel_that_is_shown_works(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/channels.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "spool.py").write_text(code)
    spec = importlib.util.spec_from_file_location("spool", tmp_path / "spool.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    plugin = module.plugin
    assert isinstance(plugin, Plugin)
    async with FakeHost(plugin, data_folder=tmp_path) as host:
        line = host.connect("spool")
        (tmp_path / "1.in").write_text("hello")
        listening = asyncio.create_task(line.listen())
        await until(lambda: not (tmp_path / "1.in").exists())
        assert [(each.sender, each.text, each.id) for each in host.arrivals] == [("me", "hello", "1.in")]
        assert await line.send(Outgoing("me", "hi", key="k1")) == "k1"
        assert (tmp_path / "k1.out").read_text() == "hi"
        listening.cancel()
        await asyncio.wait({listening})
