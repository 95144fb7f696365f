"""Models that people use, and the numbers that they compute: transformers is needed here alone, and when first used."""

from attnviz.models.included import INCLUDED
from attnviz.models.loading import load, offered
from attnviz.models.looking import look_into
from attnviz.models.trace import Heads, Layer, ModelTrace

__all__ = ["INCLUDED", "Heads", "Layer", "ModelTrace", "load", "look_into", "offered"]
