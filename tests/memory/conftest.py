"""What the tests of the memory share: one conversion of the offline model for the whole run."""

from __future__ import annotations

import pytest

from homeagent.memory.embed import OfflineEmbedder


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory):
    """The cache folder of this test run, never the user's own."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("HOMEAGENT_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def offline(model_cache):
    """The offline embedder, loaded."""
    embedder = OfflineEmbedder(threads=2)
    embedder.load()
    return embedder
