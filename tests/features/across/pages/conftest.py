"""The page tests' fixtures, for tests of several features."""

from tests.pages.conftest import playground, server

__all__ = ["playground", "server"]
