"""Models that people use; transformers is imported when it's first needed."""

from attnviz.models.edits import ModelEdit
from attnviz.models.layers.layer import Layer
from attnviz.models.layers.other_layers import OtherLayer
from attnviz.models.loading import load
from attnviz.models.looking import look_into
from attnviz.models.offering import INCLUDED, STORIES, offered
from attnviz.models.reasons import why
from attnviz.models.trace import Heads, ModelTrace
from attnviz.models.uses import sentence_vector, similarity
from attnviz.models.writing import Sampling, Written, write

__all__ = [
    "INCLUDED", "STORIES", "Heads", "Layer", "ModelEdit", "ModelTrace", "OtherLayer", "Sampling", "Written", "load",
    "look_into", "offered", "sentence_vector", "similarity", "write",
]  # fmt: skip

# Here, because a trace knows nothing of what writes on from it, and of why.
ModelTrace.write = write
ModelTrace.why = why
