"""Models that people use; transformers is imported when it's first needed."""

from attnviz.features.models.inside.edits import ModelEdit
from attnviz.features.models.inside.layers.layer import Layer
from attnviz.features.models.inside.layers.other_layers import OtherLayer
from attnviz.features.models.inside.loading import load
from attnviz.features.models.inside.looking import look_into
from attnviz.features.models.inside.offering import INCLUDED, STORIES, offered
from attnviz.features.models.inside.reasons import why
from attnviz.features.models.inside.trace import Heads, ModelTrace
from attnviz.features.models.inside.uses import sentence_vector, similarity
from attnviz.features.models.inside.writing import Sampling, Written, write

__all__ = [
    "INCLUDED", "STORIES", "Heads", "Layer", "ModelEdit", "ModelTrace", "OtherLayer", "Sampling", "Written", "load",
    "look_into", "offered", "sentence_vector", "similarity", "write",
]  # fmt: skip

# Here, because a trace knows nothing of what writes on from it, and of why.
ModelTrace.write = write
ModelTrace.why = why
