"""What tests of the whole app are told by those of each feature: tests/features/NAME/said.py, where there is one."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from attnviz.feature import features


def of_features(name: str) -> Iterator[Any]:
    """Yield what features' tests say by this name."""
    for each in features():
        if (Path(__file__).parent / f"features/{each.name}/said.py").exists():
            module = import_module(f"tests.features.{each.name}.said")
            if hasattr(module, name):
                yield getattr(module, name)


def joined(name: str) -> dict[Any, Any]:
    """Return all that features' tests say in tables of this name."""
    return {key: value for each in of_features(name) for key, value in each.items()}
