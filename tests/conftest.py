"""Hypothesis as all tests use it."""

from hypothesis import HealthCheck, settings

from tests.whole import EXAMPLES, WHOLE

# `make test` tries the same examples each time, so that a change is judged by what it changed; `make test-all` and
# `make search` look for examples that nobody has tried.
settings.register_profile(
    "attnviz",
    max_examples=EXAMPLES,
    derandomize=not WHOLE,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("attnviz")
