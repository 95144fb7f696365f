"""The rules by which stages are computed, grouped by what they read."""

from collections.abc import Iterator

from attnviz.core.rules.base import BFLOAT16, FLOAT16, FLOAT32, Bounded, HeadsInCode, Rule, declaration
from attnviz.core.rules.cellwise import GELU, Add, Cap, Difference, FeatureMap, ReLU, TimesRoot
from attnviz.core.rules.explaining.cell import Cell, CellExplanation, Cells, Factor, Term, in_rows
from attnviz.core.rules.explaining.numbers import DECIMALS
from attnviz.core.rules.moving import Concatenate, PassOn, Recut, Slice
from attnviz.core.rules.positions import Relative, Rotate
from attnviz.core.rules.product import Product
from attnviz.core.rules.reading import Block, Shape
from attnviz.core.rules.rows import LayerNorm, RmsNorm, Share
from attnviz.core.rules.scale import Scale, later
from attnviz.core.rules.softmax import Softmax
from attnviz.core.rules.stage import names_on, owner_of
from attnviz.core.rules.vocabulary import Ids, Lookup, Surprise


def _kinds(kind: type[Rule]) -> Iterator[type[Rule]]:
    for each in kind.__subclasses__():
        yield each
        yield from _kinds(each)


RULES: tuple[type[Rule], ...] = tuple(_kinds(Rule))  # type: ignore[type-abstract]

__all__ = [
    "BFLOAT16", "DECIMALS", "FLOAT16", "FLOAT32", "GELU", "RULES", "Add", "Block", "Bounded", "Cap", "Cell",
    "CellExplanation", "Cells", "Concatenate", "Difference", "Factor", "FeatureMap", "HeadsInCode", "Ids", "LayerNorm",
    "Lookup", "PassOn", "Product", "ReLU", "Recut", "Relative", "RmsNorm", "Rotate", "Rule", "Scale", "Shape", "Share",
    "Slice", "Softmax", "Surprise", "Term", "TimesRoot", "declaration", "in_rows", "later", "names_on", "owner_of",
]  # fmt: skip
