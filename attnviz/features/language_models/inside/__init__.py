"""Models that people use; transformers is imported when it's first needed."""

from attnviz.features.language_models.inside.available_models import INCLUDED, STORIES, offered
from attnviz.features.language_models.inside.edits import ModelEdit
from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.language_models.inside.layers.other_layers import OtherLayer
from attnviz.features.language_models.inside.loading import load
from attnviz.features.language_models.inside.logit_attribution import why
from attnviz.features.language_models.inside.looking import look_into
from attnviz.features.language_models.inside.trace import Heads, ModelTrace
from attnviz.features.language_models.inside.uses import sentence_vector, similarity
from attnviz.features.language_models.inside.writing import Sampling, Written, write

__all__ = [
    "INCLUDED", "STORIES", "Heads", "Layer", "ModelEdit", "ModelTrace", "OtherLayer", "Sampling", "Written", "load",
    "look_into", "offered", "sentence_vector", "similarity", "write",
]  # fmt: skip

# Set here, because writing.py and logit_attribution.py import trace.py, not the reverse.
ModelTrace.write = write
ModelTrace.why = why
