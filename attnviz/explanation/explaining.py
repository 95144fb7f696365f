"""The explanation of a cell: value, terms, sources, words and LaTeX."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import localcontext

import numpy as np
import torch

from attnviz.core.arguments import typed
from attnviz.core.limits import check_type, check_whole, in_short
from attnviz.core.rules import DECIMALS, Cell, CellExplanation, Cells, Factor, Term, in_rows, reads, seen
from attnviz.core.rules import explain as explain_cell
from attnviz.core.scenario import Scenario
from attnviz.core.stages import EVERY_STAGE, Table
from attnviz.core.trace import Trace
from attnviz.explanation.latex import in_latex
from attnviz.explanation.origins import origin
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS

Shapes = Mapping[str, tuple[int, int]]  # (rows, columns) of each matrix, by its name


@typed
def shapes_of(trace: Trace) -> dict[str, tuple[int, int]]:
    """Return ``(rows, columns)`` of each matrix by name; biases have one row.

    Raises ``ValueError`` for a batched trace.
    """
    shapes = {}
    for name, matrix in trace.matrices.items():
        if matrix.dim() > 2:
            raise ValueError(f"{name} has shape {tuple(matrix.shape)}, expected one matrix and no batch")
        shapes[name] = (1, *matrix.shape)[-2:]
    return shapes


def sources_of(name: str, row: int, column: int, shapes: Shapes, table: Table = EVERY_STAGE) -> tuple[Cells, ...]:
    """Return the cells that a cell is computed from; none if given.

    `shapes` holds ``(rows, columns)`` of each matrix by its name, as from :func:`shapes_of`. A bias or a mask without a
    shape is left out; a matrix that would be computed from any other one without a shape counts as given. A masked cell
    keeps the source that the mask hides, and a softmax keeps its masked cells.

    Raises ``ValueError`` for a matrix without a shape, and for a row or column outside of it.

    >>> sources_of("scores", 1, 5, {"scores": (6, 6), "q": (6, 2), "k": (6, 2)})[1].symbols
    'K[5, :]'
    """
    if not isinstance(name, str) or name not in table or name not in shapes:
        raise ValueError(f"{name!r} is no matrix of this trace, expected one of {', '.join(shapes)}")
    row = check_whole(f"row of {name}", row, 0, shapes[name][0] - 1)
    column = check_whole(f"column of {name}", column, 0, shapes[name][1] - 1)
    stage = table[name]
    there = tuple(
        source
        for source in stage.sources
        if source in shapes or not (table[source].is_vector or source == stage.masked_by)
    )
    if stage.rule is None or any(source not in shapes for source in there):
        return ()
    blocks = reads(stage.rule, row, column, *(shapes[source] for source in there))
    return tuple(Cells(table[source], *block) for source, block in zip(there, blocks, strict=True))


@dataclass(frozen=True)
class Explanation:
    """How one cell is computed; prints as text, in notebooks as LaTeX.

    `value` is the number in the trace. The `rule` makes it from `terms`: it's their sum (product, add), the only term
    divided by `divisor` (scale), or the only term itself (given, relu, gelu). For a softmax, the terms are
    exponentials, each taken after `shift` is subtracted; it's the cell's own term over `divisor`, the sum of the row's
    terms. `exact` is the same in float64, and `tolerance` is how far rounding in the trace's precision may move `value`
    from it (infinite where it may overflow). `sources` are the cells that the rule reads.

    `symbols` is the rule in symbols and `steps` the rule with its numbers; each step after the first starts with
    "=", with "≈" where the numbers as displayed do not give it, or with "→" where a number is masked or no longer
    finite. `words` say the rule, or where a given number is from; `notes` say what is unusual. `text` says all this for
    a screen reader, with tokens that aren't escaped; `latex` contains no tokens.
    """

    matrix: str
    row: int
    column: int
    rule: str
    digits: int
    value: float
    exact: float
    tolerance: float
    terms: tuple[Term, ...]
    divisor: float
    shift: float
    masked: bool
    sources: tuple[Cells, ...]
    symbols: str
    steps: tuple[str, ...]
    words: str
    notes: tuple[str, ...]
    text: str
    latex: str

    @property
    def rounded(self) -> bool:
        """Whether the displayed numbers don't give the displayed result, because of rounding."""
        return any(step.startswith("≈") for step in self.steps)

    @property
    def numbers(self) -> str:
        """The rule with its numbers, in one line."""
        return _numbers(self.steps)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        """Return only the text, because all terms and sources would fill pages."""
        return f"<Explanation: {self}>"

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"


def explain(
    trace: Trace,
    matrix: str,
    row: int,
    column: int,
    *,
    digits: int = DEFAULT_DIGITS,
    scenario: Scenario | None = None,
    shown: Collection[str] | None = None,
) -> Explanation:
    """Return how one cell is computed: its rule, numbers and sources.

    `matrix` is the name of a matrix in the trace; `row` and `column` count from 0, a bias has only row 0; `digits` are
    the decimals displayed, 1 to 6. The `scenario` of the trace, if given, tells where a number of X, a projection or a
    bias is from. If only some matrices are `shown` beside the cell, and scaled scores aren't among them, a softmax is
    explained with the scores. All of this follows from the matrix's row in the table of stages.

    Raises ``ValueError`` for an unknown matrix, a cell outside of it, a wrong number of digits, a batched trace, or a
    scenario that has another number in that cell.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1; for the tolerance, Higham 2002,
    Accuracy and Stability of Numerical Algorithms, section 3.1.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> explain(trace(Scenario(embedding="published")), "scores", 1, 5).numbers
    '0.4306 × 0.3275 + 1.4551 × 0.9642 = 0.1410 + 1.4030 = 1.5440'
    """
    digits = check_whole("digits", digits, MIN_DIGITS, MAX_DIGITS)
    if not isinstance(trace, Trace):
        raise ValueError(f"trace is {in_short(trace)}, expected what attnviz.trace or attnviz.attend returns")
    if scenario is not None:
        check_type("scenario", scenario, Scenario, "the Scenario of the trace, or None")
    if not isinstance(matrix, str) or matrix not in trace.matrices:
        raise trace.no_matrix(matrix)
    shapes = shapes_of(trace)
    sources = sources_of(matrix, row, column, shapes, trace.stages)
    stage, tensor, masked = trace.stages[matrix], trace[matrix].detach(), trace.masked_in(matrix)
    cell = Cell(
        stage, int(row), int(column), float(in_rows(tensor)[row, column]), sources,
        trace.matrices, trace.stages, trace.tokens, digits, torch.finfo(tensor.dtype),
        masked is not None and bool(masked[row, column]), shown,
    )  # fmt: skip
    with localcontext(DECIMALS), np.errstate(over="ignore"):
        computed = explain_cell(stage.rule, cell) if stage.rule and sources else _given(cell, shapes[matrix], scenario)
    return _explanation(cell, computed)


def _given(cell: Cell, shape: tuple[int, int], scenario: Scenario | None) -> CellExplanation:
    number = Factor(cell.stage, cell.row, cell.column, cell.value)
    words = origin(scenario, number, shape, cell.digits)
    return CellExplanation("", [cell.write(cell.value)], words, (Term(cell.value, (number,)),), cell.value, 0.0)


def _explanation(cell: Cell, computed: CellExplanation) -> Explanation:
    name = cell.stage.at(cell.row, cell.column)
    rule = cell.stage.rule if cell.sources else None
    symbols = "" if computed.symbols == name else computed.symbols  # a cell that is passed on has no rule to show
    notes = _notes(cell, computed)
    where = say("explanation.where", matrix=cell.stage.title, place=cell.place())
    sentences = [
        say("explanation.is", where=where, cell=name, value=cell.write(cell.value)),
        say("explanation.made", words=computed.words, numbers=_numbers(computed.steps))
        if computed.symbols
        else say("explanation.only", words=computed.words),
        *notes,
    ]
    return Explanation(
        matrix=cell.stage.name,
        row=cell.row,
        column=cell.column,
        rule="given" if rule is None else rule.name,
        digits=cell.digits,
        value=cell.value,
        exact=computed.exact,
        tolerance=computed.tolerance,
        terms=computed.terms,
        divisor=computed.divisor,
        shift=computed.shift,
        masked=computed.masked,
        sources=() if rule is None else seen(rule, cell),
        symbols=f"{name} = {symbols}" if symbols else name,
        steps=tuple(computed.steps),
        words=computed.words,
        notes=notes,
        text=" ".join(sentences),
        latex=in_latex(name, symbols, () if cell.value == -math.inf and computed.masked else computed.steps),
    )


def _numbers(steps: Sequence[str]) -> str:
    numbers = " ".join(steps)
    rounded = any(step.startswith("≈") for step in steps)
    return say("explanation.rounded", numbers=numbers) if rounded else numbers


def _notes(cell: Cell, computed: CellExplanation) -> tuple[str, ...]:
    if math.isfinite(cell.value):
        may_be = abs(computed.exact - cell.value) <= computed.tolerance
    else:
        may_be = computed.tolerance == math.inf or computed.exact == cell.value
        may_be = may_be or (math.isnan(computed.exact) and math.isnan(cell.value))  # a copied NaN
    exact, dtype = cell.write(computed.exact), cell.precision.dtype
    if not may_be:
        return (*computed.notes, say("explanation.trouble.disagrees", exact=exact, dtype=dtype))
    if cell.value == 0 and 0 < abs(computed.exact) < cell.precision.tiny:
        return (*computed.notes, say("explanation.trouble.too_small", exact=exact, dtype=dtype))
    return computed.notes
