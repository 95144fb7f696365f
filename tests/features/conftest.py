"""Fixtures that the tests of all features share."""

from tests.pages.conftest import _components_are_looked_for_once, _parts_are_replaced

__all__ = ["_components_are_looked_for_once", "_parts_are_replaced"]
