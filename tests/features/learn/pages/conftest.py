"""What the tests of this page share."""

from collections.abc import Iterator

import pytest

from attnviz.features.learn.page.running import shared


@pytest.fixture(autouse=True)
def _own_shelf() -> Iterator[None]:
    """What others trained is shown to none."""
    shared.cache_clear()
    yield
    shared.cache_clear()
