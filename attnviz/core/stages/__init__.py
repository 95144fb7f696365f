"""Tables of stages: each matrix's name, sources and rule.

:func:`attnviz.core.trace.run` executes a table. All code that names a matrix, draws it, explains it, marks it or writes
a script for it reads the table of the trace that holds it.
"""

from attnviz.core.rules.stage import Stage, Table, Texts, lowered
from attnviz.core.stages.attending import WEIGHTINGS, Scoring
from attnviz.core.stages.names import (
    BIASES,
    BY_DISTANCE,
    CAPPED,
    DISTANCE_BIAS,
    DIVIDED,
    E_MEMORY,
    E_MEMORY_SCALED,
    E_SCALED,
    EDITABLE,
    GAINS,
    HEADS,
    ITSELF,
    JOINED,
    KEPT,
    LAYERS,
    MASK,
    NORMS,
    OF_MEMORY,
    OUTPUT,
    P_MEMORY,
    READINGS,
    SECOND,
    Y,
    followed_by,
    formula_of,
    head_name,
    pictured,
)
from attnviz.core.stages.projecting import ACTIVATIONS, BLOCKS, feed_forward_table, residual_table
from attnviz.core.stages.tables import ALL_STAGES, EVERY_STAGE, STAGES, VECTORS, attention_table, layer_table

__all__ = [
    "ACTIVATIONS", "ALL_STAGES", "BIASES", "BLOCKS", "BY_DISTANCE", "CAPPED", "DISTANCE_BIAS", "DIVIDED",
    "EDITABLE", "EVERY_STAGE", "E_MEMORY", "E_MEMORY_SCALED", "E_SCALED", "GAINS", "HEADS", "ITSELF", "JOINED", "KEPT",
    "LAYERS", "MASK", "NORMS", "OF_MEMORY", "OUTPUT", "P_MEMORY", "READINGS", "SECOND", "STAGES", "VECTORS",
    "WEIGHTINGS", "Scoring", "Stage", "Table", "Texts", "Y", "attention_table", "feed_forward_table", "followed_by",
    "formula_of", "head_name", "layer_table", "lowered", "pictured", "residual_table",
]  # fmt: skip
