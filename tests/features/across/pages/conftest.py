"""The fixtures of the page tests, for those of several features."""

from tests.pages.conftest import playground, server

__all__ = ["playground", "server"]
