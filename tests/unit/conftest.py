"""Which tests aren't collected here, and a marker's skip."""

import os

import pytest
import torch

# They run in a copy of the package with rows of their own: see test_additions.py.
collect_ignore = [] if "ATTNVIZ_ADDED" in os.environ else ["rules/additions"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if torch.cuda.is_available():
        return
    for item in items:
        if item.get_closest_marker("cuda"):
            item.add_marker(pytest.mark.skip(reason="no CUDA device on this machine"))
