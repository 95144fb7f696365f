"""The content of a heatmap: its cells, and what each stands for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from torch import Tensor

from attnviz.colours.palette import Theme, theme
from attnviz.colours.shading import colour_limits, shades
from attnviz.core.arguments import typed
from attnviz.core.limits import MAX_TOKENS, check_type, check_whole
from attnviz.core.rules import in_rows
from attnviz.core.rules.rows import sharing
from attnviz.core.stages import Stage
from attnviz.core.trace import Trace
from attnviz.words import say
from attnviz.words.numbers import MAX_DIGITS, MIN_DIGITS, written

IN_CELL = 16  # up to this many rows and columns, the cells show their numbers
LABELLED = 48  # up to this many, every row has its tick; above, Plotly leaves some out
DRAWN = 256  # rows or columns, at most; of larger matrices, neighbouring cells are drawn as one
LABEL_CHARS = 18

# The kinds of cells; a block of cells that are drawn as one has the kind of its largest.
FINITE, MASKED, NEGATIVE, POSITIVE, NAN = range(5)


@dataclass(frozen=True)
class Picture:
    """The cells of a heatmap, each for one or several numbers.

    `kinds` says of each cell whether it is finite, masked, infinite or NaN; `z` is NaN except in finite cells.
    """

    stage: Stage
    z: np.ndarray
    kinds: np.ndarray
    shape: tuple[int, int]  # shape of the matrix
    steps: tuple[int, int]  # how many rows and columns of the matrix one cell stands for
    rows: list[str]
    columns: list[str]
    limits: tuple[float, float]
    digits: int
    theme: Theme
    query: int | None
    # Among how many cells each cell's line is shared, and 0 for a hidden cell; None if the numbers aren't shares.
    shared_among: np.ndarray | None = None
    signed: bool = False  # whether the numbers are differences, which are written with their sign
    bare: bool = False  # whether numbers appear only on hover, so that small pictures fit side by side

    @property
    def shades(self) -> np.ndarray:
        """Each finite cell's colour, ``(rows, columns, 3)`` from 0 to 255."""
        return shades(np.nan_to_num(self.z), self.limits, self.stage.role, self.theme.dark)

    @property
    def in_cell(self) -> bool:
        """Whether the cells show their numbers."""
        return not self.bare and max(self.shape) <= IN_CELL

    @property
    def row_names(self) -> list[str]:
        """The rows' names at the axis and on hover, all different."""
        return _numbered(self.rows, self.stage.rows, self.steps[0])

    @property
    def column_names(self) -> list[str]:
        """The columns' names, likewise."""
        return _numbered(self.columns, self.stage.columns, self.steps[1])

    def text_of(self, value: float) -> str:
        """Return a finite number as its cell and hover write it."""
        return ("+" if self.signed and value > 0 else "") + written(value, self.digits)


def picture(trace: Trace, name: str, digits: int, query: int | None, dark: bool) -> Picture:
    """Return the content of a matrix's heatmap; ``ValueError`` as there."""
    check_type("trace", trace, Trace, "what attnviz.trace or attnviz.attend returns")
    if not isinstance(name, str) or name not in trace.matrices:
        raise trace.no_matrix(name)
    digits = check_whole("digits", digits, MIN_DIGITS, MAX_DIGITS)
    query = None if query is None else check_whole("query", query, 0, MAX_TOKENS - 1)
    return picture_of(trace, name, trace[name], trace.masked_in(name), digits, query, dark)


def picture_of(
    trace: Trace, name: str, numbers: Tensor, hidden: np.ndarray | None, digits: int, query: int | None, dark: bool
) -> Picture:
    """Return the content with other `numbers`, some `hidden` by a mask."""
    matrix = in_rows(numbers.detach().cpu()).numpy()
    if matrix.ndim != 2:
        raise ValueError(f"{name} has shape {matrix.shape}, expected one matrix and no batch")
    stage = trace.stages[name]
    of_no_query = query is None or stage.rows in ("feature", "entry") or stage.is_of_others
    steps = (math.ceil(matrix.shape[0] / DRAWN), math.ceil(matrix.shape[1] / DRAWN))
    z, kinds = _blocks(matrix, kinds_of(matrix, hidden), steps)
    return Picture(
        stage=stage,
        z=z,
        kinds=kinds,
        shape=matrix.shape,
        steps=steps,
        rows=_axis_labels(trace, stage, "rows", matrix.shape[0], steps[0]),
        columns=_axis_labels(trace, stage, "columns", matrix.shape[1], steps[1]),
        limits=colour_limits(trace, name),
        digits=digits,
        theme=theme(dark),
        query=None if of_no_query or query >= matrix.shape[0] else query,
        shared_among=_shared_among(stage, np.zeros(matrix.shape, dtype=bool) if hidden is None else hidden),
    )


def _shared_among(stage: Stage, hidden: np.ndarray) -> np.ndarray | None:
    over = None if stage.rule is None else stage.rule.shares_over(len(stage.sources))
    return None if over is None else sharing(over, hidden)


def kinds_of(matrix: np.ndarray, hidden: np.ndarray | None) -> np.ndarray:
    """Return each cell's kind; a masked cell has no share."""
    kinds = np.select([np.isnan(matrix), matrix == np.inf, matrix == -np.inf], [NAN, POSITIVE, NEGATIVE], FINITE)
    if hidden is not None:
        kinds[hidden & ((matrix == -np.inf) | (matrix == 0))] = MASKED
    return kinds


def _blocks(matrix: np.ndarray, kinds: np.ndarray, steps: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return each block's cell: infinite or NaN, else largest, else masked."""
    z = np.where(kinds == FINITE, matrix, np.nan)
    if max(steps) == 1:
        return z, kinds
    sizes = np.select([kinds == FINITE, kinds == MASKED], [np.abs(z), -1.0], np.inf)
    drawn = _blocked(sizes, steps, -2.0).argmax(-1)[..., None]
    return (
        np.take_along_axis(_blocked(z, steps, np.nan), drawn, -1)[..., 0],
        np.take_along_axis(_blocked(kinds, steps, FINITE), drawn, -1)[..., 0],
    )


def _blocked(matrix: np.ndarray, steps: tuple[int, int], fill: float) -> np.ndarray:
    """Return ``(rows, columns, cells of the block)``, padded at the ends."""
    n_rows, n_columns = (math.ceil(n / step) for n, step in zip(matrix.shape, steps, strict=True))
    padded = np.full((n_rows * steps[0], n_columns * steps[1]), fill, dtype=matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return padded.reshape(n_rows, steps[0], n_columns, steps[1]).swapaxes(1, 2).reshape(n_rows, n_columns, -1)


def _numbered(labels: list[str], kind: str, step: int) -> list[str]:
    if len(labels) <= LABELLED or kind in ("feature", "distance"):
        return labels
    return [say("figures.labels.numbered", place=i * step, label=label) for i, label in enumerate(labels)]


def _axis_labels(trace: Trace, stage: Stage, axis: Literal["rows", "columns"], n: int, step: int = 1) -> list[str]:
    """Return the labels of an axis, one for every `step` rows."""
    labels = stage.labels(axis, trace.tokens, n, LABEL_CHARS)
    if step == 1:
        return list(labels)
    return [
        say("figures.labels.several", first=labels[i], last=labels[min(i + step, n) - 1]) for i in range(0, n, step)
    ]


_WIDTH, _HEIGHT = 220, 84  # pixels of the whole picture
_GAP = 14
_LARGEST = 20  # pixels of a cell, at most


@typed
def small_picture(matrices: Sequence[tuple[np.ndarray, str]], *, dark: bool = False) -> str:
    """Return finite matrices as an SVG, each in its role's colours."""
    columns = sum(matrix.shape[1] for matrix, _ in matrices)
    rows = max(matrix.shape[0] for matrix, _ in matrices)
    cell = min(_LARGEST, (_WIDTH - _GAP * (len(matrices) - 1)) / columns, _HEIGHT / rows)
    x, parts = 0.0, []
    for matrix, role in matrices:
        parts.append(_rectangles(matrix, role, x, cell, dark))
        x += matrix.shape[1] * cell + _GAP
    x -= _GAP
    height = rows * cell
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x:g}" height="{height:g}" '
        f'viewBox="-1 -1 {x + 2:g} {height + 2:g}">{"".join(parts)}</svg>'
    )


def _rectangles(matrix: np.ndarray, role: str, left: float, cell: float, dark: bool) -> str:
    limit = float(np.abs(matrix).max()) or 1.0
    colours = shades(matrix, (-limit, limit), role, dark)
    rects = [
        f'<rect x="{left + column * cell:.2f}" y="{row * cell:.2f}" width="{cell:.2f}" height="{cell:.2f}" '
        f'fill="#{bytes(colours[row, column].astype(np.uint8)).hex()}"/>'
        for row, column in np.ndindex(matrix.shape)
    ]
    rows, columns = matrix.shape
    frame = (
        f'<rect x="{left:.2f}" y="0" width="{columns * cell:.2f}" height="{rows * cell:.2f}" fill="none" '
        f'stroke="{theme(dark).muted}" stroke-width="0.75"/>'
    )
    return "".join(rects) + frame
