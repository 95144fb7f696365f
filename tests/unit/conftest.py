"""Hypothesis as the unit tests use it, and a marker's skip."""

import os

import pytest
import torch
from hypothesis import HealthCheck, settings

settings.register_profile(
    "unit",
    max_examples=int(os.environ.get("ATTNVIZ_EXAMPLES", 50)),
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unit")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if torch.cuda.is_available():
        return
    for item in items:
        if item.get_closest_marker("cuda"):
            item.add_marker(pytest.mark.skip(reason="no CUDA device on this machine"))
