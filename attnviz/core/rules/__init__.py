"""The rules by which stages are computed, grouped by what they read."""

from collections.abc import Iterator

from attnviz.core.rules.base import Rule
from attnviz.core.rules.cellwise import GELU, Add, Cap, Difference, FeatureMap, ReLU, Sigmoid, Times, TimesRoot
from attnviz.core.rules.copying import Concatenate, PassOn, Recut, Slice
from attnviz.core.rules.derived import declaration, explain, reads, seen, touched, values
from attnviz.core.rules.explaining.cell import Cell, CellExplanation, Cells, Factor, Term, in_rows
from attnviz.core.rules.explaining.numbers import DECIMALS
from attnviz.core.rules.positions import Relative, Rotate, rotation_of
from attnviz.core.rules.product import Product, turns_second
from attnviz.core.rules.reading import Block, Shape
from attnviz.core.rules.rows import LayerNorm, RmsNorm, Share
from attnviz.core.rules.scale import Scale, causal_mask, scaling_of
from attnviz.core.rules.softmax import Softmax
from attnviz.core.rules.stage import names_on, owner_of
from attnviz.core.rules.vocabulary import Ids, Lookup, Surprise


def _kinds(kind: type[Rule]) -> Iterator[type[Rule]]:
    for each in kind.__subclasses__():
        yield each
        yield from _kinds(each)


RULES: tuple[type[Rule], ...] = tuple(_kinds(Rule))  # type: ignore[type-abstract]

__all__ = [
    "DECIMALS", "GELU", "RULES", "Add", "Block", "Cap", "Cell", "CellExplanation", "Cells", "Concatenate", "Difference",
    "Factor", "FeatureMap", "Ids", "LayerNorm", "Lookup", "PassOn", "Product", "ReLU", "Recut", "Relative", "RmsNorm",
    "Rotate", "Rule", "Scale", "Shape", "Share", "Sigmoid", "Slice", "Softmax", "Surprise", "Term", "Times",
    "TimesRoot", "causal_mask", "declaration", "explain", "in_rows", "names_on", "owner_of", "reads", "rotation_of",
    "scaling_of", "seen", "touched", "turns_second", "values",
]  # fmt: skip
