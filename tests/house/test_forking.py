"""A fork that goes on as the program is, to whoever started it, a start of the program."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dev.forking import Forker
from dev.served import Served, plain_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from dev.forking import Forked


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    made = Forker(plain_environment(HOMEAGENT_LANG="zh"))
    yield made
    made.close()


def test_it_prints_and_leaves_as_the_program_does(
    forker: Forker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = plain_environment()
    monkeypatch.chdir(tmp_path)
    for arguments in (["--help"], ["no-such-command"], ["--home", "here", "memory", "import", "not-there"]):
        started = forker.start(arguments, variables)
        with started.stdout, started.stderr:
            printed = started.stdout.read(), started.stderr.read(), started.wait(60)
        real = subprocess.run(
            [sys.executable, "-m", "homeagent", *arguments], capture_output=True, text=True, env=variables, check=False
        )
        assert printed == (real.stdout, real.stderr, real.returncode)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_signal_ends_it_and_is_told(forker: Forker, tmp_path: Path, number: signal.Signals) -> None:
    class Here(Served):
        def _start(self, arguments: tuple[str, ...], variables: Mapping[str, str]) -> Forked:
            return forker.start(arguments, variables)

    with Here(tmp_path / "home") as served:
        assert served.process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            served.process.wait(0)
        served.process.send_signal(number)
        assert served.process.wait(60) == (-number if number == signal.SIGKILL else 0)
        served.process.kill()  # it has ended: nothing happens
