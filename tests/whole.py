"""Whether all is tried, as by make test-all, or a sample of what is much alike."""

import os

import pytest

WHOLE = bool(os.environ.get("ATTNVIZ_WHOLE"))
# What takes long, while what it is for is seen by quicker tests, too.
dear = pytest.mark.skipif(not WHOLE, reason="make test-all")
