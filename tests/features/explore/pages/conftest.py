"""The fixtures of the page tests, for those of this feature."""

from tests.pages.conftest import playground, server

__all__ = ["playground", "server"]
