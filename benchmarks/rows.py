"""A row of the table, and whether it meets its target."""

import re
from collections.abc import Iterable, Sequence
from statistics import quantiles
from typing import NamedTuple

_NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?"


class Row(NamedTuple):
    """One measure: its value begins with a number; a target is "<=", "<" or ">=" and a number in the same unit."""

    measure: str
    value: str
    target: str = ""

    def met(self) -> bool | None:
        """Whether the value meets the target; None without either of them.

        >>> Row("a ratio", "2.4 (p95 3.1)", "<= 2.5").met()
        True
        """
        value = re.match(_NUMBER, self.value)
        target = re.match(rf"(<=|<|>=) ({_NUMBER})", self.target)
        if value is None or target is None:
            return None
        number, limit = (float(text.replace(",", "")) for text in (value[0], target[2]))
        return {"<=": number <= limit, "<": number < limit, ">=": number >= limit}[target[1]]

    def is_ratio(self) -> bool:
        """Whether the value is a number without a unit."""
        return re.fullmatch(_NUMBER, self.value) is not None


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile; of one value, that one."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def table(rows: Iterable[Row]) -> str:
    """Return the rows as lines: value, target, met or not, measure."""
    said = {True: "met", False: "NOT MET", None: ""}
    return "\n".join(f"{row.value:>22}  {row.target:<12}  {said[row.met()]:<7}  {row.measure}" for row in rows)
