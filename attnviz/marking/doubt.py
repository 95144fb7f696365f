"""Numbers that one reading calls wrong and another right, where too little is printed to tell the readings apart."""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from attnviz.marking.marks import NOT_RIGHT, Mark, as_marks
from attnviz.marking.outcome import Marking

BEYOND_DOUBT = math.log(5000.0)  # so much likelier has a reading to be, before it calls wrong what another calls right


def with_doubt(best: Marking, others: Iterable[Marking]) -> Marking:
    """Return the likeliest marking, with its wrong cells in doubt where all would be right if the inputs hid digits,
    and that isn't much less likely.
    """
    rights = [other for other in others if not other.n_not_right and other.reading.inputs != "exact"]
    if not best.n_not_right or not rights or not _shown_alike(best):
        return best
    right = min(rights, key=lambda other: other.unlikeliness)
    if right.unlikeliness - best.unlikeliness >= BEYOND_DOUBT:
        return best
    tables = (
        replace(table, marks=as_marks(np.where(table.at(*NOT_RIGHT), Mark.DOUBTFUL, np.array(table.marks))))
        for table in best.tables
    )
    return replace(best, tables=tuple(tables), otherwise=right)


def _shown_alike(marking: Marking) -> bool:
    """Whether inputs are shown with as many decimals as what is wrong, as a spreadsheet shows all: who prints more of
    what comes out than of what goes in has nothing hidden there.
    """
    most = max((table.decimals for table in marking.tables if table.count(*NOT_RIGHT)), default=0)
    return max((marking.decimals[name] for name in marking.taken), default=0) >= most
