"""What a script leaves behind, and a marker's skip."""

import os
from collections.abc import Iterator

import pytest
import torch

# They run in a copy of the package with rows of their own: see test_additions.py.
collect_ignore = [] if "ATTNVIZ_ADDED" in os.environ else ["rules/additions"]


@pytest.fixture(autouse=True)
def print_options() -> Iterator[None]:
    """Those that a script which a test runs has set are the whole process's."""
    yield
    torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if torch.cuda.is_available():
        return
    for item in items:
        if item.get_closest_marker("cuda"):
            item.add_marker(pytest.mark.skip(reason="no CUDA device on this machine"))
