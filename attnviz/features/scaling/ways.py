"""Ways to the page Scaling."""

from attnviz.link.parameter_table import texts
from attnviz.link.rows.scaling import SWEEP
from attnviz.link.ways import Way
from attnviz.scaling.settings import SweepSettings
from attnviz.words import say


def way(sweep: SweepSettings | None = None) -> Way:
    """Return the way to the page, or to a sweep there."""
    return Way(say("scaling.way"), "scaling", {SWEEP: texts()[SWEEP].write(sweep)} if sweep else {})
