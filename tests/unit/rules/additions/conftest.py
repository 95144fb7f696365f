"""Fixtures that the tests of all additions share."""

from tests.pages.conftest import _components_are_looked_for_once

__all__ = ["_components_are_looked_for_once"]
