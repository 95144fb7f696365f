"""Parameters of the address that no control holds: their texts and values.

The page owns them and sends them; Python changes them by offers (see address.py). Their codecs stand in
link/parameter_table.py.
"""

from typing import Any

from attnviz.app.session.address import offering
from attnviz.app.session.page_record import apply_patch, this_page
from attnviz.app.session.session import this_session
from attnviz.app.text import literal
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced
from attnviz.link.parameter import ReadContext
from attnviz.link.parameter_table import HEAD, LAYER, MOST_TOGETHER, PRESENT, PRESENTED, QUERY
from attnviz.link.parameter_table import texts as rows
from attnviz.link.set_up import MOST_GIVEN


def received(name: str) -> tuple[str, bool]:
    """Return a parameter's current text, and whether a link just brought it."""
    arrived = name in this_page().fresh
    # From now on it counts as read: a field that was filled from it, and edited since, must not be filled again.
    this_page().fresh.discard(name)
    return current(name), arrived


def receive(
    name: str, scenario: Scenario | None = None, computed: AttentionTrace | None = None, **values: Any
) -> tuple[Any, bool]:
    """Return the current value and whether it came from the URL.

    `values` are other parameters that it depends on. An unusable text from a link is reported and corrected in the
    address.
    """
    raw, arrived = received(name)
    session = this_session()
    read = rows()[name].taken(raw, ReadContext(scenario, values, session.digits, arrived, computed), literal)
    if arrived:
        if read.message:
            session.messages.of_link.append(read.message)
        correct(name, read.text)
    return read.value, arrived


def take(name: str, scenario: Scenario | None = None, computed: AttentionTrace | None = None, **values: Any) -> Any:
    """Return the current value, as :func:`receive` does."""
    return receive(name, scenario, computed, **values)[0]


def send(name: str, text: str) -> None:
    """Make this the current text, as part of one history step."""
    if current(name) != (text or ""):
        offering().patch[name] = text or None
        apply_patch(this_page().texts, {name: text or None})


def correct(name: str, text: str) -> None:
    """Replace an unusable parameter in the address, without a history step."""
    record = this_page()
    if current(name) != text:
        record.corrected[name, current(name)] = text
        apply_patch(record.texts, {name: text or None})
        for each in record.offers:  # offers that the page may not have applied yet
            each.patch |= {name: text or None} if name in each.patch else {}


def put(name: str, value: Any) -> None:
    """Make this the current value, as :func:`send` does."""
    send(name, rows()[name].write(value))


def current(name: str) -> str:
    """Return the current text."""
    return this_page().texts.get(name, "")


def room(name: str) -> int:
    """Return how many characters the link has left for this text."""
    sizes = {other: len(held) for other, held in this_page().texts.items() if other != name}
    # The texts that may hold whole set-ups share one limit.
    beside = sum(sizes.get(name, 0) for name, row in rows().items() if row.most == MOST_GIVEN)
    return max(0, min(MOST_GIVEN - beside, MOST_TOGETHER - sum(sizes.values())))


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
    return traced(scenario).for_head(picked_head(scenario), picked_layer(scenario))


def picked_query(scenario: Scenario) -> int:
    """Return the index of the picked query; by default the second token."""
    picked = take(QUERY, scenario)
    return min(1, len(scenario.tokens) - 1) if picked is None else int(picked)
