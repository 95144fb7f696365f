"""The marking of a whole computation: each table against exact arithmetic, and against the tables before it.

A table that could be made from others is a result and is marked; one that could not is taken as given.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attnviz.core.limits import check_temperature, in_short
from attnviz.core.rules import BFLOAT16, FLOAT16, FLOAT32, Bounded, Precision, Scale
from attnviz.core.stages import (
    ACTIVATIONS,
    BIASES,
    EVERY_STAGE,
    Stage,
    Table,
    attention_table,
    feed_forward_table,
    followed_by,
)
from attnviz.marking.half_precision import Half, half_of
from attnviz.marking.marks import Mark, as_marks, near
from attnviz.marking.shapes import check_shapes, known_d_k
from attnviz.tables.printed_table import Printed

_AFTER_WEIGHTS = ("context", "preactivations", "hidden", "output")
ROUNDED_FROM = 4  # decimals: fewer are typed by hand, and exact; so many are a print-out, which was rounded


class UnknownDkError(ValueError):
    """Scores are to be divided by √d_k, and neither a table nor the reader says what d_k is."""


@dataclass(frozen=True)
class Settings:
    """How the scores become attention weights; `d_k` is None where no score is scaled."""

    scale: bool
    causal: bool
    temperature: float
    d_k: int | None
    activation: str = "relu"

    def table(self, tables: Container[str]) -> Table:
        """Return the stages of a computation with these settings; a bias that is not among the tables is not added,
        and X is a sum where one of its summands is."""
        attention = attention_table(
            self.d_k or 1, biases=tuple(name for name in BIASES if name in tables), scale=self.scale,
            temperature=self.temperature, causal=self.causal, positions="e" in tables or "p" in tables,
        )  # fmt: skip
        layers = feed_forward_table(b_1="b_1" in tables, b_2="b_2" in tables, activation=self.activation)
        return followed_by(attention, layers)


@dataclass(frozen=True, eq=False)
class MarkedTable:
    """A result with its marks.

    `given` is the table as printed (NaN for a blank), `exact` what exact arithmetic gives, `followed` what arithmetic
    on the printed tables before it gives; all are float64 ``(rows, columns)``.
    """

    stage: Stage
    decimals: int
    given: np.ndarray
    exact: np.ndarray
    followed: np.ndarray
    marks: tuple[tuple[Mark, ...], ...]

    def count(self, *marks: Mark) -> int:
        """Return how many cells have one of these marks."""
        return sum(each in marks for row in self.marks for each in row)

    @property
    def n_cells(self) -> int:
        """How many cells are not blank."""
        return self.given.size - self.count(Mark.BLANK)

    @property
    def n_differing(self) -> int:
        """How many cells are not what exact arithmetic rounds to."""
        return self.n_cells - self.count(Mark.RIGHT)


@dataclass(frozen=True, eq=False)
class Marking:
    """A marked computation: its results in order, what was taken as given, and all that stood before each result.

    `rounded` are the printed tables that hide digits: their numbers count as rounded. `before` holds, for every table
    of the computation, printed or not, what the tables after it were followed from. `half` is the half precision that
    the results were taken to be computed in, because their numbers tell it.
    """

    settings: Settings
    stages: Table
    tables: tuple[MarkedTable, ...]
    taken: tuple[str, ...]
    rounded: tuple[str, ...]
    before: Mapping[str, np.ndarray]
    decimals: Mapping[str, int]
    half: Half | None = None

    @property
    def n_not_right(self) -> int:
        """How many cells are wrong, or follow from a wrong one."""
        return sum(table.count(Mark.WRONG, Mark.FOLLOWS) for table in self.tables)

    @property
    def first_wrong(self) -> tuple[MarkedTable, int, int] | None:
        """The first wrong cell, where an error enters, in the order of the computation."""
        for table in self.tables:
            for row, marks in enumerate(table.marks):
                for column, each in enumerate(marks):
                    if each == Mark.WRONG:
                        return table, row, column
        return None


def mark_pipeline(
    tables: Mapping[str, Any],
    *,
    scale: bool = True,
    causal: bool = False,
    temperature: float = 1.0,
    d_k: int | None = None,
    decimals: int | None = None,
    rounded_inputs: bool | None = None,
    activation: str = "relu",
) -> Marking:
    """Mark the tables of a computation, each by the name of its stage, with whatever is there.

    `tables` are :class:`Printed`, nested sequences or arrays ``(rows, columns)``; a bias is one row. `decimals`
    overrides those that each table shows. `rounded_inputs` says whether printed numbers have hidden digits, which
    may move what follows from them (None: those with four decimals or more have). `d_k` is needed only to scale
    scores where no table shows it. `activation` is what stands between the layers of a feed-forward step, "relu" or
    "gelu"; with tables of E and P, X is their sum.

    Raises ``ValueError`` for an unknown name or activation, shapes that do not fit, and an unknown d_k.

    >>> given = {"q": [[1, 0], [0, 1]], "k": [[1, 2], [3, 4]], "scores": [[1, 3], [2, 5]]}
    >>> mark_pipeline(given, decimals=0).first_wrong[1:]
    (1, 1)
    """
    check_temperature(temperature)
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation is {in_short(activation)}, expected one of {', '.join(ACTIVATIONS)}")
    printed = {name: _as_printed(name, table, decimals) for name, table in tables.items()}
    printed = {name: printed[name] for name in EVERY_STAGE if name in printed}
    check_shapes({name: table.array.shape for name, table in printed.items()})
    d_k = known_d_k({name: table.array.shape for name, table in printed.items()}, d_k)
    settings = Settings(scale, causal, temperature, d_k, activation)
    precision = _precision(tables)
    marking = _Run(printed, settings, rounded_inputs, precision).marking()
    if precision is not FLOAT32 or marking.first_wrong is None:
        return marking
    half = half_of({table.stage.name: printed[table.stage.name] for table in marking.tables})
    if half is None:
        return marking
    in_half = _Run(printed, settings, rounded_inputs, half.precision, half).marking()
    return in_half if in_half.n_not_right < marking.n_not_right else marking


def _precision(tables: Mapping[str, Any]) -> Precision:
    """Return the coarsest precision that a tensor or an array says it has; of what says nothing, that of float32.

    Digits beyond it prove nothing.
    """
    said = {str(getattr(table, "dtype", "")).removeprefix("torch.") for table in tables.values()}
    return BFLOAT16 if "bfloat16" in said else FLOAT16 if "float16" in said else FLOAT32


def _as_printed(name: str, table: Any, decimals: int | None) -> Printed:
    if name not in EVERY_STAGE:
        raise ValueError(f"{name!r} is no table of the computation, expected one of {', '.join(EVERY_STAGE)}")
    if not isinstance(table, Printed):
        return Printed.of(table, decimals)
    return table if decimals is None else replace(table, decimals=decimals)


class _Run:
    """One walk through the table of stages, from the inputs to the last result."""

    def __init__(
        self,
        printed: Mapping[str, Printed],
        settings: Settings,
        rounded: bool | None,
        precision: Precision,
        half: Half | None = None,
    ) -> None:
        self.printed = printed
        self.precision = precision
        self.half = half
        self.settings = settings
        self.stages = settings.table(printed)
        self.rounded = rounded
        self.exact: dict[str, Bounded] = {}  # what exact arithmetic gives
        self.noise: dict[str, Bounded] = {}  # what exact arithmetic gives, and how far a machine's may be from it
        self.before: dict[str, Bounded] = {}  # what is printed, or what follows from that
        self.tainted: dict[str, np.ndarray] = {}  # whether a cell of it is wrong, or follows from one that is
        self.taken: list[str] = []
        self.marked: list[MarkedTable] = []

    def marking(self) -> Marking:
        for stage in self.stages.values():
            if isinstance(stage.rule, Scale) and self._cannot_scale():
                continue  # nothing that is printed is made from scaled scores
            if stage.sources and all(source in self.before for source in stage.sources):
                self._make(stage)
            elif stage.name in self.printed:
                self._take(stage.name)
        before = {name: made.value for name, made in self.before.items()}
        decimals = {name: table.decimals for name, table in self.printed.items()}
        rounded = tuple(name for name, table in self.printed.items() if self._is_rounded(table))
        return Marking(
            self.settings, self.stages, tuple(self.marked), tuple(self.taken), rounded, before, decimals, self.half
        )  # fmt: skip

    def _take(self, name: str) -> None:
        given = self._as_given(name)
        if np.isnan(given.value).any():
            return  # a table with blanks gives nothing to reckon with, and cannot be marked either
        self.exact[name] = self.before[name] = given
        self.noise[name] = Bounded.exactly(given.value)
        self.tainted[name] = np.zeros(given.value.shape, dtype=bool)
        self.taken.append(name)

    def _as_given(self, name: str) -> Bounded:
        table = self.printed[name]
        array = table.array
        return Bounded(array, np.full_like(array, 0.5 * 10.0**-table.decimals if self._is_rounded(table) else 0.0))

    def _is_rounded(self, table: Printed) -> bool:
        return table.decimals >= ROUNDED_FROM if self.rounded is None else self.rounded

    def _cannot_scale(self) -> bool:
        """Whether scores cannot be scaled, and nothing that is printed needs them scaled."""
        if not self.settings.scale or self.settings.d_k is not None or "scores" not in self.before:
            return False
        needed = ("scaled_scores", "attention_weights", *(_AFTER_WEIGHTS if "v" in self.before else ()))
        if not any(name in self.printed for name in needed):
            return True
        raise UnknownDkError(
            "d_k is not known: none of W_q, W_k, Q and K is there to show it, and scaled scores need its root"
        )

    def _make(self, stage: Stage) -> None:
        rule = stage.rule
        assert rule is not None
        exact = rule.bounded(*(self.exact[source] for source in stage.sources))
        followed = rule.bounded(*(self.before[source] for source in stage.sources))
        noise_before = [self.noise[source] for source in stage.sources]
        noise = rule.computed_in(self.precision, *noise_before)
        self.noise[stage.name] = noise
        before = [Bounded.exactly(self.before[source].value) for source in stage.sources]
        step = rule.computed_in(self.precision, *before)
        machine = [noise.error, step.error]
        if self.half is not None and stage.name in self.half.elsewhere:
            # What half precision can't hold, it didn't compute.
            fine = (rule.computed_in(FLOAT32, *tables) for tables in (noise_before, before))
            elsewhere = self.half.elsewhere[stage.name]
            machine = [np.where(elsewhere, f.error, error) for f, error in zip(fine, machine, strict=True)]
        # Whether any cell that a cell is made from is wrong, or follows from one that is.
        tainted = rule.touched(*(self.tainted[source] for source in stage.sources))
        self.exact[stage.name] = exact
        if stage.name not in self.printed:
            self.before[stage.name], self.tainted[stage.name] = followed, tainted
            return
        table, given = self.printed[stage.name], self._as_given(stage.name)
        marks = _marks(table, exact, followed, tainted, machine)
        blank = marks == Mark.BLANK
        self.before[stage.name] = Bounded(
            np.where(blank, followed.value, given.value), np.where(blank, followed.error, given.error)
        )
        self.tainted[stage.name] = np.isin(marks, (Mark.WRONG, Mark.FOLLOWS)) | (blank & tainted)
        self.marked.append(
            MarkedTable(stage, table.decimals, given.value, exact.value, followed.value, as_marks(marks))
        )


def _marks(
    table: Printed, exact: Bounded, followed: Bounded, tainted: np.ndarray, noise: Sequence[np.ndarray]
) -> np.ndarray:
    """Mark a table; `noise` is how far a machine's arithmetic may be from exact, and from what is printed before."""
    given, decimals = table.array, table.decimals
    of_all, of_step = (np.where(np.isfinite(error), error, 0.0) for error in noise)

    def close(right: Bounded, error: np.ndarray | float = 0.0) -> np.ndarray:
        return near(given, right.value, decimals, error)

    follows = close(followed, followed.error + of_step) | close(followed, of_step)
    shorter = np.zeros(given.shape, dtype=bool)
    if table.shown is not None and decimals > 0:
        fewer = np.array(table.shown) < decimals
        shorter = fewer & (near(given, exact.value, decimals - 1) | near(given, followed.value, decimals - 1))
    # The first that holds; what a machine's arithmetic may add counts only where nothing else explains the number.
    reasons = [
        (np.isnan(given), Mark.BLANK),
        (close(exact), Mark.RIGHT),
        (close(followed) & ~tainted, Mark.CARRIED),
        (close(followed, followed.error) & ~tainted, Mark.HIDDEN),
        (close(exact, exact.error), Mark.HIDDEN),
        (close(exact, of_all), Mark.RIGHT),
        (close(followed, of_step) & ~tainted, Mark.CARRIED),
        (follows & ~tainted, Mark.HIDDEN),
        (close(exact, exact.error + of_all), Mark.HIDDEN),
        (follows, Mark.FOLLOWS),
        (shorter & ~tainted, Mark.SHORTER),
    ]
    return np.select([holds for holds, _ in reasons], [mark for _, mark in reasons], Mark.WRONG)
