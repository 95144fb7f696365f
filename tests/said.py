"""Data that features' tests give to tests of the whole app, in tests/features/NAME/said.py."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from attnviz.feature import features


def of_features(name: str) -> Iterator[Any]:
    """Yield the values of this name that features' tests define."""
    for each in features():
        if (Path(__file__).parent / f"features/{each.name}/said.py").exists():
            module = import_module(f"tests.features.{each.name}.said")
            if hasattr(module, name):
                yield getattr(module, name)


def joined(name: str) -> dict[Any, Any]:
    """Return all dicts of this name that features' tests define, joined."""
    return {key: value for each in of_features(name) for key, value in each.items()}
