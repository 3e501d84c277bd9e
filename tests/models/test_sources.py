"""What may stand in the description of a source, and what it costs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from homeagent.errors import ConfigError
from homeagent.models import Cost, Message, ModelRequest, Price, Source, Timeouts, Usage, cost
from homeagent.models.dialect import Dialect

GOOD = Source("home", "http://127.0.0.1:11434/v1", "qwen3:8b")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ""}, "needs a name and a model"),
        ({"model": ""}, "needs a name and a model"),
        ({"base_url": "127.0.0.1:11434"}, "expected an http or https address"),
        ({"base_url": "http:///v1"}, "expected an http or https address"),
        ({"base_url": "https://me:sk-secret@host/v1"}, "holds a user name, password or parameters"),
        ({"base_url": "https://host/v1?key=sk-secret"}, "holds a user name, password or parameters"),
        ({"key_env": "A", "key_file": Path("b")}, "names both"),
        ({"window_tokens": 0}, "window_tokens must be positive"),
        ({"retries": -1}, "retries and waits not negative"),
    ],
)
def test_nonsense_is_refused_with_a_fix_and_without_a_secret(change, said) -> None:
    with pytest.raises(ConfigError) as caught:
        replace(GOOD, **change)

    assert said in caught.value.problem
    assert caught.value.next_step
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("values", [(0, 1, 1), (1, -1, 1)])
def test_time_outs_are_positive(values) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        Timeouts(*values)


def test_only_this_machine_is_local() -> None:
    hosts = [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "nas.localhost",
        "192.168.1.5",
        "localhost.example.com",
        "api.example.com",
    ]
    local = [replace(GOOD, base_url=f"http://{host}:8080/v1").is_local for host in hosts]
    assert local == [True] * 4 + [False] * 3


def test_cached_tokens_cost_their_own_price() -> None:
    usage = Usage(1_000_000, 500_000, cached_tokens=400_000)

    assert cost(usage, Price(1.0, 2.0)) == Cost(2.0)
    assert cost(usage, Price(1.0, 2.0, 0.1, "CNY")) == Cost(pytest.approx(0.6 + 0.04 + 1.0), "CNY")
    assert cost(usage, None) is None
    assert cost(None, Price(1.0, 2.0)) is None
    assert usage + Usage(1, 2, 3, 4) == Usage(1_000_001, 500_002, 400_003, 4)
    with pytest.raises(ValueError, match="negative"):
        Price(-1, 0)


def test_importing_the_models_loads_no_network_client() -> None:
    program = "import sys, homeagent.models; print({'openai', 'httpx2', 'pydantic', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(("asked", "allowed", "sent"), [(None, None, None), (9, None, 9), (None, 7, 7), (9, 7, 7)])
def test_an_answer_is_as_long_as_the_request_and_the_source_both_allow(asked, allowed, sent) -> None:
    source = Source("home", "http://127.0.0.1:1/v1", "tiny", max_tokens=allowed)
    body = Dialect(source).body(ModelRequest((Message("user", "hi"),), max_tokens=asked))
    assert body.get("max_tokens") == sent
