"""Runs the tests of each plugin in that plugin's own environment, made once; see ``dev/plugin_tests``."""

from dev.plugin_tests.collecting import (
    pytest_collection_finish,
    pytest_pycollect_makemodule,
    pytest_sessionfinish,
)

__all__ = ["pytest_collection_finish", "pytest_pycollect_makemodule", "pytest_sessionfinish"]
