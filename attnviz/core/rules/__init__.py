"""The rules of the tables of stages, one file each."""

from attnviz.core.rules.add import Add
from attnviz.core.rules.base import BFLOAT16, FLOAT16, FLOAT32, Bounded, HeadsInCode, Precision, Rule, declaration
from attnviz.core.rules.cap import Cap
from attnviz.core.rules.concatenate import Concatenate
from attnviz.core.rules.explaining.cell import Cell, Cells, Factor, Made, Matrix, Term, in_rows, names_on, owner_of
from attnviz.core.rules.explaining.displayed import DECIMALS
from attnviz.core.rules.feature_map import FeatureMap
from attnviz.core.rules.gelu import GELU
from attnviz.core.rules.layer_norm import LayerNorm
from attnviz.core.rules.lookup import Ids, Lookup
from attnviz.core.rules.pass_on import PassOn
from attnviz.core.rules.product import Product
from attnviz.core.rules.reading import Block, Shape
from attnviz.core.rules.recut import Recut
from attnviz.core.rules.relative import Relative
from attnviz.core.rules.relu import ReLU
from attnviz.core.rules.rotate import Rotate
from attnviz.core.rules.scale import Scale, later
from attnviz.core.rules.share import Share
from attnviz.core.rules.slice import Slice
from attnviz.core.rules.softmax import Softmax
from attnviz.core.rules.surprise import Surprise
from attnviz.core.rules.times_root import TimesRoot

RULES: tuple[type[Rule], ...] = (
    Product, Scale, Softmax, Add, ReLU, GELU, Slice, Recut, Concatenate, Rotate, LayerNorm, PassOn, Lookup, Surprise,
    Relative, TimesRoot, FeatureMap, Share, Cap,
)  # fmt: skip

__all__ = [
    "BFLOAT16",
    "DECIMALS",
    "FLOAT16",
    "FLOAT32",
    "GELU",
    "RULES",
    "Add",
    "Block",
    "Bounded",
    "Cap",
    "Cell",
    "Cells",
    "Concatenate",
    "Factor",
    "FeatureMap",
    "HeadsInCode",
    "Ids",
    "LayerNorm",
    "Lookup",
    "Made",
    "Matrix",
    "PassOn",
    "Precision",
    "Product",
    "ReLU",
    "Recut",
    "Relative",
    "Rotate",
    "Rule",
    "Scale",
    "Shape",
    "Share",
    "Slice",
    "Softmax",
    "Surprise",
    "Term",
    "TimesRoot",
    "declaration",
    "in_rows",
    "later",
    "names_on",
    "owner_of",
]
