"""attnviz: every number of self-attention, real, editable and explained."""

from attnviz import figures
from attnviz.attention import AttentionTrace, SelfAttention, UndefinedAttentionError, attend
from attnviz.devices import available_devices
from attnviz.scaling import sweep_scaling
from attnviz.scenario import Edit, Scenario, trace
from attnviz.tokens import tokenize

__all__ = [
    "AttentionTrace",
    "Edit",
    "Scenario",
    "SelfAttention",
    "UndefinedAttentionError",
    "attend",
    "available_devices",
    "figures",
    "sweep_scaling",
    "tokenize",
    "trace",
]
