"""How unlikely the marks of one reading of a handout are."""

import numpy as np

from attnviz.features.check.marking.judging import Made
from attnviz.features.check.marking.outcome import ENTERS, FLOAT32_SLACK, Mark, MarkedTable, Windows
from attnviz.features.check.marking.settings import Reading
from attnviz.features.tables.printed_table import Printed

_FIRST_WRONG = 50  # one cell in this many is expected to be wrong, before the handout is seen
_IN_FULL = np.log(2.0)  # cost of a cell that is computed in full, where others are computed from rounded numbers
_CARRIED = 1.0  # cost of a cell that is computed from rounded numbers, where most are computed in full


class Weighing:
    """The unlikeliness of one reading, added up table by table."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._sum = reading.unlikeliness
        self._by_slack, self._of_slack = False, 0.0  # whether a cell needs float32's slack; what the slack costs

    def add(self, unlikeliness: float) -> None:
        """Add the unlikeliness of something that was weighed elsewhere."""
        self._sum += unlikeliness

    def table(
        self, table: Printed, made: Made, marks: np.ndarray, likely: np.ndarray, *, digits_are_hidden: bool
    ) -> None:
        """Add the unlikeliness of a table's marks."""
        plain = Windows.of(table.array, table.places)
        wrong = np.isin(marks, ENTERS)
        with np.errstate(all="ignore"):
            off = np.minimum(np.abs(plain.middle - made.followed.value), np.abs(plain.middle - made.now))
            units = np.where(np.isfinite(off), off / (2 * plain.half), 1e6)
        self._sum += float(np.log(10 + 2 * units)[wrong].sum())
        if self._reading.results == "cut":
            windows = Windows.of(table.array, table.places, cut=True)
            as_cut = windows.hold(made.exact.value) | windows.hold(made.followed.value) | likely
            self._sum += float(np.log(10 * _FIRST_WRONG)) * int((~as_cut & ~np.isin(marks, (*ENTERS, "blank"))).sum())
        if self._reading.inputs == "exact":
            self._weigh_slack(plain, made, marks)
        if self._reading == Reading():
            # Later tables should be computed from right numbers in the same way as from wrong ones: as printed.
            in_full = (marks == Mark.RIGHT) & ~plain.hold(made.followed.value)
            self._sum += _IN_FULL * int(in_full.sum())
        elif digits_are_hidden and self._reading.results != "cut":
            self._sum += _CARRIED * int((np.isin(marks, (Mark.RIGHT, Mark.CARRIED)) & ~likely).sum())

    def _weigh_slack(self, plain: Windows, made: Made, marks: np.ndarray) -> None:
        """Note whether float32's slack alone makes cells right, and its cost."""
        finite = np.isfinite(made.exact.value)
        slack = FLOAT32_SLACK * np.maximum(1.0, np.abs(made.exact.value[finite]))
        self._of_slack += float(np.log1p(slack / plain.half[finite]).sum())
        with np.errstate(all="ignore"):
            off = np.minimum(np.abs(plain.middle - made.exact.value), np.abs(plain.middle - made.followed.value))
        self._by_slack |= bool(((off > 1.02 * plain.half) & np.isin(marks, (Mark.RIGHT, Mark.CARRIED))).any())

    def of_all(self, tables: list[MarkedTable]) -> float:
        """Return how unlikely all marks are; each further error adds less."""
        n_cells = sum(table.n_cells for table in tables)
        wrong = sum(table.count(*ENTERS) for table in tables)
        slack = self._of_slack if self._by_slack else 0.0
        return self._sum + slack + wrong * float(np.log((n_cells + _FIRST_WRONG) / (wrong + 1)))
