"""The address's values other than controls, read by the table of parameters."""

from typing import Any

from attnviz.app.session import state, url_texts
from attnviz.app.text import literal
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced
from attnviz.link.parameter import Around
from attnviz.link.parameter_table import HEAD, LAYER, PRESENT, PRESENTED, QUERY, texts


def receive(
    name: str, scenario: Scenario | None = None, computed: AttentionTrace | None = None, **values: Any
) -> tuple[Any, bool]:
    """Return the current value and whether it came from the URL.

    `values` are others that it depends on. What came and can't be used is told, and leaves the address.
    """
    raw, arrived = url_texts.receive(name)
    read = texts()[name].taken(raw, Around(scenario, values, state.digits(), arrived, computed), literal)
    if arrived:
        if read.told:
            state.say_ignored(read.told)
        url_texts.correct(name, read.text)
    return read.value, arrived


def take(
    name: str, scenario: Scenario | None = None, computed: AttentionTrace | None = None, **values: Any
) -> Any:  # fmt: skip
    """Return the current value, as :func:`receive` does."""
    return receive(name, scenario, computed, **values)[0]


def is_presenting() -> bool:
    """Whether the page is shown large, for a lecture room."""
    return bool(take(PRESENT) == PRESENTED)


def picked_head(scenario: Scenario) -> int:
    """Return the index of the head in view; 0 by default."""
    return int(take(HEAD, scenario))


def picked_layer(scenario: Scenario) -> int:
    """Return the index of the layer in view; 0 by default."""
    return int(take(LAYER, scenario))


def traced_in_view(scenario: Scenario) -> AttentionTrace:
    """Return a scenario's computation, seen from the head and layer in view."""
    return traced(scenario).seen_from(picked_head(scenario), picked_layer(scenario))


def picked_query(scenario: Scenario) -> int:
    """Return the index of the picked query; by default the second token."""
    picked = take(QUERY, scenario)
    return min(1, len(scenario.tokens) - 1) if picked is None else int(picked)
