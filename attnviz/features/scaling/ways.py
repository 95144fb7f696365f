"""Ways to the page Scaling."""

from attnviz.features.scaling.parameters import SWEEP
from attnviz.features.sweeps.settings import SweepSettings
from attnviz.link.parameter_table import texts
from attnviz.link.ways import Way
from attnviz.words import say


def way(sweep: SweepSettings | None = None) -> Way:
    """Return the way to the page, or to a sweep there."""
    return Way(say("scaling.way"), "scaling", {SWEEP: texts()[SWEEP].write(sweep)} if sweep else {})
