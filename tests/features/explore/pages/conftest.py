"""The page tests' fixtures, for tests of this feature."""

from tests.pages.conftest import playground, server

__all__ = ["playground", "server"]
