"""Fixtures that the tests of this page share."""

from collections.abc import Iterator

import pytest

from attnviz.features.learn.page.running import shared


@pytest.fixture(autouse=True)
def _own_shelf() -> Iterator[None]:
    """Give each test a shelf without the trainings of other tests."""
    shared.cache_clear()
    yield
    shared.cache_clear()
