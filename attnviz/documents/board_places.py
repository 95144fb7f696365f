"""Places the board's matrices in a picture, as ``board/spine/plan.js`` does.

It is made for few tokens. The rows of tokens begin at y = 0; matrices above them have negative positions.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from attnviz.core.heads import in_view
from attnviz.core.rules import scaling_of, turns_second
from attnviz.core.stages import Stage
from attnviz.core.trace import Trace
from attnviz.figures.heatmap import width_of
from attnviz.figures.picture import FINITE, IN_CELL, Picture, picture
from attnviz.words.numbers import in_cell

FONT, ROW, HEAD, NAME = 12, 24, 20, 18  # pixels: font size, height of a row, of a title's line, of the columns' names
BASE = 4  # pixels from the middle of a line down to its text's baseline
_NARROWEST = 38  # pixels: the smallest width of a cell
_GAP, _STACK = 26, 10  # pixels between columns, and between matrices that stand above each other


@dataclass
class Placed:
    """A matrix and the position of its cells, in pixels."""

    name: str
    picture: Picture
    turned: bool = False
    above_another: bool = False
    x: float = 0.0
    y: float = 0.0
    cell: float = 0.0
    named: bool = False  # whether the names of the rows stand at the left
    in_full: bool = False  # whether numbers have all their digits, even very small ones

    @property
    def size(self) -> tuple[int, int]:
        """How many rows and columns are drawn."""
        rows, columns = self.picture.shape
        return (columns, rows) if self.turned else (rows, columns)

    @property
    def width(self) -> float:
        """The pixels of all its columns."""
        return self.size[1] * self.cell

    @property
    def height(self) -> float:
        """The pixels of all its rows."""
        return float(self.size[0] * ROW)

    @property
    def query(self) -> int | None:
        """The picked row; None for a matrix above another."""
        return None if self.above_another else self.picture.query

    @property
    def row_names(self) -> list[str]:
        """The names at the left."""
        return self.picture.rows if self.named else []

    @property
    def column_names(self) -> list[str]:
        """The names above the columns."""
        if self.turned:
            return self.picture.rows if self.picture.stage.rows != "feature" else []
        return self.picture.columns if self.picture.stage.columns != "feature" else []

    def middle(self, row: int) -> float:
        """Return the y of the baseline of a row's texts."""
        return self.y + (row + 0.5) * ROW + BASE

    @property
    def names(self) -> float:
        """The height in pixels of the names above; long ones are upright."""
        longest = max((width_of(name, FONT) for name in self.column_names), default=0.0)
        return 0.0 if not longest else NAME if longest <= self.cell - 4 else longest + 10

    @property
    def left(self) -> float:
        """The pixels that the names at its left take."""
        return max((width_of(name, FONT) + 10 for name in self.row_names), default=0.0)

    @cached_property
    def narrowest(self) -> float:
        """The width in pixels that the longest number needs."""
        finite = self.picture.z[self.picture.kinds == FINITE].tolist()
        return max(_NARROWEST, *(width_of(self.text_of(value), FONT) + 10 for value in finite or [0.0]))

    def text_of(self, value: float) -> str:
        """Return a finite number as its cell writes it."""
        return self.picture.text_of(value) if self.in_full else in_cell(value, self.picture.digits)

    @property
    def outer(self) -> tuple[float, float, float, float]:
        """The left, top, right and bottom, including title and names."""
        right = max(self.width, width_of(self.picture.stage.symbol, 14) + 12)
        return self.x - self.left, self.y - self.names - HEAD, self.x + right, self.y + self.height

    @property
    def above(self) -> float:
        """The y where a matrix above this one ends."""
        return self.y - self.names - HEAD - _STACK


_Column = tuple[Placed, list[list[Placed]]]  # a matrix with rows of tokens, and the stacks above it from left to right


def place_all(trace: Trace, digits: int, query: int | None) -> list[Placed]:
    """Return all matrices in view with their places, from left to right."""
    boxes = {name: Placed(name, picture(trace, name, digits, query, dark=False)) for name in in_view(trace.stages)}
    for name, box in boxes.items():
        if max(box.picture.shape) > IN_CELL:
            raise ValueError(f"{name} has shape {box.picture.shape}, expected at most {IN_CELL} rows and columns")
    columns = _plan(trace, boxes)
    before: list[str] | None = None
    for main, _ in columns:
        names = main.picture.rows
        main.named = main.picture.stage.rows != "feature" and names != before
        before = names if main.named else before
    base = min(main.above for main, _ in columns)
    end = over_end = -float(_GAP)
    for main, stacks in columns:
        over = _stack(stacks, base)
        right_of = [end + _GAP + main.left, *([over_end + _GAP - min(box.outer[0] for box in over)] if over else [])]
        for box in (main, *over):
            box.x += max(right_of)
        end, over_end = main.outer[2], max([over_end, *(box.outer[2] for box in over)])
    return [box for main, stacks in columns for box in (main, *chain.from_iterable(stacks))]


def _plan(trace: Trace, boxes: dict[str, Placed]) -> list[_Column]:
    """Return the columns from left to right, with their cells' widths."""
    columns: list[_Column] = []
    left = dict(boxes)
    while left:
        name, main = left.popitem()
        stage = trace.stages[name]
        factor = _source(boxes, stage, _factor_at(trace, stage))
        bias = _source(boxes, stage, stage.rule.beside[1] if stage.rule else None)
        source = trace.stages[factor.name] if factor else None
        computed = source if source and source.rule and source.rule.is_product else None
        weight, weight_bias = (_source(boxes, computed, at) for at in (1, 2))
        stacks = [[weight, weight_bias], [factor, bias]]
        if factor and turns_second(stage.rule):  # its weight is above it, and its bias is transposed, too
            stacks = [[weight_bias], [weight, factor, bias]]
            factor.turned = True
            if weight_bias:
                weight_bias.turned = True
        elif factor:
            factor.named = factor.picture.stage.rows != "feature"
        column = main, [there for stack in stacks if (there := [box for box in stack if box])]
        for box in chain.from_iterable(column[1]):
            box.above_another, box.cell = True, box.narrowest
            left.pop(box.name, None)
        aligned = [box for box in (main, factor, bias) if box]
        for box in aligned:
            box.cell = max(each.narrowest for each in aligned)
        columns.insert(0, column)
    return sorted(columns, key=lambda column: not _is_what_is_read(column[0].picture.stage))


def _factor_at(trace: Trace, stage: Stage) -> int | None:
    """Return the index of the source drawn above a matrix, or None."""
    if stage.rule is None:
        return None
    if scaling_of(stage.rule) and len(stage.sources) > 1 and trace.stages[stage.sources[1]].rule is None:
        return 1
    return stage.rule.beside[0]


def _source(boxes: dict[str, Placed], stage: Stage | None, at: int | None) -> Placed | None:
    return boxes.get(stage.sources[at]) if stage and at is not None and at < len(stage.sources) else None


def _is_what_is_read(stage: Stage) -> bool:
    return stage.is_of_others and stage.role == "x"


def _stack(stacks: list[list[Placed]], base: float) -> list[Placed]:
    """Place the stacks above a column, each upwards from `base`."""
    x = 0.0
    for stack in reversed(stacks):
        x -= 0 if stack is stacks[-1] else max(box.outer[2] - box.x for box in stack)
        bottom = base
        for box in reversed(stack):
            box.x, box.y = x, bottom - box.height
            bottom = box.above
        x -= _GAP + max(box.left for box in stack)
    return list(chain.from_iterable(stacks))
