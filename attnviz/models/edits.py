"""Changes of a model: what they say, and how they are written in a link and on the command line."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from attnviz.core.limits import in_short

MOST_EDITS = 64
OFF, EVEN, MASK = "off", "even", "mask"
PARTS = ("q", "k", "v")
WEIGHTS = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
CELLS = (*PARTS, *WEIGHTS, MASK)  # of which a number can be changed
_FORM = re.compile(
    r"(\d{1,4})\.(?:(even)|(\d{1,4})\.(?:(off)|(\w{1,4})\.(\d{1,6})\.(\d{1,6})=(-?[\w.+-]{1,24})))", re.ASCII
)


@dataclass(frozen=True)
class ModelEdit:
    """One change of a model while it computes; layers, heads, rows and columns count from 0.

    A number of a head: ``ModelEdit(3, 1, "q", 10, 0, 2.5)`` puts 2.5 into row 10, column 0 of Q; of Q, K, V (before
    they are turned, where the model turns them), of W_q, W_k, W_v, b_q, b_k, b_v ("w_q" and so on), or of the "mask",
    where ``-math.inf`` hides. A head switched off, whose contexts are zeros: ``ModelEdit(3, 1, "off")``. A layer whose
    heads read evenly whatever they may read: ``ModelEdit(2, None, "even")``.

    >>> str(ModelEdit(3, 1, "q", 10, 0, 2.5)), str(ModelEdit(3, 1, "off")), str(ModelEdit(2, None, "even"))
    ('3.1.q.10.0=2.5', '3.1.off', '2.even')
    >>> ModelEdit.read("3.1.mask.0.2=-inf")
    ModelEdit(layer=3, head=1, matrix='mask', row=0, column=2, value=-inf)
    """

    layer: int
    head: int | None
    matrix: str
    row: int = 0
    column: int = 0
    value: float = 0.0

    def __str__(self) -> str:
        if self.matrix == EVEN:
            return f"{self.layer}.{EVEN}"
        place = f"{self.layer}.{self.head}.{self.matrix}"
        return place if self.matrix == OFF else f"{place}.{self.row}.{self.column}={float(self.value)!r}"

    @classmethod
    def read(cls, text: str) -> "ModelEdit":
        """Return the change that a text says; raises ``ValueError`` for one that says none."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError(f"a change of a model is {in_short(text)}, expected 3.1.q.10.0=2.5, 3.1.off or 2.even")
        layer, even, head, off, matrix, row, column, value = found.groups()
        if even:
            return cls(int(layer), None, EVEN)
        if off:
            return cls(int(layer), int(head), OFF)
        edit = cls(int(layer), int(head), matrix, int(row), int(column), _number(value, text))
        edit.check()
        return edit

    def check(self) -> None:
        """Raise ``ValueError`` for what no model can be changed to."""
        if self.matrix not in (*CELLS, OFF, EVEN):
            raise ValueError(f"matrix is {in_short(self.matrix)}, expected one of {', '.join((*CELLS, OFF, EVEN))}")
        if (self.head is None) != (self.matrix == EVEN):
            raise ValueError(f"head is {self.head}, expected None for {EVEN!r}, and a number for all else")
        hides = self.matrix == MASK and self.value == -math.inf
        if not hides and not abs(self.value) <= 3.4e38:
            raise ValueError(f"value is {self.value} for {self}, expected a finite number, or -inf for the mask")

    @property
    def of_model(self) -> bool:
        """Whether it changes the model, whatever it reads; a number of Q, K, V or the mask is of one text."""
        return self.matrix in (*WEIGHTS, OFF, EVEN)


def as_edits(given: Iterable[ModelEdit | str]) -> tuple[ModelEdit, ...]:
    """Return changes that are given as such or as texts; of two of the same place, the later one.

    Raises ``ValueError`` for what is none, and for too many.
    """
    edits = [ModelEdit.read(each) if isinstance(each, str) else each for each in given]
    for each in edits:
        if not isinstance(each, ModelEdit):
            raise ValueError(f"a change of a model is {in_short(each)}, expected a ModelEdit")
        each.check()
    latest = {(each.layer, each.head, each.matrix, each.row, each.column): each for each in edits}
    if len(latest) > MOST_EDITS:
        raise ValueError(f"there are {len(latest)} changes of a model, expected at most {MOST_EDITS}")
    return tuple(latest.values())


def _number(raw: str, text: str) -> float:
    try:
        return float(raw.replace("_", "?"))
    except ValueError:
        raise ValueError(f"a change of a model is {in_short(text)}, whose {in_short(raw)} is no number") from None
