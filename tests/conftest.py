"""Hypothesis as all tests use it, and what a test of a page must not leave behind."""

import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import EXAMPLES, USUAL

# `make test` tries the same examples each time, so that a change is judged by what it changed; `make search` looks for
# examples that nobody has tried.
settings.register_profile(
    "attnviz",
    max_examples=EXAMPLES,
    derandomize=EXAMPLES <= USUAL,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("attnviz")


@pytest.fixture(autouse=True)
def _main_module() -> Iterator[None]:
    """Streamlit makes the page that it runs the main module, which every process that is started later looks for."""
    ours = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = ours
