"""The set-up that is kept as A, to compare others with it."""

from attnviz.app.session import state, url_texts
from attnviz.app.session.url_texts import take
from attnviz.core.scenario import Scenario
from attnviz.features.explore.parameters import PINNED
from attnviz.link.parameter_table import texts
from attnviz.words import say


def kept() -> Scenario | None:
    """Return the scenario that is kept as A, or None."""
    a: Scenario | None = take(PINNED)
    return a


def keep_as_a(scenario: Scenario) -> bool:
    """Keep a set-up as A; return whether a link can hold it."""
    packed = texts()[PINNED].write(scenario)
    if len(packed) > url_texts.room(PINNED):
        state.add_message(say("compare.too_large"))
        return False
    url_texts.send(PINNED, packed)
    return True
