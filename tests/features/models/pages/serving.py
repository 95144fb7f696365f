"""Servers that offer other models, or have just started."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from attnviz.features.language_models.inside import offered
from attnviz.features.models.page import result_cache


def forget_models() -> None:
    """Forget loaded models, like a server that has just started."""
    result_cache._shelf.cache_clear()
    result_cache._kept.cache_clear()


@contextmanager
def offering(*folders: object) -> Iterator[None]:
    """Let the server offer the models in these folders."""

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNVIZ_MODELS", ",".join(map(str, folders)))
        offered.cache_clear()
        yield
    offered.cache_clear()
