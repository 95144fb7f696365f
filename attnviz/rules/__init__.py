"""The rules of the tables of stages, one file each."""

from attnviz.rules.add import Add
from attnviz.rules.base import BFLOAT16, FLOAT16, FLOAT32, Block, Bounded, Precision, Rule, Shape
from attnviz.rules.gelu import GELU
from attnviz.rules.product import Product
from attnviz.rules.relu import ReLU
from attnviz.rules.scale import Scale, later
from attnviz.rules.softmax import Softmax

RULES: tuple[type[Rule], ...] = (Product, Scale, Softmax, Add, ReLU, GELU)

__all__ = [
    "BFLOAT16",
    "FLOAT16",
    "FLOAT32",
    "GELU",
    "RULES",
    "Add",
    "Block",
    "Bounded",
    "Precision",
    "Product",
    "ReLU",
    "Rule",
    "Scale",
    "Shape",
    "Softmax",
    "later",
]
