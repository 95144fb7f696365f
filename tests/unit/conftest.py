"""Tests that aren't collected here, and skips of tests that need CUDA."""

import os

import pytest
import torch

# Tests of additions run in a copy of the package that has further rows: see test_additions.py.
collect_ignore = [] if "ATTNVIZ_ADDED" in os.environ else ["rules/additions"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if torch.cuda.is_available():
        return
    for item in items:
        if item.get_closest_marker("cuda"):
            item.add_marker(pytest.mark.skip(reason="no CUDA device on this machine"))
